-- What a key or a member has made is looked up when they end.
CREATE INDEX api_key_made_by ON api_key (tenant_id, created_by);
CREATE INDEX api_key_rotated_by ON api_key (tenant_id, rotated_by) WHERE rotated_by IS NOT NULL;
