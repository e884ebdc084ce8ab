-- Keys that work although a key which led to them was revoked: each is told of once in the feed of
-- anomalies, and once more when it has ended. A row is written when a key is found, and closed when it
-- has ended; a key that works again after its end, by a later expiry, is found anew.
CREATE TABLE key_outliving (
  tenant_id uuid NOT NULL,
  key_id uuid NOT NULL,
  -- The nearest revoked key on the way from the key to who made the first of its line.
  revoked_id uuid NOT NULL,
  found_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  cleared_at timestamptz(3),
  PRIMARY KEY (tenant_id, key_id, found_at)
);
CREATE UNIQUE INDEX key_outliving_open ON key_outliving (tenant_id, key_id)
  WHERE cleared_at IS NULL;
CALL keep_to_tenant('key_outliving', 'SELECT, INSERT');
GRANT UPDATE (cleared_at) ON key_outliving TO gw_app, gw_platform;
