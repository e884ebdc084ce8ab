CREATE OR REPLACE FUNCTION public.notify_data_key_erased()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('gw_access', NEW.tenant_id::text);
  IF NEW.erased_at IS NOT NULL THEN PERFORM pg_notify('gw_erased', NEW.tenant_id::text); END IF;
  RETURN NULL;
END $function$;
ALTER ROUTINE notify_data_key_erased() OWNER TO gw_owner;
