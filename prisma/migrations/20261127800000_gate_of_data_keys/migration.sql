-- Whoever seals holds the data key of the organization to the end of the transaction, and an erasure
-- waits for all of them. The lock of a row let whoever shares it overtake whoever waits to have it
-- alone: under steady writes an erasure waited until it was refused, and a rewrap of that key too. An
-- advisory lock keeps the order: writers that come after an erasure wait behind it. It is the gate of
-- the data keys; the lock of the row that is left keeps the key from being deleted alone.
CREATE FUNCTION enter_data_key_gate(of_tenant uuid) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock_shared(hashtextextended('data_key ' || of_tenant, 0));
$$;
ALTER FUNCTION enter_data_key_gate(uuid) OWNER TO gw_owner;
GRANT EXECUTE ON FUNCTION enter_data_key_gate(uuid) TO gw_app, gw_platform;

-- For whoever erases, before anything is erased: false after a second, so that writers which wait
-- behind it are not kept longer than a statement may take.
CREATE FUNCTION shut_data_key_gate(of_tenant uuid) RETURNS boolean LANGUAGE plpgsql
SET lock_timeout = '1s' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('data_key ' || of_tenant, 0));
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $$;
ALTER FUNCTION shut_data_key_gate(uuid) OWNER TO gw_owner;
GRANT EXECUTE ON FUNCTION shut_data_key_gate(uuid) TO gw_app;

CREATE OR REPLACE FUNCTION require_data_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $$
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
    PERFORM enter_data_key_gate(NEW.tenant_id);
    PERFORM FROM tenant_data_key
      WHERE id = encode(substr(sealed, 2, 16), 'hex')::uuid AND tenant_id = NEW.tenant_id
        AND erased_at IS NULL
      FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'sealed under no data key in force: %.%', TG_TABLE_NAME, name
        USING ERRCODE = 'GW001';
    END IF;
  END LOOP;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION seal_receipt(new_id uuid, of_tenant uuid, of_kind text, with_key text, canonical text, sealed bytea DEFAULT NULL::bytea, OUT receipt_id uuid, OUT already_sealed boolean)
 RETURNS record
 LANGUAGE plpgsql
AS $$
DECLARE
  content_hash bytea := sha256(convert_to(canonical, 'UTF8'));
  last_position bigint;
  last_hash bytea;
  sealed_at timestamptz(3);
BEGIN
  already_sealed := true;
  SELECT id INTO receipt_id FROM sealed_receipt
    WHERE tenant_id = of_tenant AND kind = of_kind AND seal_key = with_key;
  IF FOUND THEN RETURN; END IF;
  -- The data key before the line of receipts, as an erasure takes them: the other way round, each
  -- would wait for the other.
  IF sealed IS NOT NULL THEN
    PERFORM enter_data_key_gate(of_tenant);
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('sealed_receipt ' || of_tenant, 0));
  SELECT id INTO receipt_id FROM sealed_receipt
    WHERE tenant_id = of_tenant AND kind = of_kind AND seal_key = with_key;
  IF FOUND THEN RETURN; END IF;
  SELECT position, chain_hash INTO last_position, last_hash FROM sealed_receipt
    WHERE tenant_id = of_tenant ORDER BY position DESC LIMIT 1;
  sealed_at := clock_timestamp();
  last_position := coalesce(last_position, 0) + 1;
  INSERT INTO sealed_receipt (id, tenant_id, kind, seal_key, position, content, content_sealed,
      sha256, previous_hash, chain_hash, created_at)
    VALUES (new_id, of_tenant, of_kind, with_key, last_position,
      CASE WHEN sealed IS NULL THEN canonical END, sealed, content_hash, last_hash,
      receipt_chain_hash(last_hash, content_hash, of_tenant, last_position, new_id, of_kind,
        sealed_at, with_key),
      sealed_at);
  receipt_id := new_id;
  already_sealed := false;
END $$;

CREATE OR REPLACE FUNCTION erase_personal_data(of_tenant uuid, OUT keys integer, OUT answers integer, OUT deliveries integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $$
DECLARE dropped int;
BEGIN
  IF of_tenant IS DISTINCT FROM nullif(current_setting('gw.tenant_id', true), '')::uuid THEN
    RAISE EXCEPTION 'personal data of another tenant' USING ERRCODE = '42501';
  END IF;
  -- Waits for whoever is sealing under it, and keeps them from it from now on.
  PERFORM pg_advisory_xact_lock(hashtextextended('data_key ' || of_tenant, 0));
  PERFORM FROM tenant_data_key WHERE tenant_id = of_tenant AND erased_at IS NULL FOR UPDATE;
  UPDATE tenant_data_key SET wrapped = NULL, erased_at = clock_timestamp()
    WHERE tenant_id = of_tenant AND erased_at IS NULL;
  GET DIAGNOSTICS keys = ROW_COUNT;
  UPDATE idempotency_record SET answer = NULL WHERE tenant_id = of_tenant AND answer IS NOT NULL;
  GET DIAGNOSTICS answers = ROW_COUNT;
  UPDATE keyed_outcome SET answer = NULL WHERE tenant_id = of_tenant AND answer IS NOT NULL;
  GET DIAGNOSTICS dropped = ROW_COUNT;
  answers := answers + dropped;
  DELETE FROM kept_answer WHERE tenant_id = of_tenant;
  GET DIAGNOSTICS dropped = ROW_COUNT;
  answers := answers + dropped;
  -- What is still to be delivered is; what receivers have answered is not kept.
  DELETE FROM webhook_delivery WHERE tenant_id = of_tenant AND ended_at IS NOT NULL;
  GET DIAGNOSTICS deliveries = ROW_COUNT;
  UPDATE webhook_delivery SET response = NULL, attempt_log = '[]'
    WHERE tenant_id = of_tenant AND (response IS NOT NULL OR attempt_log <> '[]');
END $$;
