CREATE OR REPLACE FUNCTION public.end_auth_session()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO auth_session AS a (id, tenant_id, user_id, expires_at, ended_at)
  VALUES (NEW.family_id, NEW.tenant_id, NEW.user_id, NEW.expires_at, NEW.revoked_at)
  ON CONFLICT (id) DO UPDATE
    SET ended_at = COALESCE(a.ended_at, EXCLUDED.ended_at), user_agent = NULL, network = NULL;
  PERFORM pg_notify('gw_access', NEW.tenant_id::text);
  RETURN NULL;
END $function$;
ALTER ROUTINE end_auth_session() OWNER TO gw_owner;
