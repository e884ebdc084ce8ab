CREATE OR REPLACE FUNCTION public.enter_data_key_gate(of_tenant uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  SELECT pg_advisory_xact_lock_shared(hashtextextended('data_key ' || of_tenant, 0));
$function$;
ALTER ROUTINE enter_data_key_gate(uuid) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE enter_data_key_gate(uuid) TO gw_app, gw_platform;
