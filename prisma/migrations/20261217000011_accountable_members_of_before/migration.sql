-- Who made the secrets of before is followed once, as it was whenever somebody asked until now.
UPDATE api_key SET accountable_id = key_member(tenant_id, id);
UPDATE key_secret s SET accountable_id = coalesce(
  (SELECT u.id FROM app_user u WHERE u.tenant_id = s.tenant_id AND u.id = s.made_by),
  key_member(s.tenant_id, s.made_by));
