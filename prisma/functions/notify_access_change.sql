-- What each node holds in memory of a tenant (keys, members, policies) is dropped when any of it
-- changes. The payload is the tenant.
CREATE OR REPLACE FUNCTION public.notify_access_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE changed uuid;
BEGIN
  IF TG_TABLE_NAME = 'tenant' THEN changed := NEW.id; ELSE changed := NEW.tenant_id; END IF;
  PERFORM pg_notify('gw_access', changed::text);
  RETURN NULL;
END $function$;
ALTER ROUTINE notify_access_change() OWNER TO gw_owner;
