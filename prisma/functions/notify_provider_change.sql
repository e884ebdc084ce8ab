CREATE OR REPLACE FUNCTION public.notify_provider_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('gw_fleet', NEW.seq::text);
  RETURN NULL;
END $function$;
ALTER ROUTINE notify_provider_change() OWNER TO gw_owner;
