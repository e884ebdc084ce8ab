-- Data keys of tenants. What may hold personal data is sealed under the tenant's key, and the key is
-- wrapped under the secret of the installation. To erase a key is to erase all that it has sealed,
-- in every table and without a row being looked for.
CREATE TABLE tenant_data_key (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  -- Null once the key is erased.
  wrapped bytea,
  -- Names the secret that it is wrapped under.
  wrapping_key_id bytea GENERATED ALWAYS AS (substr(wrapped, 2, 4)) STORED,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  erased_at timestamptz(3),
  CHECK ((wrapped IS NULL) = (erased_at IS NOT NULL))
);
-- A tenant has one key that seals: of nodes that make one at once, one is too late.
CREATE UNIQUE INDEX tenant_data_key_in_force ON tenant_data_key (tenant_id)
  WHERE erased_at IS NULL;
CREATE INDEX tenant_data_key_tenant_id_idx ON tenant_data_key (tenant_id);
CREATE INDEX tenant_data_key_wrapping_key_id_idx ON tenant_data_key (wrapping_key_id);

-- A key is wrapped anew or erased, and nothing else; an erased one stays so.
CREATE FUNCTION only_rewrap_or_erase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.erased_at IS NOT NULL OR NEW.id <> OLD.id OR NEW.tenant_id <> OLD.tenant_id
     OR NEW.created_at <> OLD.created_at THEN
    RAISE EXCEPTION 'the data key % cannot be changed so', OLD.id USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
ALTER FUNCTION only_rewrap_or_erase() OWNER TO gw_owner;
CREATE TRIGGER tenant_data_key_guard BEFORE UPDATE ON tenant_data_key
  FOR EACH ROW EXECUTE FUNCTION only_rewrap_or_erase();
ALTER TABLE tenant_data_key ENABLE ALWAYS TRIGGER tenant_data_key_guard;

-- Every node forgets what it knows of the tenant, and the answers that it keeps for it.
CREATE FUNCTION notify_data_key_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gw_access', NEW.tenant_id::text);
  IF NEW.erased_at IS NOT NULL THEN PERFORM pg_notify('gw_erased', NEW.tenant_id::text); END IF;
  RETURN NULL;
END $$;
ALTER FUNCTION notify_data_key_erased() OWNER TO gw_owner;
CREATE TRIGGER tenant_data_key_erased AFTER UPDATE OF erased_at ON tenant_data_key
  FOR EACH ROW EXECUTE FUNCTION notify_data_key_erased();

CALL keep_to_tenant('tenant_data_key', 'SELECT, INSERT');
GRANT UPDATE (wrapped, erased_at) ON tenant_data_key TO gw_app, gw_platform;

-- What a row seals is sealed under the key in force of its own tenant, whoever writes it: a write
-- that has waited behind an erasure is refused, and an erasure waits for writes before it. The
-- arguments are the columns; bytes 2 to 17 of a sealed value name its key.
CREATE FUNCTION require_data_key() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  name text;
  sealed bytea;
  former bytea;
BEGIN
  FOREACH name IN ARRAY TG_ARGV LOOP
    EXECUTE format('SELECT ($1).%I', name) INTO sealed USING NEW;
    CONTINUE WHEN sealed IS NULL;
    IF TG_OP = 'UPDATE' THEN
      EXECUTE format('SELECT ($1).%I', name) INTO former USING OLD;
      CONTINUE WHEN sealed = former;
    END IF;
    PERFORM FROM tenant_data_key
      WHERE id = encode(substr(sealed, 2, 16), 'hex')::uuid AND tenant_id = NEW.tenant_id
        AND erased_at IS NULL
      FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'sealed under no data key in force: %.%', TG_TABLE_NAME, name
        USING ERRCODE = 'GW001';
    END IF;
  END LOOP;
  RETURN NEW;
END $$;
ALTER FUNCTION require_data_key() OWNER TO gw_owner;
REVOKE EXECUTE ON FUNCTION require_data_key() FROM PUBLIC;

-- Append-only but for this: what stands open in a column may be sealed beside it. The arguments are
-- the columns that may be; whether the sealed value holds the open one, the writer answers for.
CREATE FUNCTION forbid_change_but_sealing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  name text;
  before jsonb := to_jsonb(OLD);
  after jsonb;
  sealed text;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    after := to_jsonb(NEW);
    FOREACH name IN ARRAY TG_ARGV LOOP
      sealed := name || '_sealed';
      IF before -> name <> 'null' AND after -> name = 'null'
         AND before -> sealed = 'null' AND after -> sealed <> 'null' THEN
        before := before - name - sealed;
        after := after - name - sealed;
      END IF;
    END LOOP;
    IF before = after THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'append-only table %: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = '42501';
END $$;
ALTER FUNCTION forbid_change_but_sealing() OWNER TO gw_owner;

-- Gives a table sealed columns beside open ones, called like them with `_sealed` behind. Of an
-- append-only table nothing else becomes changeable. `which` says of which rows alone that is.
CREATE PROCEDURE seal_columns(name regclass, columns text[], which text DEFAULT 'true')
LANGUAGE plpgsql AS $$
DECLARE
  each text;
  sealed text[];
  quoted text;
BEGIN
  FOREACH each IN ARRAY columns LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', name, each);
    EXECUTE format('ALTER TABLE %s ADD COLUMN %I bytea', name, each || '_sealed');
    EXECUTE format('ALTER TABLE %s ADD CHECK (%I IS NULL OR %I IS NULL)', name, each,
      each || '_sealed');
    EXECUTE format('CREATE INDEX ON %s (tenant_id) WHERE %I IS NOT NULL AND %s', name, each, which);
    EXECUTE format('GRANT UPDATE (%I, %I) ON %s TO gw_platform', each, each || '_sealed', name);
  END LOOP;
  SELECT array_agg(column_name || '_sealed') INTO sealed FROM unnest(columns) column_name;
  SELECT string_agg(quote_literal(column_name), ', ') INTO quoted FROM unnest(sealed) column_name;
  EXECUTE format('CREATE TRIGGER data_key BEFORE INSERT OR UPDATE ON %s
                  FOR EACH ROW EXECUTE FUNCTION require_data_key(%s)', name, quoted);
  EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER data_key', name);
  IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = name AND tgname = 'append_only_row') THEN
    SELECT string_agg(quote_literal(column_name), ', ') INTO quoted FROM unnest(columns) column_name;
    EXECUTE format('DROP TRIGGER append_only_row ON %s', name);
    EXECUTE format('CREATE TRIGGER append_only_row BEFORE UPDATE OR DELETE ON %s
                    FOR EACH ROW EXECUTE FUNCTION forbid_change_but_sealing(%s)', name, quoted);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER append_only_row', name);
  END IF;
END $$;
ALTER PROCEDURE seal_columns(regclass, text[], text) OWNER TO gw_owner;
