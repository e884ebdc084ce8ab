-- A batch of usage writes the cells of the finest grain of each cube alone, and not those of its day
-- and its month too. Days are made of hours and months of days once, when the tenant has come to a
-- later day. Whatever commits late into such a closed time is added to its day and month as well.

-- Up to when the days of a tenant stand as cells, and the months that end by then: the begin of a day
-- in Moscow. It only moves on.
CREATE TABLE usage_rollup_closed (
  tenant_id uuid PRIMARY KEY,
  until timestamptz(3) NOT NULL
);
CALL keep_to_tenant('usage_rollup_closed', 'SELECT, INSERT, UPDATE, DELETE');
REVOKE INSERT, UPDATE, DELETE ON usage_rollup_closed FROM gw_app;

-- Sums are made anew from the rows.
TRUNCATE usage_rollup;
DELETE FROM reader_mark WHERE name = 'usage_rollup';

-- Days of clients: those of this cube are written with each batch.
CREATE OR REPLACE VIEW bi_usage_daily_by_client WITH (security_invoker = true) AS
  SELECT (at AT TIME ZONE 'Europe/Moscow')::date AS day, client_id, simulated,
    sum(requests)::bigint AS requests, sum(failed)::bigint AS failed,
    sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
    (sum(amount_micro) / 1000000)::numeric(20, 6) AS amount_rub,
    (sum(amount_micro - vat_micro) / 1000000)::numeric(20, 6) AS net_rub,
    (sum(vat_micro) / 1000000)::numeric(20, 6) AS vat_rub
  FROM (
    SELECT starts_at AS at, client_id, simulated, requests, failed,
      input_uncached + input_cached + cache_write AS input_tokens,
      output_text + output_reasoning AS output_tokens, amount_micro, vat_micro
    FROM usage_rollup WHERE cube = 'feature_client' AND grain = 'day'
    UNION ALL
    SELECT at, client_id, simulated, 1, failed, input_tokens, output_tokens, amount_micro, vat_micro
    FROM bi_recent()
  ) facts
  GROUP BY 1, 2, 3;
