CREATE OR REPLACE FUNCTION public.verified_publisher_names()
 RETURNS TABLE(tenant_id uuid, legal_name text, is_approved boolean, proved_domain text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  SELECT i.tenant_id, i.legal_name, coalesce(i.approved_until > clock_timestamp(), false),
    CASE WHEN i.proved_until > clock_timestamp() THEN i.domain END
  FROM public.publisher_identity i
  WHERE i.withdrawn_at IS NULL AND i.revoked_at IS NULL AND i.decision IS DISTINCT FROM 'denied'
    AND (i.approved_until > clock_timestamp() OR i.proved_until > clock_timestamp())
$function$;
ALTER ROUTINE verified_publisher_names() OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE verified_publisher_names() TO gw_app, gw_platform;
