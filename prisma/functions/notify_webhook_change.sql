CREATE OR REPLACE FUNCTION public.notify_webhook_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('gw_webhooks', '');
  RETURN NULL;
END $function$;
ALTER ROUTINE notify_webhook_change() OWNER TO gw_owner;
