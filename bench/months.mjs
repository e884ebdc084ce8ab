#!/usr/bin/env node
// What it costs to keep usage and events by months: the ledger's statements of holds and charges on
// tables as they were before and by months, side by side, and the turn of a filled table into its
// first month. README.md tells what is measured.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { compile } from '../tools/compile.mjs';
import { freePort, sleep, tell } from './lib/machine.mjs';

const ROOT = join(import.meta.dirname, '..');
const MIGRATIONS = join(ROOT, 'prisma', 'migrations');
/** From this migration on the tables are kept by months. */
const BY_MONTHS = '20261127300000_months';
const BOOKS = readFileSync(join(ROOT, 'bench', 'books.sql'), 'utf8');
const AT_ONCE = 5_000;
const MONTHS_AHEAD = 24;
const PIN_PLANS = `
  SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
  SET plan_cache_mode = force_generic_plan; SET jit = off; SET synchronous_commit = off`;
const HASHED = `SELECT count(*) AS rows, sum(amount_micro)::text AS amount,
  sum(hashtextextended(u::text, 0))::text AS hash FROM usage_event u`;

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '15' },
    work: { type: 'string', default: join(tmpdir(), 'gateway-bench', 'months') },
  },
});
const work = resolve(options.work);

/** The embedded server that a gateway runs. */
async function startServer() {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const port = await freePort();
  const gateway = spawn(process.execPath, [join(ROOT, 'tools', 'serve.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', GW_DATA_DIR: work },
  });
  process.on('exit', () => gateway.kill());
  const isReady = () => fetch(`http://127.0.0.1:${port}/readyz`).then((each) => each.ok);
  for (let tries = 0; !(await isReady().catch(() => false)); tries += 1) {
    if (tries > 600) throw new Error('the gateway has not started');
    await sleep(100);
  }
  const file = join(work, 'postgres', 'cluster', 'postmaster.pid');
  return { gateway, host: readFileSync(file, 'utf8').split('\n')[4] };
}

async function open(host, database) {
  const client = new pg.Client({ host, port: 5432, user: 'postgres', database });
  await client.connect();
  await client.query("SET synchronous_commit = off; SET TimeZone = 'UTC'");
  return client;
}

async function migrate(client, isWanted) {
  await client.query(readFileSync(join(ROOT, 'prisma', 'roles.sql'), 'utf8'));
  await client.query('SET ROLE gw_owner');
  for (const name of readdirSync(MIGRATIONS)
    .filter((each) => each > '2' && isWanted(each))
    .sort()) {
    if (name.endsWith('.toml')) continue;
    await client.query('BEGIN');
    await client.query(readFileSync(join(MIGRATIONS, name, 'migration.sql'), 'utf8'));
    await client.query('COMMIT');
  }
  await client.query('RESET ROLE');
}

function newId() {
  const time = Date.now().toString(16).padStart(12, '0');
  const tail = randomBytes(8).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7009-8${tail.slice(1, 4)}-${tail.slice(4)}`;
}

const ids = { tenant: newId(), account: newId(), project: newId() };

async function fill(client) {
  await client.query('SET ROLE gw_owner');
  await client.query('INSERT INTO tenant (id, name) VALUES ($1, $2)', [ids.tenant, 'Months']);
  await client.query('RESET ROLE');
  await client.query('INSERT INTO account (id, tenant_id, posted_micro) VALUES ($1, $2, 1e16)', [
    ids.account,
    ids.tenant,
  ]);
  const begin = new Date(Date.now() - 40 * 86_400_000);
  const requests = Number(options.rows);
  for (let first = 1; first <= requests; first += AT_ONCE) {
    const names = {
      ...Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, `'${id}'`])),
      first,
      requests: Math.min(AT_ONCE, requests - first + 1),
      begin: `'${begin.toISOString()}'`,
      step_ms: Math.floor((20 * 86_400_000) / requests),
    };
    await client.query(BOOKS.replace(/(?<!:):(\w+)/g, (whole, name) => names[name] ?? whole));
  }
  await client.query('ANALYZE');
}

/** Nanoseconds of CPU that the process behind a connection has used. */
async function cpuOf(client) {
  return Number(readFileSync(`/proc/${client.processID}/schedstat`, 'utf8').split(' ')[0]);
}

const USAGE = {
  project_id: ids.project,
  operation: 'chat',
  requested_model: 'model-1',
  model: 'model-1',
  provider: 'bench',
  route: 'RU',
  simulated: false,
  input_uncached: 900,
  input_cached: 0,
  cache_write: 0,
  output_text: 300,
  output_reasoning: 0,
  raw_usage: { prompt_tokens: 900, completion_tokens: 300 },
  usage_source: 'upstream',
  prices: { effective_from: '2026-01-01', input_uncached: '200000000', output_text: '800000000' },
  status: 'complete',
  http_status: 200,
  finish_reason: 'stop',
  streamed: false,
  latency_ms: 400,
  overhead_us: 900,
  attempts: 1,
  policy_versions: {},
  data_class: 'C0',
  firewall_findings: {},
  metadata: { gw_origin: 'bench' },
};
const APPLY = {
  name: 'apply',
  text: `SELECT lane, i, status, amount::text, detail::text FROM
    ledger_apply_lanes($1, $2::bigint, $3::uuid[], $4::json, $5::json, $6::json, $7::jsonb)`,
};

/** Microseconds of CPU of a chat in the database: its part of a batch of holds and of charges. */
async function chats(client, batch, times) {
  const requests = () => Array.from({ length: batch }, newId);
  const apply = async (charges, holds) => {
    const values = ['bench', 1, null, charges, null, holds, null];
    const { rows } = await client.query({ ...APPLY, values });
    if (rows.length > 0) throw new Error(JSON.stringify(rows[0]));
  };
  const holdsOf = (list) =>
    JSON.stringify(list.map((request) => ({ account: ids.account, request, amount: 2_000 })));
  const chargesOf = (list) =>
    JSON.stringify(
      list.map((request) => ({
        account: ids.account,
        request,
        amount: 500,
        final: true,
        usage: USAGE,
      })),
    );
  const began = await cpuOf(client);
  for (let turn = 0; turn < times; turn += 1) {
    const list = requests();
    await apply(null, holdsOf(list));
    await apply(chargesOf(list), null);
  }
  return ((await cpuOf(client)) - began) / 1_000 / (times * batch);
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function compare(host) {
  const sides = { before: await open(host, 'before'), months: await open(host, 'months') };
  for (const client of Object.values(sides)) {
    await client.query(`SELECT ledger_take_over('bench', $1)`, [newId()]);
    await client.query(PIN_PLANS);
  }
  for (const [batch, times] of [
    [1, 400],
    [32, 40],
  ]) {
    const seen = { before: [], months: [] };
    for (const client of Object.values(sides)) await chats(client, batch, 50);
    for (let round = 0; round < Number(options.rounds); round += 1) {
      const order = round % 2 === 0 ? ['before', 'months'] : ['months', 'before'];
      for (const side of order) seen[side].push(await chats(sides[side], batch, times));
    }
    const ratios = seen.before.map((each, round) => seen.months[round] / each);
    tell(
      `batch ${batch}: ${median(seen.before).toFixed(1)} µs before, ` +
        `${median(seen.months).toFixed(1)} µs by months; ` +
        `median of the rounds ${((median(ratios) - 1) * 100).toFixed(1)} % ` +
        `(${ratios.map((each) => ((each - 1) * 100).toFixed(1)).join(', ')})`,
    );
  }
  for (const client of Object.values(sides)) await client.end();
}

/** What reads usage: whoever follows it, a look at a request, a report of a day. */
const READS = {
  'is there a next row': [
    'SELECT TRUE FROM usage_event WHERE (txid, seq) > ($1, $2) ORDER BY txid, seq LIMIT 1',
    ({ txid, seq }) => [txid, seq],
  ],
  'a page of a feed': [
    `SELECT txid, seq, id, amount_micro FROM usage_event
     WHERE tenant_id = $1 AND (txid, seq) > ($2, $3)
       AND txid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
     ORDER BY txid, seq LIMIT 200`,
    ({ txid }) => [ids.tenant, txid - 50, 0],
  ],
  'one request': [
    'SELECT * FROM usage_event WHERE tenant_id = $1 AND id = $2',
    ({ id }) => [ids.tenant, id],
  ],
  'an hour by its time': [
    `SELECT count(*), sum(amount_micro) FROM usage_event
     WHERE tenant_id = $1 AND created_at >= $2 AND created_at < $3`,
    ({ at }) => [ids.tenant, at, new Date(at.getTime() + 3_600_000)],
  ],
};

async function compareReads(host) {
  const sides = { before: await open(host, 'before'), months: await open(host, 'months') };
  for (const [name, [text, valuesOf]] of Object.entries(READS)) {
    const seen = {};
    for (const [side, client] of Object.entries(sides)) {
      const { rows } = await client.query(
        `SELECT txid::float8, seq::float8, id, created_at AS at FROM usage_event
         ORDER BY txid DESC, seq DESC LIMIT 1`,
      );
      const values = valuesOf(rows[0]);
      const run = () => client.query({ name: `read ${name}`, text, values });
      for (let times = 0; times < 20; times += 1) await run();
      const began = await cpuOf(client);
      for (let times = 0; times < 200; times += 1) await run();
      seen[side] = ((await cpuOf(client)) - began) / 1_000 / 200;
    }
    tell(`${name}: ${seen.before.toFixed(0)} µs before, ${seen.months.toFixed(0)} µs by months`);
  }
  for (const client of Object.values(sides)) await client.end();
}

await compile();
const { gateway, host } = await startServer();
const maintenance = await open(host, 'postgres');
for (const name of ['before', 'months']) {
  await maintenance.query(`CREATE DATABASE ${name}`);
  const client = await open(host, name);
  await migrate(client, (each) => each < BY_MONTHS);
  await fill(client);
  if (name === 'months') {
    const [was] = (await client.query(HASHED)).rows;
    const began = performance.now();
    await migrate(client, (each) => each >= BY_MONTHS);
    const seconds = ((performance.now() - began) / 1_000).toFixed(2);
    const [is] = (await client.query(HASHED)).rows;
    if (JSON.stringify(was) !== JSON.stringify(is)) throw new Error('the rows are not the same');
    tell(`${was.rows} rows became a month in ${seconds} s, the same: ${JSON.stringify(is)}`);
    await client.query(`SELECT make_months(${MONTHS_AHEAD})`);
  }
  await client.end();
}
await compare(host);
await compareReads(host);
await maintenance.end();
gateway.kill();
