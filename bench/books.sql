-- Writes the books of requests as the ledger would: a hold and its charge (of every fiftieth request
-- its release), the hold row, the usage row that explains it, and the balance after each line. Requests have the
-- numbers :first to :first + :requests - 1 and are :step_ms milliseconds apart, from :begin on.
WITH request AS MATERIALIZED (
  SELECT n, :begin::timestamptz + (n - 1) * :step_ms * interval '1 ms' AS at,
         n % 50 = 0 AS failed,
         100 + (n * 7919) % 1900 AS input_tokens, 10 + (n * 104729) % 990 AS output_tokens,
         (lpad(to_hex((extract(epoch FROM :begin::timestamptz) * 1000)::bigint
           + ((n - 1) * :step_ms)::bigint), 12, '0')
          || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid AS id
  FROM generate_series(:first::bigint, :first::bigint + :requests::bigint - 1) AS n
), costed AS MATERIALIZED (
  -- 200 RUB for a million tokens of the prompt and 800 of the answer, half-even.
  SELECT *, CASE WHEN failed THEN 0 ELSE round_half_even END AS cost,
         (at AT TIME ZONE 'Europe/Moscow')::date AS day
  FROM request CROSS JOIN LATERAL (
    SELECT div(total, 1000000) + CASE WHEN mod(total, 1000000) > 500000
      OR (mod(total, 1000000) = 500000 AND mod(div(total, 1000000), 2) = 1) THEN 1 ELSE 0 END
      AS round_half_even
    FROM (SELECT (input_tokens * 200000000 + output_tokens * 800000000)::numeric AS total) sum
  ) cost
), taxed AS MATERIALIZED (
  SELECT *, CASE WHEN day < '2026-01-01' THEN 2000 ELSE 2200 END AS rate,
         sum(cost) OVER (ORDER BY n) AS spent
  FROM costed
), vat AS MATERIALIZED (
  SELECT *, div(2 * cost * rate + 10000 + rate, 2 * (10000 + rate)) AS vat FROM taxed
), funds AS MATERIALIZED (
  SELECT posted_micro AS posted, version FROM account WHERE id = :account
), held AS (
  INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id, contra,
    amount_micro, posted_delta, held_delta, posted_after, held_after, created_at)
  SELECT :account, version + 2 * (n - :first) + 1, :tenant, 'hold', id, 'held', cost + 1000, 0,
         cost + 1000, posted - spent + cost, cost + 1000, at
  FROM vat, funds
), ended AS (
  INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id, contra,
    amount_micro, posted_delta, held_delta, posted_after, held_after, vat_rate_basis_points,
    vat_micro, created_at)
  SELECT :account, version + 2 * (n - :first) + 2, :tenant,
         CASE WHEN failed THEN 'release' ELSE 'finalize' END, id,
         CASE WHEN failed THEN 'held' ELSE 'revenue' END,
         CASE WHEN failed THEN cost + 1000 ELSE cost END, -cost, -cost - 1000, posted - spent, 0,
         CASE WHEN NOT failed THEN rate END, CASE WHEN failed THEN 0 ELSE vat END,
         at + interval '400 ms'
  FROM vat, funds
), reserved AS (
  INSERT INTO hold (account_id, request_id, tenant_id, amount_micro, state, charged_micro, node_id,
    epoch, created_at)
  SELECT :account, id, :tenant, cost + 1000, CASE WHEN failed THEN 'released' ELSE 'delivered' END,
         CASE WHEN NOT failed THEN cost END, 'bench', 1, at
  FROM vat
), used AS (
  INSERT INTO usage_event (tenant_id, id, account_id, project_id, operation, requested_model, model,
    provider, route, simulated, input_uncached, input_cached, cache_write, output_text,
    output_reasoning, usage_source, prices, cost_micro, amount_micro, vat_rate_basis_points,
    vat_micro, status, http_status, streamed, latency_ms, overhead_us, attempts, policy_versions,
    data_class, firewall_findings, metadata, created_at)
  SELECT :tenant, id, :account, :project, 'chat', 'model-' || n % 7, 'model-' || n % 7, 'bench',
         'RU', false, CASE WHEN failed THEN 0 ELSE input_tokens END, 0, 0,
         CASE WHEN failed THEN 0 ELSE output_tokens END, 0, 'upstream',
         '{"effective_from": "2025-01-01", "input_uncached": "200000000",
           "input_cached": "200000000", "cache_write": "200000000", "output_text": "800000000",
           "output_reasoning": "800000000"}',
         cost, cost, rate, vat, CASE WHEN failed THEN 'failed' ELSE 'complete' END,
         CASE WHEN failed THEN 503 ELSE 200 END, false, 400, 150, 1, '{}', 'C0', '{}', '{}',
         at + interval '400 ms'
  FROM vat
)
UPDATE account SET posted_micro = posted_micro - (SELECT max(spent) FROM vat),
  version = account.version + 2 * :requests::bigint
WHERE id = :account;
