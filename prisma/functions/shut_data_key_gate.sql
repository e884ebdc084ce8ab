CREATE OR REPLACE FUNCTION public.shut_data_key_gate(of_tenant uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '1s'
AS $function$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('data_key ' || of_tenant, 0));
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $function$;
ALTER ROUTINE shut_data_key_gate(uuid) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE shut_data_key_gate(uuid) TO gw_app;
