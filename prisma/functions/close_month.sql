CREATE OR REPLACE PROCEDURE public.close_month(IN p_name text)
 LANGUAGE plpgsql
AS $procedure$
DECLARE part regclass := format('gw_months.%I', p_name)::regclass;
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', part);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', part);
  EXECUTE format('CREATE POLICY all_rows ON %s TO gw_owner USING (true)', part);
  EXECUTE format('CREATE TRIGGER append_only_table BEFORE TRUNCATE ON %s
                  FOR EACH STATEMENT EXECUTE FUNCTION forbid_change()', part);
  EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER append_only_table', part);
END $procedure$;
ALTER ROUTINE close_month(text) OWNER TO gw_owner;
