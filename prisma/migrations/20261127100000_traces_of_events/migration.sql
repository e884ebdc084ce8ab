-- The trace of the request that has caused an event or a receipt, which its webhooks go on with:
-- `<trace id>-<flags>` or `<trace id>-<flags>-<span id>`. A transaction of a request that has one
-- tells it by the setting `gw.trace`, so whatever writes an event in it need not know of traces.
ALTER TABLE feed_event ADD COLUMN trace TEXT;
ALTER TABLE feed_event ALTER COLUMN trace SET DEFAULT nullif(current_setting('gw.trace', true), '');
ALTER TABLE sealed_receipt ADD COLUMN trace TEXT;
ALTER TABLE sealed_receipt
  ALTER COLUMN trace SET DEFAULT nullif(current_setting('gw.trace', true), '');

-- What happens to an approval later, on any node, goes on in the trace of the request before.
CREATE INDEX feed_event_traced ON feed_event (tenant_id, subject_id, seq) WHERE trace IS NOT NULL;
