-- Four eyes ask who answers for a key. That member is known when a secret is made, and a later rotation
-- of the key that made it changes nothing about who holds it. So each secret keeps its member.
ALTER TABLE api_key ADD COLUMN accountable_id UUID;
ALTER TABLE key_secret ADD COLUMN accountable_id UUID;

-- The member who answers for the present secret of a key. A key of a node that does not write the
-- member yet is followed to its maker, from key to key, as all keys were before.
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
