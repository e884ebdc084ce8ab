-- Signing keys change while nodes serve. The key without `rotated_at` signs; one that was rotated
-- verifies until everything has expired that it has signed; one that was retired verifies nothing.
ALTER TABLE signing_key ADD COLUMN rotated_at timestamptz(3);
GRANT UPDATE (rotated_at, retired_at) ON signing_key TO gw_platform;

-- Every node reads the keys anew.
CREATE FUNCTION notify_signing_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gw_signing_keys', '');
  RETURN NULL;
END $$;
CREATE TRIGGER signing_key_change AFTER INSERT OR UPDATE ON signing_key
  FOR EACH STATEMENT EXECUTE FUNCTION notify_signing_keys();
