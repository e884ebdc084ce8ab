-- What waits already, asked for by an agent's key or by a key that a key made, gets the member
-- behind it, and the setting of its organization.
UPDATE approval SET accountable_id = coalesce(key_member(tenant_id, requested_by), accountable_id)
WHERE status = 'pending';
UPDATE approval a SET four_eyes = true FROM tenant t
WHERE t.id = a.tenant_id AND t.four_eyes_always AND a.status = 'pending';
