CREATE OR REPLACE PROCEDURE public.make_append_only(IN name regclass)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
  EXECUTE format('CREATE TRIGGER append_only_row BEFORE UPDATE OR DELETE ON %s
                  FOR EACH ROW EXECUTE FUNCTION forbid_change()', name);
  EXECUTE format('CREATE TRIGGER append_only_table BEFORE TRUNCATE ON %s
                  FOR EACH STATEMENT EXECUTE FUNCTION forbid_change()', name);
  EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER append_only_row', name);
  EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER append_only_table', name);
END $procedure$;
ALTER ROUTINE make_append_only(regclass) OWNER TO gw_owner;
