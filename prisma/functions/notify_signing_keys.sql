CREATE OR REPLACE FUNCTION public.notify_signing_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('gw_signing_keys', '');
  RETURN NULL;
END $function$;
ALTER ROUTINE notify_signing_keys() OWNER TO gw_owner;
