CREATE OR REPLACE FUNCTION public.bi_tenant()
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  SELECT tenant_id FROM bi_login WHERE login = session_user
$function$;
ALTER ROUTINE bi_tenant() OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE bi_tenant() TO gw_bi;
