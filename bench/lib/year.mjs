// Requests of generated tenants, written past the ledger a few days at a time.

/** Micro-rubles for a million tokens, as rows of usage have them. */
const PRICES = JSON.stringify({
  effective_from: '2025-01-01',
  input_uncached: '20000000',
  input_cached: '20000000',
  cache_write: '20000000',
  output_text: '80000000',
  output_reasoning: '80000000',
});

/**
 * Requests of a tenant: 20 features, 6 models, 8 keys, 40 versions of prompts, and clients as they
 * are asked for, evenly over some days. Parameters: the tenant, the first and the last number, how
 * many there are in all, clients, the begin and the days.
 */
const GENERATE = `INSERT INTO usage_event (
    tenant_id, id, account_id, project_id, key_id, operation, requested_model, model, provider,
    route, simulated, feature, environment, client_id, input_uncached, input_cached, cache_write,
    output_text, output_reasoning, usage_source, prices, cost_micro, amount_micro,
    vat_rate_basis_points, vat_micro, status, http_status, finish_reason, streamed, latency_ms,
    time_to_first_token_ms, overhead_us, attempts, policy_versions, data_class, firewall_findings,
    metadata, created_at)
  SELECT $1, gen_random_uuid(), $1, $1, ('00000000-0000-7000-8000-00000000000' || n % 8)::uuid,
    'chat', 'gw:auto', 'model-' || h % 6, 'provider-' || h % 3, 'RU', false,
    'feature-' || CASE WHEN $5 > 1000 THEN 0 ELSE h % 20 END,
    CASE n % 3 WHEN 0 THEN 'prod' WHEN 1 THEN 'stage' END,
    'client-' || CASE WHEN $5 > 1000 THEN n % $5 ELSE (h / 7) % $5 END,
    200 + h % 3000, 0, 0, 50 + h % 700, 0, 'upstream', '${PRICES}', 5000 + h % 90000,
    5000 + h % 90000, 2200, (5000 + h % 90000) * 22 / 122,
    CASE WHEN h % 97 = 0 THEN 'partial' ELSE 'complete' END,
    200, 'stop', true, 300 + h % 9000, 100 + h % 900, 350, 1, '{}', 'C0', '{}',
    jsonb_build_object('gw_prompt', jsonb_build_object('prompt_key', 'p' || h % 10, 'version',
      1 + h % 4)),
    $6::timestamptz + (n::float8 / $4) * $7 * interval '1 day'
  FROM (SELECT n, abs(hashint8(n::bigint))::bigint AS h
    FROM generate_series($2::int, $3::int) n) made`;

/** One of a thousand requests is refunded a day later, as a recovery does. */
const REFUND = `INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id,
    charged_request_id, contra, amount_micro, posted_delta, held_delta, posted_after, held_after,
    vat_rate_basis_points, vat_micro, created_at)
  SELECT $1, 1000000 + seq, $1, 'refund', gen_random_uuid(), id,
    'refunds', amount_micro, amount_micro, 0, 0, 0, 2200, vat_micro, created_at + interval '1 day'
  FROM usage_event WHERE tenant_id = $1 AND seq > $2 AND seq % 1000 = 0
    AND created_at < now() - interval '2 days'`;

/** The watch and the proof of the books have a benchmark of their own: they begin behind this. */
const PASS_OVER = `INSERT INTO reader_mark (name, txid, seq)
  SELECT name, pg_current_xact_id()::text::bigint, last_value
  FROM usage_event_seq_seq, unnest(ARRAY['spend_watch', 'integrity_usage']) AS name
  UNION ALL
  SELECT 'integrity_ledger', pg_current_xact_id()::text::bigint, last_value
  FROM ledger_entry_seq_seq
  ON CONFLICT (name) DO UPDATE SET txid = excluded.txid, seq = excluded.seq, moved_at = now()`;

/** Days that are written together: weeks at first, single days at the end, as they would come. */
export function slicesOf({ days, requests }) {
  const ends = [];
  for (let day = 0; day < days; ) {
    day = Math.min(days, day + (days - day > 20 ? 10 : 1));
    ends.push(Math.round((requests * day) / days));
  }
  return ends.map((end, index) => [ends[index - 1] ?? 0, end]);
}

/** Writes requests of one tenant with their refunds, in one transaction. */
export async function writeSlice(
  client,
  { tenantId, requests, clients, from, days },
  [first, end],
) {
  await client.query('BEGIN');
  const { rows: at } = await client.query('SELECT last_value FROM usage_event_seq_seq');
  await client.query(GENERATE, [tenantId, first, end - 1, requests, clients, from, days]);
  await client.query(REFUND, [tenantId, at[0].last_value]);
  await client.query(PASS_OVER);
  await client.query('COMMIT');
}
