CREATE OR REPLACE FUNCTION public.require_data_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
END $function$;
ALTER ROUTINE require_data_key() OWNER TO gw_owner;
