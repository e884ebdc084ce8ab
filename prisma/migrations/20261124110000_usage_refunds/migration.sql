-- Refunds as reports read them: each with what its charged request tells of itself, at the time when
-- it was posted. Sums of usage less these are what the ledger moved for services.

-- Refunds are few beside the lines of requests, and are found without reading those.
CREATE INDEX ledger_entry_refund ON ledger_entry (tenant_id, created_at) WHERE type = 'refund';

-- Columns have the names that they have in usage_event. Amounts are what was given back. A refund
-- that names no charge has no request, and nothing that tells it apart; it is of no sandbox. OFFSET 0
-- keeps usage from being joined as a whole: each refund looks its own request up.
CREATE VIEW usage_refund WITH (security_invoker = true) AS
  SELECT e.tenant_id, e.account_id, e.seq, e.txid, e.request_id AS refund_id, u.id, e.created_at,
    e.amount_micro, e.vat_micro, e.vat_rate_basis_points, u.project_id, u.key_id, u.user_id,
    u.operation, u.requested_model, u.model, u.provider, u.route,
    coalesce(u.simulated, false) AS simulated, u.feature, u.environment, u.client_id, u.status,
    u.metadata
  FROM ledger_entry e
  LEFT JOIN LATERAL (
    SELECT * FROM usage_event c WHERE c.tenant_id = e.tenant_id AND c.id = e.charged_request_id
    OFFSET 0
  ) u ON true
  WHERE e.type = 'refund';
GRANT SELECT ON usage_refund TO gw_app, gw_platform;

-- BI tools read refunds of their tenant, and of a line no more than what these views show.
CREATE POLICY bi_rows ON ledger_entry FOR SELECT TO gw_bi
  USING (tenant_id = (SELECT bi_tenant()) AND type = 'refund');
GRANT SELECT (
  tenant_id, type, request_id, charged_request_id, amount_micro, vat_micro, vat_rate_basis_points,
  created_at
) ON ledger_entry TO gw_bi;

-- One row for each refund, with what its charged request tells of itself; amounts in rubles.
CREATE VIEW bi_refunds WITH (security_invoker = true) AS
  SELECT e.request_id AS refund_id, e.charged_request_id AS request_id, e.created_at, u.project_id,
    u.key_id, u.operation, u.model, u.provider, u.route, coalesce(u.simulated, false) AS simulated,
    u.feature, u.environment, u.client_id,
    (e.amount_micro / 1000000.0)::numeric(20, 6) AS refunded_rub,
    ((e.amount_micro - e.vat_micro) / 1000000.0)::numeric(20, 6) AS net_refunded_rub,
    (e.vat_micro / 1000000.0)::numeric(20, 6) AS vat_refunded_rub,
    (e.vat_rate_basis_points / 100.0)::numeric(5, 2) AS vat_rate_percent
  FROM ledger_entry e
  LEFT JOIN LATERAL (
    SELECT c.project_id, c.key_id, c.operation, c.model, c.provider, c.route, c.simulated, c.feature,
      c.environment, c.client_id
    FROM usage_event c WHERE c.tenant_id = e.tenant_id AND c.id = e.charged_request_id
    OFFSET 0
  ) u ON true
  WHERE e.type = 'refund';
GRANT SELECT ON bi_refunds TO gw_bi;

-- Days of Moscow by feature, provider and model, and by client: kept sums up to the mark, the rows
-- after it and refunds by the day of their posting. What is told as an amount is what was paid.
CREATE OR REPLACE VIEW bi_usage_daily WITH (security_invoker = true) AS
  SELECT (at AT TIME ZONE 'Europe/Moscow')::date AS day, feature, provider, model, simulated,
    sum(requests)::bigint AS requests, sum(failed)::bigint AS failed,
    sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
    (sum(amount_micro) / 1000000)::numeric(20, 6) AS amount_rub,
    (sum(amount_micro - vat_micro) / 1000000)::numeric(20, 6) AS net_rub,
    (sum(vat_micro) / 1000000)::numeric(20, 6) AS vat_rub,
    (sum(amount_micro + refunded_micro) / 1000000)::numeric(20, 6) AS charged_rub,
    (sum(refunded_micro) / 1000000)::numeric(20, 6) AS refunded_rub
  FROM (
    SELECT starts_at AS at, feature, provider, model, simulated, requests, failed,
      input_uncached + input_cached + cache_write AS input_tokens,
      output_text + output_reasoning AS output_tokens, amount_micro, vat_micro, 0 AS refunded_micro
    FROM usage_rollup WHERE cube = 'feature_model' AND grain = 'day'
    UNION ALL
    SELECT at, feature, provider, model, simulated, 1, failed, input_tokens, output_tokens,
      amount_micro, vat_micro, 0
    FROM bi_recent()
    UNION ALL
    SELECT created_at, feature, provider, model, simulated, 0, 0, 0, 0,
      -(refunded_rub * 1000000)::bigint, -(vat_refunded_rub * 1000000)::bigint,
      (refunded_rub * 1000000)::bigint
    FROM bi_refunds
  ) facts
  GROUP BY 1, 2, 3, 4, 5;

CREATE OR REPLACE VIEW bi_usage_daily_by_client WITH (security_invoker = true) AS
  SELECT (at AT TIME ZONE 'Europe/Moscow')::date AS day, client_id, simulated,
    sum(requests)::bigint AS requests, sum(failed)::bigint AS failed,
    sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
    (sum(amount_micro) / 1000000)::numeric(20, 6) AS amount_rub,
    (sum(amount_micro - vat_micro) / 1000000)::numeric(20, 6) AS net_rub,
    (sum(vat_micro) / 1000000)::numeric(20, 6) AS vat_rub,
    (sum(amount_micro + refunded_micro) / 1000000)::numeric(20, 6) AS charged_rub,
    (sum(refunded_micro) / 1000000)::numeric(20, 6) AS refunded_rub
  FROM (
    SELECT starts_at AS at, client_id, simulated, requests, failed,
      input_uncached + input_cached + cache_write AS input_tokens,
      output_text + output_reasoning AS output_tokens, amount_micro, vat_micro, 0 AS refunded_micro
    FROM usage_rollup WHERE cube = 'feature_client' AND grain = 'day'
    UNION ALL
    SELECT at, client_id, simulated, 1, failed, input_tokens, output_tokens, amount_micro,
      vat_micro, 0
    FROM bi_recent()
    UNION ALL
    SELECT created_at, client_id, simulated, 0, 0, 0, 0, -(refunded_rub * 1000000)::bigint,
      -(vat_refunded_rub * 1000000)::bigint, (refunded_rub * 1000000)::bigint
    FROM bi_refunds
  ) facts
  GROUP BY 1, 2, 3;
