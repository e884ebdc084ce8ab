CREATE OR REPLACE FUNCTION public.raise_control_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
  UPDATE tenant SET control_version = control_version + 1 WHERE id = NEW.tenant_id;
  RETURN NULL;
END $function$;
ALTER ROUTINE raise_control_version() OWNER TO gw_owner;
