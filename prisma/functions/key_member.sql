-- The member who answers for the present secret of a key, as it was known when that was made. A key
-- of a node that did not write the member is followed to its maker, from key to key; each of them has
-- one holder, so there is one member or none.
CREATE OR REPLACE FUNCTION public.key_member(tenant uuid, key uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
  WITH RECURSIVE holder AS (
    SELECT coalesce(accountable_id, rotated_by, created_by) AS id FROM api_key
    WHERE tenant_id = tenant AND id = key
    UNION
    SELECT coalesce(k.accountable_id, k.rotated_by, k.created_by) FROM api_key k
    JOIN holder h ON k.id = h.id WHERE k.tenant_id = tenant)
  SELECT u.id FROM app_user u JOIN holder h ON h.id = u.id WHERE u.tenant_id = tenant
$function$;
ALTER ROUTINE key_member(uuid,uuid) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE key_member(uuid,uuid) TO gw_app, gw_platform;
