-- Wakes the readers of a feed; the payload is the tenant and the feed.
CREATE OR REPLACE FUNCTION public.notify_feed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('gw_feed', NEW.tenant_id::text || ' ' || NEW.feed);
  RETURN NULL;
END $function$;
ALTER ROUTINE notify_feed() OWNER TO gw_owner;
