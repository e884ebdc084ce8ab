// How long reports take over a tenant of many generated requests: a database of its own, filled
// past the ledger, brought forward by the gateway's own worker, and asked over HTTP.
//
//   node bench/reports.mjs [--rows 5000000] [--rounds 40] [--data /tmp/gateway-reports]
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { cpu, tree, used } from './lib/proc.mjs';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '40' },
    data: { type: 'string', default: '/tmp/gateway-reports' },
    port: { type: 'string', default: '18790' },
  },
});
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const rows = Number(options.rows);
const rounds = Number(options.rounds);
const base = `http://127.0.0.1:${options.port}`;

/** Starts the gateway as it is served, with its embedded database in the folder. */
async function startGateway() {
  mkdirSync(options.data, { recursive: true });
  const child = spawn(process.execPath, [join(ROOT, 'tools', 'serve.mjs')], {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: options.port,
      HOST: '127.0.0.1',
      GW_DATA_DIR: options.data,
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (let tries = 0; tries < 300; tries += 1) {
    const isThere = await fetch(`${base}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return child;
    await sleep(200);
  }
  throw new Error('the gateway does not start');
}

async function post(path, body, credential) {
  const headers = {
    'content-type': 'application/json',
    ...(credential && { authorization: `Bearer ${credential}` }),
  };
  const answer = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** The embedded database past the gateway, by its socket. */
function openDatabase() {
  const host = join(options.data, 'postgres', 'socket');
  return new pg.Client({ host, user: 'postgres', database: 'postgres' });
}

/** A year of requests: 20 features, 30 clients, 6 models, 8 keys, 40 versions of prompts. */
const GENERATE = `INSERT INTO usage_event (
    tenant_id, id, account_id, project_id, key_id, operation, requested_model, model, provider,
    route, simulated, feature, environment, client_id, input_uncached, input_cached, cache_write,
    output_text, output_reasoning, usage_source, prices, cost_micro, amount_micro,
    vat_rate_basis_points, vat_micro, status, http_status, finish_reason, streamed, latency_ms,
    time_to_first_token_ms, overhead_us, attempts, policy_versions, data_class, firewall_findings,
    metadata, created_at)
  SELECT $1, gen_random_uuid(), $1, $1, ('00000000-0000-7000-8000-00000000000' || n % 8)::uuid,
    'chat', 'gw:auto', 'model-' || h % 6, 'provider-' || h % 3, 'RU', false, 'feature-' || h % 20,
    CASE n % 3 WHEN 0 THEN 'prod' WHEN 1 THEN 'stage' END, 'client-' || (h / 7) % 30,
    200 + h % 3000, 0, 0, 50 + h % 700, 0, 'upstream', '{}', 5000 + h % 90000, 5000 + h % 90000,
    2200, (5000 + h % 90000) * 22 / 122, CASE WHEN h % 97 = 0 THEN 'partial' ELSE 'complete' END,
    200, 'stop', true, 300 + h % 9000, 100 + h % 900, 350, 1, '{}', 'C0', '{}',
    jsonb_build_object('gw_prompt', jsonb_build_object('prompt_key', 'p' || h % 10, 'version',
      1 + h % 4)),
    now() - interval '365 days' + (n::float8 / $4) * interval '365 days'
  FROM (SELECT n, abs(hashint8(n::bigint))::bigint AS h
    FROM generate_series($2::int, $3::int) n) made`;

/** The worker sums nothing meanwhile: it waits for a transaction that is open. */
async function generate(tenantId) {
  const client = openDatabase();
  const holder = openDatabase();
  await Promise.all([client.connect(), holder.connect()]);
  await holder.query('BEGIN');
  await holder.query('SELECT pg_current_xact_id()');
  const step = 100_000;
  for (let from = 0; from < rows; from += step) {
    await client.query(GENERATE, [tenantId, from, Math.min(from + step, rows) - 1, rows]);
    process.stdout.write(`\rgenerated ${Math.min(from + step, rows)} of ${rows}`);
  }
  await client.query('VACUUM ANALYZE usage_event');
  await client.query('CHECKPOINT');
  await client.end();
  const before = cpu(await servers());
  await holder.end();
  return before;
}

/** The processes of the database. */
async function servers() {
  const pidFile = join(options.data, 'postgres', 'cluster', 'postmaster.pid');
  return tree([Number(readFileSync(pidFile, 'latin1').split('\n')[0])]);
}

/** Waits until every row is summed. @param before what the processes of the database had used */
async function broughtForward(before) {
  const client = openDatabase();
  await client.connect();
  const started = performance.now();
  for (;;) {
    const { rows: found } = await client.query(
      `SELECT (SELECT (txid, seq) FROM reader_mark WHERE name = 'usage_rollup') =
         (SELECT (txid, seq) FROM usage_event ORDER BY txid DESC, seq DESC LIMIT 1) AS done`,
    );
    if (found[0]?.done) break;
    await sleep(500);
  }
  const us = before ? used(before, cpu(await servers())).cpuUs / rows : undefined;
  await client.query('VACUUM ANALYZE usage_rollup');
  const { rows: cells } = await client.query(
    `SELECT count(*)::int AS cells, pg_size_pretty(pg_total_relation_size('usage_rollup')) AS size,
       pg_size_pretty(pg_total_relation_size('usage_event')) AS raw FROM usage_rollup`,
  );
  await client.end();
  const seconds = Math.round((performance.now() - started) / 1_000);
  return { seconds, us, ...cells[0] };
}

const day = (back) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
const YEAR = `from=${day(364)}`;

const REPORTS = [
  ['cost/summary, a year', `/v1/gw/cost/summary?${YEAR}`],
  ['cost/summary, a year by month', `/v1/gw/cost/summary?${YEAR}&granularity=month`],
  ['cost/by-feature, a year', `/v1/gw/cost/by-feature?${YEAR}`],
  ['cost/by-client, a year by week', `/v1/gw/cost/by-client?${YEAR}&granularity=week`],
  ['slo/summary, a year', `/v1/gw/slo/summary?${YEAR}`],
  ['observability/summary, a year', `/v1/gw/observability/summary?${YEAR}`],
  ['observability/drift', '/v1/gw/observability/drift'],
  ['observability/metrics', '/v1/gw/observability/metrics'],
];

const quantile = (sorted, share) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;

const gateway = await startGateway();
try {
  const member = { email: 'bench@example.test', password: 'correct horse battery' };
  const organization = 'Bench';
  // A folder that was filled before is asked again as it is.
  const fresh = await post('/auth/register', { ...member, organization }).catch(() => undefined);
  const { accessToken } = fresh ?? (await post('/auth/login', member));
  const { key } = await post('/api-keys', { keyType: 'service', name: 'bench' }, accessToken);
  const before = fresh ? await generate(fresh.tenant.id) : undefined;
  const made = await broughtForward(before);
  const lines = [
    `${rows} requests (${made.raw}); ${made.cells} cells (${made.size}), ` +
      `ready ${made.seconds} s after the last row` +
      (made.us === undefined ? '' : `, for ${made.us.toFixed(1)} µs of database CPU a row`),
    '',
    '| Report | p50 ms | p95 ms | bytes |',
    '| --- | --- | --- | --- |',
  ];
  for (const [name, path] of REPORTS) {
    const times = [];
    let bytes = 0;
    for (let round = 0; round < rounds + 3; round += 1) {
      const started = performance.now();
      const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
      if (round >= 3) times.push(performance.now() - started);
      bytes = text.length;
    }
    times.sort((a, b) => a - b);
    const [p50, p95] = [0.5, 0.95].map((share) => quantile(times, share).toFixed(1));
    lines.push(`| ${name} | ${p50} | ${p95} | ${bytes} |`);
  }
  const text = `${lines.join('\n')}\n`;
  process.stdout.write(`\n${text}`);
  writeFileSync(join(options.data, 'report.md'), text);
} finally {
  gateway.kill('SIGTERM');
}
