#!/usr/bin/env node
// How long the checks of billing integrity take on the books of one large tenant. README.md tells
// what is measured.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { compile } from '../tools/compile.mjs';
import { freePort, sleep, tell } from './lib/machine.mjs';

const HERE = import.meta.dirname;
const BOOKS = readFileSync(join(HERE, 'books.sql'), 'utf8');
/** What the ledger writes in one of its batches is far less; a million transactions take long. */
const AT_ONCE = 5_000;
const PATHS = ['completeness', 'dual-meter', 'replay'];

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000' },
    times: { type: 'string', default: '5' },
    work: { type: 'string', default: join(tmpdir(), 'gateway-bench', 'books') },
    keep: { type: 'boolean', default: false },
  },
});

const requests = Number(options.rows);
const work = resolve(options.work);
const month = lastMonth();

/** The last month that has ended in Moscow. */
function lastMonth() {
  const now = new Date(Date.now() + 3 * 3_600_000);
  const begin = (back) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1, -3));
  return { from: begin(1), to: begin(0) };
}

async function call(base, method, path, { credential, body } = {}) {
  const response = await fetch(base + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(credential ? { authorization: `Bearer ${credential}` } : {}),
    },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}

async function startGateway() {
  if (!options.keep) rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const gateway = spawn(process.execPath, [join(HERE, '..', 'tools', 'serve.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', GW_DATA_DIR: work },
  });
  process.on('exit', () => gateway.kill());
  for (let tries = 0; tries < 600; tries += 1) {
    if (
      await fetch(`${base}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { base, gateway };
    await sleep(100);
  }
  throw new Error('the gateway has not started');
}

/** The owner of the embedded database, by the socket that its lock file names. */
async function openDatabase() {
  const file = join(work, 'postgres', 'cluster', 'postmaster.pid');
  const lines = readFileSync(file, 'utf8').split('\n');
  const login = { port: 5432, user: 'postgres', database: 'postgres' };
  const client = new pg.Client({ ...login, host: lines[4] });
  await client.connect();
  await client.query("SET synchronous_commit = off; SET TimeZone = 'UTC'");
  return client;
}

async function newTenant(base) {
  const { tenant, account, project, accessToken } = await call(base, 'POST', '/auth/register', {
    body: {
      email: `books-${Date.now()}@example.test`,
      password: 'correct horse battery',
      organization: 'Books',
    },
  });
  const body = { keyType: 'service', name: 'bench' };
  const { key } = await call(base, 'POST', '/api-keys', { credential: accessToken, body });
  await call(base, 'POST', '/billing/top-up/manual', {
    credential: accessToken,
    body: { amount_rub: 10_000_000 },
  });
  const made = { tenant: tenant.id, account: account.id, project: project.id, key };
  writeFileSync(join(work, 'tenant.json'), JSON.stringify(made));
  return made;
}

/** The tenant of the run whose folder is kept. */
function knownTenant() {
  return JSON.parse(readFileSync(join(work, 'tenant.json'), 'utf8'));
}

async function writeBooks(client, { tenant, account, project }) {
  const stepMs = Math.floor((month.to - month.from - 1_000) / requests);
  const began = performance.now();
  for (let first = 1; first <= requests; first += AT_ONCE) {
    const names = {
      tenant: `'${tenant}'`,
      account: `'${account}'`,
      project: `'${project}'`,
      first,
      requests: Math.min(AT_ONCE, requests - first + 1),
      begin: `'${month.from.toISOString()}'`,
      step_ms: stepMs,
    };
    await client.query(BOOKS.replace(/(?<!:):(\w+)/g, (whole, name) => names[name] ?? whole));
    if (first % 250_000 === 1) tell(`${first - 1} requests, ${seconds(began)} s`);
  }
  await client.query('ANALYZE ledger_entry; ANALYZE usage_event');
  tell(`${requests} requests written in ${seconds(began)} s`);
}

function seconds(beganMs) {
  return ((performance.now() - beganMs) / 1_000).toFixed(1);
}

function pathOf(check, full) {
  const window = `from=${month.from.toISOString()}&to=${month.to.toISOString()}`;
  return `/v1/gw/billing-integrity/${check}?${window}${full ? '&full=true' : ''}`;
}

const LEFT = `
  SELECT (SELECT last_value FROM ledger_entry_seq_seq) - min(seq) FILTER (WHERE name ~ 'ledger$')
    + (SELECT last_value FROM usage_event_seq_seq) - min(seq) FILTER (WHERE name ~ 'usage$') AS left
  FROM reader_mark WHERE name ~ '^integrity_'`;

async function awaitProof(database) {
  const began = performance.now();
  for (;;) {
    const { rows } = await database.query(LEFT);
    if (rows[0].left === '0') break;
    await sleep(5_000);
  }
  tell(`proven after ${seconds(began)} s`);
}

async function measure(base, key) {
  for (const check of PATHS) {
    const times = [];
    let verdict;
    for (let n = 0; n < Number(options.times); n += 1) {
      const began = performance.now();
      ({ verdict } = await call(base, 'GET', pathOf(check), { credential: key }));
      times.push(performance.now() - began);
    }
    const sorted = times.sort((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length / 2)];
    console.log(`${check}: ${verdict}, median ${middle.toFixed(0)} ms of ${times.length}`);
  }
  const began = performance.now();
  const { verdict } = await call(base, 'GET', pathOf('replay', true), { credential: key });
  console.log(`replay in full: ${verdict}, ${seconds(began)} s`);
}

await compile();
const { base, gateway } = await startGateway();
const client = await openDatabase();
const tenant = options.keep ? knownTenant() : await newTenant(base);
if (!options.keep) await writeBooks(client, tenant);
await awaitProof(client);
await measure(base, tenant.key);
await client.end();
gateway.kill();
process.exit();
