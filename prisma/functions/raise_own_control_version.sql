CREATE OR REPLACE FUNCTION public.raise_own_control_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
  NEW.control_version := OLD.control_version + 1;
  RETURN NEW;
END $function$;
ALTER ROUTINE raise_own_control_version() OWNER TO gw_owner;
