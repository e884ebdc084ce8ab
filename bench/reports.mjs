// How long reports take over a tenant of many generated requests: a database of its own, filled
// past the ledger, brought forward by the gateway's own worker, and asked over HTTP.
//
//   node bench/reports.mjs [--rows 5000000] [--rounds 40] [--groups 300000] [--data /tmp/…]
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
    groups: { type: 'string', default: '300000' },
    pages: { type: 'string', default: '1000' },
    data: { type: 'string', default: '/tmp/gateway-reports' },
    port: { type: 'string', default: '18790' },
  },
});
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const rows = Number(options.rows);
const rounds = Number(options.rounds);
const SMALL_ROWS = 10_000;
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
  SELECT $1, 1000000 + row_number() OVER (ORDER BY seq), $1, 'refund', gen_random_uuid(), id,
    'refunds', amount_micro, amount_micro, 0, 0, 0, 2200, vat_micro, created_at + interval '1 day'
  FROM usage_event WHERE tenant_id = $1 AND seq % 1000 = 0
    AND created_at < now() - interval '2 days'`;

const YEAR_DAYS = 365;
const yearAgo = new Date(Date.now() - YEAR_DAYS * 86_400_000);
/** A whole day of Moscow that is over. */
const dayOfGroups = new Date(Math.floor(Date.now() / 86_400_000 - 2) * 86_400_000 - 3 * 3_600_000);

/** Who is filled: a name, requests, and over which clients and days. */
const TENANTS = [
  { name: 'large', requests: rows, clients: 30, from: yearAgo, days: YEAR_DAYS },
  { name: 'small', requests: SMALL_ROWS, clients: 30, from: yearAgo, days: YEAR_DAYS },
  ...[30_000, 300_000]
    .filter((groups) => groups <= Number(options.groups))
    .map((groups) => ({
      name: `groups-${groups}`,
      requests: groups,
      clients: groups,
      from: dayOfGroups,
      days: 0.999,
    })),
];

/** The worker sums nothing meanwhile: it waits for a transaction that is open. */
async function generate(tenants) {
  const client = openDatabase();
  const holder = openDatabase();
  await Promise.all([client.connect(), holder.connect()]);
  await holder.query('BEGIN');
  await holder.query('SELECT pg_current_xact_id()');
  const step = 100_000;
  for (const { tenantId, name, requests, clients, from, days } of tenants) {
    for (let first = 0; first < requests; first += step) {
      const last = Math.min(first + step, requests) - 1;
      await client.query(GENERATE, [tenantId, first, last, requests, clients, from, days]);
      process.stdout.write(`\r${name}: generated ${last + 1} of ${requests}   `);
    }
  }
  await client.query('VACUUM ANALYZE usage_event');
  for (const { tenantId } of tenants) await client.query(REFUND, [tenantId]);
  await client.query('VACUUM ANALYZE ledger_entry');
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

const rowsOfAll = TENANTS.reduce((sum, { requests }) => sum + requests, 0);

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
  const us = before ? used(before, cpu(await servers())).cpuUs / rowsOfAll : undefined;
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

/** Registers a tenant, or finds the one of a folder that was filled before. */
async function tenantOf(tenant) {
  const member = { email: `${tenant.name}@example.test`, password: 'correct horse battery' };
  const organization = `Bench ${tenant.name}`;
  const fresh = await post('/auth/register', { ...member, organization }).catch(() => undefined);
  const { accessToken } = fresh ?? (await post('/auth/login', member));
  const { key } = await post('/api-keys', { keyType: 'service', name: 'bench' }, accessToken);
  return { ...tenant, key, tenantId: fresh?.tenant.id };
}

async function get(path, { key }) {
  const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

/** The times of many calls in milliseconds, in ascending order. */
async function timesOf(path, who) {
  const times = [];
  let bytes = 0;
  for (let round = 0; round < rounds + 3; round += 1) {
    const started = performance.now();
    bytes = (await get(path, who)).length;
    if (round >= 3) times.push(performance.now() - started);
  }
  return { bytes, times: times.sort((a, b) => a - b) };
}

async function askReports({ large, small }) {
  const lines = [
    '',
    `| Report | p50 ms | p95 ms | bytes | p50 ms of ${SMALL_ROWS} requests | ratio |`,
    '| --- | --- | --- | --- | --- | --- |',
  ];
  for (const [name, path] of REPORTS) {
    const { times, bytes } = await timesOf(path, large);
    const { times: fewTimes } = await timesOf(path, small);
    const [p50, p95] = [0.5, 0.95].map((share) => quantile(times, share));
    const few = quantile(fewTimes, 0.5);
    const figures = [p50, p95].map((each) => each.toFixed(1));
    lines.push(
      `| ${name} | ${figures.join(' | ')} | ${bytes} | ${few.toFixed(1)} | ` +
        `${(p50 / few).toFixed(2)} |`,
    );
  }
  return lines;
}

/** All pages of a day of many groups, and the same as files. */
async function askFocus(tenant) {
  const window = `from=${dayOfGroups.toISOString()}&to=${new Date(
    dayOfGroups.getTime() + 86_400_000,
  ).toISOString()}`;
  const times = [];
  let charges = 0;
  let cursor = '';
  const pagesMax = Number(options.pages);
  while (cursor !== null && times.length < pagesMax) {
    const started = performance.now();
    const path = `/v1/gw/cost/focus?${window}&limit=200${cursor && `&cursor=${cursor}`}`;
    const page = JSON.parse(await get(path, tenant));
    times.push(performance.now() - started);
    charges += page.data.length;
    cursor = page.next_cursor;
  }
  const [first] = times;
  const later = times.slice(1).sort((a, b) => a - b);
  const lines = [
    `| ${tenant.name}, ${times.length} pages, ${charges} rows | ${(
      times.reduce((sum, each) => sum + each, 0) / 1_000
    ).toFixed(1)} s | first ${first.toFixed(0)} ms, later p50 ${quantile(later, 0.5).toFixed(
      1,
    )} ms, p95 ${quantile(later, 0.95).toFixed(1)} ms |`,
  ];
  for (const format of ['csv', 'ndjson']) {
    const started = performance.now();
    const text = await get(`/v1/gw/cost/focus?${window}&format=${format}`, tenant);
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    const size = (text.length / 1e6).toFixed(0);
    lines.push(`| ${tenant.name} as ${format} | ${seconds} s | ${size} MB |`);
  }
  return lines;
}

const gateway = await startGateway();
try {
  const tenants = [];
  for (const tenant of TENANTS) tenants.push(await tenantOf(tenant));
  const [large, small, ...ofGroups] = tenants;
  const fresh = tenants.filter(({ tenantId }) => tenantId !== undefined);
  const before = fresh.length > 0 ? await generate(fresh) : undefined;
  const made = await broughtForward(before);
  const lines = [
    `${rowsOfAll} requests (${made.raw}); ${made.cells} cells (${made.size}), ` +
      `ready ${made.seconds} s after the last row` +
      (made.us === undefined ? '' : `, for ${made.us.toFixed(1)} µs of database CPU a row`),
    ...(await askReports({ large, small })),
    '',
    '| FOCUS 1.2, one day | in all | each |',
    '| --- | --- | --- |',
  ];
  for (const tenant of ofGroups) lines.push(...(await askFocus(tenant)));
  const text = `${lines.join('\n')}\n`;
  process.stdout.write(`\n${text}`);
  writeFileSync(join(options.data, 'report.md'), text);
} finally {
  gateway.kill('SIGTERM');
}
