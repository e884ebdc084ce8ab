-- Refunds are summed as usage is, in cells of cubes of their own: a report over a year reads no line of
-- the ledger that is older than a minute. And weeks are kept: a report by week read every day.

ALTER TABLE usage_rollup DROP CONSTRAINT usage_rollup_grain_check,
  ADD CONSTRAINT usage_rollup_grain_check CHECK (grain IN ('hour', 'day', 'week', 'month'));

-- Weeks that have ended. Refunds are read from the first one on: those of closed times go into the
-- days, weeks and months of it.
INSERT INTO usage_rollup (tenant_id, cube, grain, starts_at, cell,
  operation, route, provider, model, feature, client_id, key_id, project_id, environment,
  prompt_version, simulated, origin,
  requests, complete, partial, failed, refused, cached, input_uncached, input_cached, cache_write,
  output_text, output_reasoning, cost_micro, amount_micro, vat_micro, attempts, latency_ms, overhead_us, seq_min, seq_max,
  latency_sketch, first_token_sketch, input_sketch, output_sketch)
SELECT tenant_id, cube, 'week', date_trunc('week', starts_at, 'Europe/Moscow'), cell,
  operation, route, provider, model, feature, client_id, key_id, project_id, environment,
  prompt_version, simulated, origin,
  sum(requests)::bigint,
  sum(complete)::bigint,
  sum(partial)::bigint,
  sum(failed)::bigint,
  sum(refused)::bigint,
  sum(cached)::bigint,
  sum(input_uncached)::bigint,
  sum(input_cached)::bigint,
  sum(cache_write)::bigint,
  sum(output_text)::bigint,
  sum(output_reasoning)::bigint,
  sum(cost_micro)::bigint,
  sum(amount_micro)::bigint,
  sum(vat_micro)::bigint,
  sum(attempts)::bigint,
  sum(latency_ms)::bigint,
  sum(overhead_us)::bigint,
  min(seq_min), max(seq_max),
  usage_sketch_sum(latency_sketch), usage_sketch_sum(first_token_sketch),
  usage_sketch_sum(input_sketch), usage_sketch_sum(output_sketch)
FROM usage_rollup JOIN usage_rollup_closed USING (tenant_id)
WHERE grain = 'day' AND starts_at < date_trunc('week', until, 'Europe/Moscow')
GROUP BY tenant_id, cube, date_trunc('week', starts_at, 'Europe/Moscow'), cell,
  operation, route, provider, model, feature, client_id, key_id, project_id, environment,
  prompt_version, simulated, origin;

-- Refunds as a reader takes them, in the order of their places.
CREATE INDEX ledger_entry_refund_place ON ledger_entry (txid, seq) WHERE type = 'refund';
CREATE VIEW ledger_refund WITH (security_invoker = true) AS
  SELECT tenant_id, txid, seq FROM ledger_entry WHERE type = 'refund';
GRANT SELECT ON ledger_refund TO gw_app, gw_platform;
