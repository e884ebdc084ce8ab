-- Sealed receipts are a feed of their own: positions of a tenant are given one after the other, up to
-- the end of each transaction, so what stands behind a position has been committed. Only its readers
-- need to be woken.
CREATE FUNCTION notify_receipt_feed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gw_feed', NEW.tenant_id::text || ' receipts');
  RETURN NULL;
END $$;
ALTER FUNCTION notify_receipt_feed() OWNER TO gw_owner;
CREATE TRIGGER receipt_feed_wake AFTER INSERT ON sealed_receipt
  FOR EACH ROW EXECUTE FUNCTION notify_receipt_feed();
