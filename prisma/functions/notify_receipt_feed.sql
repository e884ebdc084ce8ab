CREATE OR REPLACE FUNCTION public.notify_receipt_feed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('gw_feed', NEW.tenant_id::text || ' receipts');
  RETURN NULL;
END $function$;
ALTER ROUTINE notify_receipt_feed() OWNER TO gw_owner;
