CREATE OR REPLACE PROCEDURE public.seal_columns(IN name regclass, IN columns text[], IN which text DEFAULT 'true'::text)
 LANGUAGE plpgsql
AS $procedure$
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
END $procedure$;
ALTER ROUTINE seal_columns(regclass,text[],text) OWNER TO gw_owner;
