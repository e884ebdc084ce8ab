// What reports cost over a tenant of many generated requests: a database of its own, filled past
// the ledger a few days at a time, summed after each as the gateway sums, and asked over HTTP.
//
//   npm run bench -- reports [--rows 5000000] [--rounds 40] [--groups 300000] [--data /tmp/…]
//
// A folder that was filled is asked again by the next run.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { compile, compileModules } from '../tools/compile.mjs';
import { cpu, tree, used } from './lib/proc.mjs';
import { slicesOf, writeSlice } from './lib/year.mjs';

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

/** Fills the tenants side by side, and sums what was written as often as there is more. */
async function generate(tenants) {
  const client = openDatabase();
  await client.connect();
  await client.query('SET synchronous_commit = off');
  const rollup = await openRollup();
  let summedUs = 0;
  const slices = tenants.map((tenant) => slicesOf(tenant));
  const turns = Math.max(...slices.map(({ length }) => length));
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [index, tenant] of tenants.entries()) {
      const slice = slices[index][turn];
      if (slice) await writeSlice(client, tenant, slice);
    }
    if (turn % 10 === 0) await client.query('VACUUM ANALYZE usage_event');
    if (turn % 10 === 0) await client.query('ANALYZE ledger_entry; ANALYZE usage_rollup');
    summedUs += await rollup.bringForward();
    process.stdout.write(`\rwritten and summed: ${turn + 1} of ${turns} parts   `);
  }
  for (const table of ['usage_event', 'ledger_entry'])
    await client.query(`VACUUM ANALYZE ${table}`);
  await rollup.end();
  await client.end();
  return summedUs;
}

/** The gateway's own worker, with a session that keeps that of the gateway waiting meanwhile. */
async function openRollup() {
  const modules = join(ROOT, await compileModules(), 'src');
  const { UsageRollup } = await import(join(modules, 'finops', 'reports', 'rollup.js'));
  const { createPool } = await import(join(modules, 'platform', 'database', 'pool.js'));
  const host = join(options.data, 'postgres', 'socket');
  const connection = { host, user: 'postgres', database: 'postgres' };
  const pool = createPool({ connection, max: 1, queryTimeoutMs: 600_000 });
  const lock = "SELECT pg_advisory_lock(hashtextextended('reader_mark ' || $1, 0))";
  const log = { warn: console.warn };
  const rollup = new UsageRollup({ platformPool: pool, log }, 200_000);
  return {
    bringForward: async () => {
      for (const mark of MARKS) await pool.query(lock, [mark]);
      const { rows } = await pool.query('SELECT pg_backend_pid() AS pid');
      const before = cpu([rows[0].pid]);
      await rollup.bringForward();
      return used(before, cpu([rows[0].pid])).cpuUs;
    },
    end: () => pool.end(),
  };
}

const MARKS = ['usage_rollup', 'refund_rollup'];

/** The processes of the database. */
async function servers() {
  const pidFile = join(options.data, 'postgres', 'cluster', 'postmaster.pid');
  return tree([Number(readFileSync(pidFile, 'latin1').split('\n')[0])]);
}

const rowsOfAll = TENANTS.reduce((sum, { requests }) => sum + requests, 0);

/** Waits until every row is summed, and tells how much there is. */
async function broughtForward() {
  const client = openDatabase();
  await client.connect();
  for (;;) {
    const { rows: found } = await client.query(
      `SELECT (SELECT (txid, seq) FROM reader_mark WHERE name = 'usage_rollup') =
         (SELECT (txid, seq) FROM usage_event ORDER BY txid DESC, seq DESC LIMIT 1) AS done`,
    );
    if (found[0]?.done) break;
    await sleep(500);
  }
  await client.query('VACUUM ANALYZE usage_rollup');
  await client.query('CHECKPOINT');
  const { rows: cells } = await client.query(
    `SELECT count(*)::int AS cells, pg_size_pretty(pg_total_relation_size('usage_rollup')) AS size,
       pg_size_pretty(pg_total_relation_size('usage_event')) AS raw FROM usage_rollup`,
  );
  await client.end();
  return cells[0];
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

/** One call: its milliseconds, and those that gateway and database were on a processor for. */
async function callOf(path, who) {
  const pids = [gateway.pid, ...(await servers())];
  const before = cpu(pids);
  const started = performance.now();
  const { length: bytes } = await get(path, who);
  const ms = performance.now() - started;
  const after = cpu(pids);
  const cpuMs = (some) =>
    used(before, new Map([...after].filter(([pid]) => some(pid)))).cpuUs / 1_000;
  return {
    ms,
    bytes,
    gatewayMs: cpuMs((pid) => pid === gateway.pid),
    databaseMs: cpuMs((pid) => pid !== gateway.pid),
  };
}

/** Both tenants are asked in turn, so that what else the machine does meets both. */
async function askReports({ large, small }) {
  const lines = [
    '',
    '| Report | p50 ms | p95 ms | CPU ms: gateway, database | bytes ' +
      `| of ${SMALL_ROWS}: p50, p95 ms | CPU ms | ratio of p50 | ratio of CPU |`,
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
  ];
  for (const [name, path] of REPORTS) {
    const calls = { large: [], small: [] };
    for (let round = 0; round < rounds + 3; round += 1) {
      const many = await callOf(path, large);
      const few = await callOf(path, small);
      if (round < 3) continue;
      calls.large.push(many);
      calls.small.push(few);
    }
    const of = (who, figure, share = 0.5) =>
      quantile(
        calls[who].map((each) => each[figure]).sort((a, b) => a - b),
        share,
      );
    const cpuOf = (who) => of(who, 'gatewayMs') + of(who, 'databaseMs');
    lines.push(
      `| ${[
        name,
        of('large', 'ms').toFixed(1),
        of('large', 'ms', 0.95).toFixed(1),
        `${of('large', 'gatewayMs').toFixed(1)}, ${of('large', 'databaseMs').toFixed(1)}`,
        of('large', 'bytes'),
        `${of('small', 'ms').toFixed(1)}, ${of('small', 'ms', 0.95).toFixed(1)}`,
        `${of('small', 'gatewayMs').toFixed(1)}, ${of('small', 'databaseMs').toFixed(1)}`,
        (of('large', 'ms') / of('small', 'ms')).toFixed(2),
        (cpuOf('large') / cpuOf('small')).toFixed(2),
      ].join(' | ')} |`,
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

const FILLED = join(options.data, 'filled');

await compile();
const gateway = await startGateway();
try {
  const tenants = [];
  for (const tenant of TENANTS) tenants.push(await tenantOf(tenant));
  const [large, small, ...ofGroups] = tenants;
  const isFresh = tenants.every(({ tenantId }) => tenantId !== undefined);
  if (!isFresh && !existsSync(FILLED)) throw new Error(`remove ${options.data}: it is half filled`);
  const summedUs = isFresh ? await generate(tenants) : undefined;
  const made = await broughtForward();
  writeFileSync(FILLED, '');
  const lines = [
    `${rowsOfAll} requests (${made.raw}); ${made.cells} cells (${made.size})` +
      (summedUs
        ? `, summed for ${(summedUs / rowsOfAll).toFixed(1)} µs of database CPU a row`
        : ''),
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
