-- Closes a table of tenants and gives the application exactly these rights on it. The tenant is
-- read once for a statement. The setting is empty, and not null, after a transaction that had one.
CREATE OR REPLACE PROCEDURE public.keep_to_tenant(IN name regclass, IN rights text, IN tenant_column text DEFAULT 'tenant_id'::text)
 LANGUAGE plpgsql
AS $procedure$
DECLARE sequence text;
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
  EXECUTE format('CREATE POLICY own_rows ON %s TO gw_app USING (%I =
    (SELECT nullif(current_setting(''gw.tenant_id'', true), '''')::uuid))', name, tenant_column);
  EXECUTE format('CREATE POLICY all_rows ON %s TO gw_platform, gw_ledger, gw_owner
    USING (true)', name);
  EXECUTE format('GRANT %s ON %s TO gw_app, gw_platform', rights, name);
  IF rights ILIKE '%insert%' THEN
    FOR sequence IN
      SELECT pg_get_serial_sequence(name::text, attname) FROM pg_attribute
      WHERE attrelid = name AND attnum > 0 AND NOT attisdropped
        AND pg_get_serial_sequence(name::text, attname) IS NOT NULL
    LOOP
      EXECUTE format('GRANT USAGE ON SEQUENCE %s TO gw_app, gw_platform', sequence);
    END LOOP;
  END IF;
END $procedure$;
ALTER ROUTINE keep_to_tenant(regclass,text,text) OWNER TO gw_owner;
