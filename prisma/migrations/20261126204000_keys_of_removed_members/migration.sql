-- A member's keys and tokens end with the membership. Members who were removed before that was so
-- have left theirs behind: they end now, and with them what they have issued. Keys of the type
-- `service`, and what those have made, are the organization's and stay.
WITH RECURSIVE left_behind AS (
  SELECT k.id, k.tenant_id FROM app_user u
  JOIN api_key k ON k.tenant_id = u.tenant_id AND u.id IN (k.created_by, k.rotated_by)
  WHERE u.status <> 'active' AND k.key_type <> 'service'
  UNION
  SELECT k.id, k.tenant_id FROM left_behind m
  JOIN api_key k ON k.created_by = m.id AND k.tenant_id = m.tenant_id
  WHERE k.key_type <> 'service'
)
UPDATE api_key k SET revoked_at = clock_timestamp()
FROM left_behind m WHERE k.id = m.id AND k.revoked_at IS NULL;
