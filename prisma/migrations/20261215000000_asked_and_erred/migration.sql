-- Rates are over what a provider was asked, and errors are those that no client has made: both are
-- summed beside the rest. Of cells from before it is not known which of their requests had attempts and
-- whose fault a failure was: what no cache answered counts as asked, a failure as an error, as it did.
ALTER TABLE usage_rollup
  ADD COLUMN asked bigint NOT NULL DEFAULT 0,
  ADD COLUMN answered bigint NOT NULL DEFAULT 0,
  ADD COLUMN answered_latency_ms bigint NOT NULL DEFAULT 0,
  ADD COLUMN erred bigint NOT NULL DEFAULT 0;
