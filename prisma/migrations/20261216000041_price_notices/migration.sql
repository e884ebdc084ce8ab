-- Organizations are told once of a price row that begins later and is of a model which they use. A
-- row is written in the transaction of the event that tells it, and closed in that of the event which
-- says that the price row will not begin as it was announced. What was announced is kept, so that the
-- second event says the same figures as the first.
CREATE TABLE price_notice (
  tenant_id uuid NOT NULL,
  deployment text NOT NULL,
  effective_from date NOT NULL,
  -- Of the prices of the row and of the row before it: another one is another notice.
  prices_sha256 bytea NOT NULL CHECK (octet_length(prices_sha256) = 32),
  told jsonb NOT NULL,
  told_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  withdrawn_at timestamptz(3),
  PRIMARY KEY (tenant_id, deployment, effective_from, told_at)
);
CREATE UNIQUE INDEX price_notice_open ON price_notice
  (tenant_id, deployment, effective_from, prices_sha256) WHERE withdrawn_at IS NULL;
-- The job asks for the open ones of days to come, of all organizations.
CREATE INDEX price_notice_ahead ON price_notice (effective_from) WHERE withdrawn_at IS NULL;
CALL keep_to_tenant('price_notice', 'SELECT, INSERT');
GRANT UPDATE (withdrawn_at) ON price_notice TO gw_platform;
