-- The second pair of eyes cannot be those behind the key that asked: whoever created a key, or
-- rotated it last, holds its value. And what waits under the setting "four eyes always" keeps it,
-- so that nobody turns the setting off to approve their own request.
ALTER TABLE api_key ADD COLUMN rotated_by UUID;
ALTER TABLE approval ADD COLUMN four_eyes BOOLEAN NOT NULL DEFAULT false;

-- The member who answers for a key. A key may have been made by another key, so the way to the
-- member goes from key to key; each of them has one holder, so there is one member or none.
CREATE FUNCTION key_member(tenant uuid, key uuid) RETURNS uuid LANGUAGE sql STABLE AS $$
  WITH RECURSIVE holder AS (
    SELECT coalesce(rotated_by, created_by) AS id FROM api_key
    WHERE tenant_id = tenant AND id = key
    UNION
    SELECT coalesce(k.rotated_by, k.created_by) FROM api_key k
    JOIN holder h ON k.id = h.id WHERE k.tenant_id = tenant)
  SELECT u.id FROM app_user u JOIN holder h ON h.id = u.id WHERE u.tenant_id = tenant
$$;
