CREATE OR REPLACE PROCEDURE public.confirm_by_hold(IN name regclass, IN condition text DEFAULT 'true'::text)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
  EXECUTE format('CREATE CONSTRAINT TRIGGER control_change AFTER INSERT OR UPDATE ON %s
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (%s)
    EXECUTE FUNCTION raise_control_version()', name, condition);
END $procedure$;
ALTER ROUTINE confirm_by_hold(regclass,text) OWNER TO gw_owner;
