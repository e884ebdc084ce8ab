-- Views for BI tools that speak SQL. A login of the role gw_bi reads them and nothing else, and sees
-- the rows of the one tenant that its name is bound to: row security asks who has logged in, which
-- no SQL can change, and not a setting.

-- The start has made the role; Prisma's own command line, which does not know it, has not.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gw_bi') THEN CREATE ROLE gw_bi NOLOGIN; END IF;
END $$;

-- Which tenant a login reads. Operators alone write it, past the application.
CREATE TABLE bi_login (
  login text PRIMARY KEY,
  tenant_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX bi_login_tenant_id_idx ON bi_login (tenant_id);
CALL keep_to_tenant('bi_login', 'SELECT');

-- The tenant of the login of this session; null, and so no row, for one that is bound to none.
CREATE FUNCTION bi_tenant() RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT tenant_id FROM bi_login WHERE login = session_user
$$;
GRANT EXECUTE ON FUNCTION bi_tenant() TO gw_bi;

CREATE POLICY bi_rows ON usage_event FOR SELECT TO gw_bi USING (tenant_id = (SELECT bi_tenant()));
CREATE POLICY bi_rows ON usage_rollup FOR SELECT TO gw_bi USING (tenant_id = (SELECT bi_tenant()));

-- Metadata alone, and of it what reports tell apart: no column holds what clients have written.
GRANT SELECT (
  tenant_id, id, seq, txid, project_id, key_id, operation, requested_model, model, provider, route,
  simulated, feature, environment, client_id, input_uncached, input_cached, cache_write, output_text,
  output_reasoning, amount_micro, vat_micro, vat_rate_basis_points, cost_micro, status, error_code,
  http_status, latency_ms, time_to_first_token_ms, created_at
) ON usage_event TO gw_bi;
GRANT SELECT (
  tenant_id, cube, grain, starts_at, feature, client_id, provider, model, simulated, requests, failed,
  input_uncached, input_cached, cache_write, output_text, output_reasoning, amount_micro, vat_micro
) ON usage_rollup TO gw_bi;
GRANT SELECT ON reader_mark TO gw_bi;

-- The requests after the mark of the sums, which are few. The mark is read first and stands in the
-- statement: the planner guesses that a third of a table stands after a mark that it does not know.
CREATE FUNCTION bi_recent() RETURNS TABLE (
  at timestamptz, feature text, client_id text, provider text, model text, simulated boolean,
  failed bigint, input_tokens bigint, output_tokens bigint, amount_micro bigint, vat_micro bigint
) LANGUAGE plpgsql STABLE AS $$
DECLARE mark public.reader_mark;
BEGIN
  SELECT * INTO mark FROM public.reader_mark m WHERE m.name = 'usage_rollup';
  RETURN QUERY EXECUTE format('SELECT created_at, feature, client_id, provider, model, simulated,
      (status = ''failed'')::int::bigint,
      (input_uncached + input_cached + cache_write)::bigint,
      (output_text + output_reasoning)::bigint, amount_micro, vat_micro
    FROM public.usage_event WHERE (txid, seq) > (%s, %s)',
    coalesce(mark.txid, 0), coalesce(mark.seq, 0));
END $$;
GRANT EXECUTE ON FUNCTION bi_recent() TO gw_bi;

-- One row for each request; amounts in rubles.
CREATE VIEW bi_requests WITH (security_invoker = true) AS
  SELECT id AS request_id, created_at, project_id, key_id, operation, requested_model, model,
    provider, route, simulated, feature, environment, client_id,
    input_uncached + input_cached + cache_write AS input_tokens,
    input_cached AS cached_input_tokens, output_text + output_reasoning AS output_tokens,
    (amount_micro / 1000000.0)::numeric(20, 6) AS amount_rub,
    ((amount_micro - vat_micro) / 1000000.0)::numeric(20, 6) AS net_rub,
    (vat_micro / 1000000.0)::numeric(20, 6) AS vat_rub,
    (vat_rate_basis_points / 100.0)::numeric(5, 2) AS vat_rate_percent,
    status, error_code, http_status, latency_ms, time_to_first_token_ms
  FROM usage_event;

-- Days of Moscow by feature, provider and model: kept sums up to the mark and the rows after it, so
-- that they equal the requests to the micro-ruble.
CREATE VIEW bi_usage_daily WITH (security_invoker = true) AS
  SELECT (at AT TIME ZONE 'Europe/Moscow')::date AS day, feature, provider, model, simulated,
    sum(requests)::bigint AS requests, sum(failed)::bigint AS failed,
    sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
    (sum(amount_micro) / 1000000)::numeric(20, 6) AS amount_rub,
    (sum(amount_micro - vat_micro) / 1000000)::numeric(20, 6) AS net_rub,
    (sum(vat_micro) / 1000000)::numeric(20, 6) AS vat_rub
  FROM (
    SELECT starts_at AS at, feature, provider, model, simulated, requests, failed,
      input_uncached + input_cached + cache_write AS input_tokens,
      output_text + output_reasoning AS output_tokens, amount_micro, vat_micro
    FROM usage_rollup WHERE cube = 'feature_model' AND grain = 'day'
    UNION ALL
    SELECT at, feature, provider, model, simulated, 1, failed, input_tokens, output_tokens, amount_micro, vat_micro
    FROM bi_recent()
  ) facts
  GROUP BY 1, 2, 3, 4, 5;

-- The same by client, for re-invoicing.
CREATE VIEW bi_usage_daily_by_client WITH (security_invoker = true) AS
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
    FROM usage_rollup WHERE cube = 'client' AND grain = 'day'
    UNION ALL
    SELECT at, client_id, simulated, 1, failed, input_tokens, output_tokens, amount_micro, vat_micro
    FROM bi_recent()
  ) facts
  GROUP BY 1, 2, 3;

GRANT SELECT ON bi_requests, bi_usage_daily, bi_usage_daily_by_client TO gw_bi;
