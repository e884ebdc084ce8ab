#!/usr/bin/env node
// How many operations the ledger does a second for one account that everybody wants. README.md
// tells what is measured.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileModules } from '../tools/compile.mjs';
import { flushTimes } from './lib/disk.mjs';
import { cpu, tree, used } from './lib/proc.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    requests: { type: 'string', default: '1,64,512' },
    work: { type: 'string', default: join(tmpdir(), 'gateway-bench', 'ledger') },
  },
});
const modules = join(ROOT, await compileModules(), 'src');
const load = (path) => import(join(modules, `${path}.js`));

await load('app/modules');
const { connectDatabase, createPool } = await load('platform/database/pool');
const { createLedger } = await load('money/ledger/create-ledger');
const { newId } = await load('kernel/ids');

/** Hold, charge with its usage row, and the mark that the answer has left. */
const OPERATIONS_PER_REQUEST = 3;
const HOLD_MICRO = 1_000n;
const COST_MICRO = 600n;
const WARM_UP_SECONDS = 3;
const log = { info() {}, warn: console.warn, error: console.error };

rmSync(options.work, { recursive: true, force: true });
mkdirSync(options.work, { recursive: true });
const dataDir = options.work;
const database = await connectDatabase({ dataDir, secret: 'a secret of a benchmark' });
const { platformPool: pool } = database;
const hot = await openAccount();
const ledger = createLedger({ pool, nodeId: 'bench', dataDir, log });
await ledger.start();

/** An organization with funds that do not end. */
async function openAccount() {
  const { connection } = database.embedded;
  const owner = createPool({ connection, max: 1, applicationName: 'bench' });
  const ids = {
    tenantId: newId('Tenant'),
    accountId: newId('Account'),
    projectId: newId('Project'),
  };
  const { tenantId, accountId, projectId } = ids;
  await owner.query("INSERT INTO tenant (id, name) VALUES ($1, 'Bench')", [tenantId]);
  await owner.query("INSERT INTO project (id, tenant_id, name) VALUES ($1, $2, 'Bench')", [
    projectId,
    tenantId,
  ]);
  await owner.query('INSERT INTO account (id, tenant_id) VALUES ($1, $2)', [accountId, tenantId]);
  await owner.query("SELECT ledger_post($1, $2, 'top_up', 1000000000000000, 'Funds', NULL)", [
    accountId,
    newId('Request'),
  ]);
  await owner.end();
  return ids;
}

const FACTS = {
  projectId: hot.projectId,
  operation: 'chat',
  requestedModel: 'model-1',
  model: 'model-1',
  provider: 'bench',
  route: 'RU',
  simulated: false,
  streamed: false,
  dataClass: 'C0',
};
const USAGE = {
  ...FACTS,
  tokens: {
    inputUncached: 900,
    inputCached: 0,
    cacheWrite: 0,
    outputText: 300,
    outputReasoning: 0,
  },
  rawUsage: { prompt_tokens: 900, completion_tokens: 300, total_tokens: 1_200 },
  usageSource: 'upstream',
  prices: {
    effectiveFrom: '2026-01-01',
    inputUncached: 400_000n,
    inputCached: 100_000n,
    cacheWrite: 0n,
    outputText: 800_000n,
    outputReasoning: 800_000n,
  },
  status: 'complete',
  httpStatus: 200,
  finishReason: 'stop',
  latencyMs: 400,
  overheadUs: 900,
  attempts: 1,
  policyVersions: {},
  firewallFindings: {},
  metadata: {},
};

async function request() {
  const ref = { accountId: hot.accountId, requestId: newId('Request') };
  const { tenantId } = hot;
  const held = await ledger.hold({
    ...ref,
    tenantId,
    amountMicro: HOLD_MICRO,
    budgetIds: [],
    usage: FACTS,
  });
  if (held.status !== 'ok') throw new Error(`hold: ${held.status}`);
  const charged = await ledger.settle({ ...ref, amountMicro: COST_MICRO, usage: USAGE });
  if (charged.status !== 'ok') throw new Error(`charge: ${charged.status}`);
  ledger.delivered(ref.accountId, ref.requestId);
}

/** So many requests at a time. @returns how many there were, and for how long */
async function loadWith(atOnce, seconds) {
  const beganMs = performance.now();
  const endMs = beganMs + seconds * 1_000;
  let requests = 0;
  const work = async () => {
    while (performance.now() < endMs) {
      await request();
      requests += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await ledger.drain();
  return { requests, seconds: (performance.now() - beganMs) / 1_000 };
}

const pidFile = join(options.work, 'postgres', 'cluster', 'postmaster.pid');
const servers = () => tree([Number(readFileSync(pidFile, 'latin1').split('\n')[0])]);

const whole = (value) => Math.round(value).toLocaleString('en-US');
const { p50, p99 } = flushTimes(options.work);
console.log(`fdatasync of a page: ${whole(p50)} µs, p99 ${whole(p99)} µs; load ${loadavg()[0]}\n`);
console.log('| requests at a time | operations/s | CPU µs an operation: ledger, database |');
console.log('| --- | --- | --- |');
await loadWith(64, WARM_UP_SECONDS);
for (const atOnce of options.requests.split(',').map(Number)) {
  const before = cpu(servers());
  const own = process.cpuUsage();
  const { requests, seconds } = await loadWith(atOnce, Number(options.seconds));
  const { user, system } = process.cpuUsage(own);
  const operations = requests * OPERATIONS_PER_REQUEST;
  const databaseUs = used(before, cpu(servers())).cpuUs / operations;
  const ownUs = (user + system) / operations;
  console.log(
    `| ${atOnce} | ${whole(operations / seconds)} | ${whole(ownUs)}, ${whole(databaseUs)} |`,
  );
}
await ledger.stop();
await database.stop();
process.exit();
