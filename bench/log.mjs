#!/usr/bin/env node
// How long it takes to bring the transparency log of an organization forward, to prove a leaf of it
// and to verify its export. README.md tells what is measured.
import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileModules } from '../tools/compile.mjs';
import { cpu, tree, used } from './lib/proc.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    work: { type: 'string', default: join(tmpdir(), 'gateway-bench', 'log') },
  },
});
const rows = Number(options.rows);
const modules = join(ROOT, await compileModules(), 'src');
const load = (path) => import(join(modules, `${path}.js`));

await load('assurance/transparency/module');
const { connectDatabase, createPool } = await load('platform/database/pool');
const { createTokenIssuer } = await load('access/auth/tokens');
const { Keyring } = await load('platform/keyring');
const { TransparencyLog } = await load('assurance/transparency/log');
const { rootsOf } = await load('assurance/transparency/tiles');
const { inclusionRanges } = await load('kernel/merkle.rules');
const { ENTRY_LEAF } = await load('money/ledger/entry-leaf');

const SECRET = 'a secret of a benchmark';
const TENANT = '00000000-0000-7001-8000-000000000001';
const ACCOUNT = '00000000-0000-7008-8000-000000000001';

/** Holds and charges in turn, as a ledger has most. */
const WRITE = `
  INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id, contra,
    amount_micro, posted_delta, held_delta, posted_after, held_after, vat_rate_basis_points,
    vat_micro)
  SELECT '${ACCOUNT}', n, '${TENANT}', CASE n % 2 WHEN 1 THEN 'hold' ELSE 'finalize' END,
    ('01a2056a-12bf-7009-8000-' || lpad(to_hex((n + 1) / 2), 12, '0'))::uuid,
    CASE n % 2 WHEN 1 THEN 'held' ELSE 'revenue' END, 600, -600 * (1 - n % 2),
    600 * (2 * (n % 2) - 1), 900000000000 - 600 * (n / 2), 600 * (n % 2),
    CASE n % 2 WHEN 0 THEN 2200 END, 108 * (1 - n % 2)
  FROM generate_series($1::bigint, $2::bigint) n`;

const seconds = (beganMs) => ((performance.now() - beganMs) / 1_000).toFixed(2);

rmSync(options.work, { recursive: true, force: true });
mkdirSync(options.work, { recursive: true });
const database = await connectDatabase({
  dataDir: options.work,
  secret: SECRET,
});
const connection = database.embedded.connection;
const owner = createPool({ connection, max: 1, applicationName: 'bench', queryTimeoutMs: 600_000 });
await owner.query(`INSERT INTO tenant (id, name) VALUES ('${TENANT}', 'Bench')`);
await owner.query(`INSERT INTO account (id, tenant_id, version, posted_micro)
  VALUES ('${ACCOUNT}', '${TENANT}', ${rows}, 900000000000)`);
for (let first = 1; first <= rows; first += 50_000) {
  await owner.query(WRITE, [first, Math.min(first + 49_999, rows)]);
}
await owner.query('ANALYZE ledger_entry');

const { platformPool } = database;
const tokens = await createTokenIssuer(platformPool, new Keyring({ secret: SECRET }), 'gw');
const log = new TransparencyLog({ platformPool, tokens, log: console });
const pidFile = join(options.work, 'postgres', 'cluster', 'postmaster.pid');
const servers = () => tree([Number(readFileSync(pidFile, 'latin1').split('\n')[0])]);
const spent = (before) => (used(before, cpu([...before.keys()])).cpuUs / 1e6).toFixed(2);
const before = [cpu([process.pid]), cpu(servers())];
let began = performance.now();
await log.bringForward();
const { rows: trees } = await owner.query('SELECT size FROM log_tree');
console.log(
  `${trees[0].size} lines of the ledger are leaves after ${seconds(began)} s, ` +
    `with ${spent(before[0])} s CPU of the gateway and ${spent(before[1])} s of the database ` +
    `(load ${loadavg()[0].toFixed(1)})`,
);
const size = Number(trees[0].size);
const { rows: bytes } = await owner.query(`SELECT pg_total_relation_size('log_tile') AS bytes`);
console.log(`they take ${(Number(bytes[0].bytes) / size).toFixed(0)} bytes each in the log`);

const read = async (text, values) => (await platformPool.query(text, [...values])).rows;
began = performance.now();
for (let n = 0; n < 200; n += 1) {
  await rootsOf(read, TENANT, inclusionRanges(Math.floor(Math.random() * size), size));
}
console.log(`a proof of one takes ${((performance.now() - began) / 200).toFixed(2)} ms`);

const files = ['keys.json', 'export.ndjson'].map((name) => join(options.work, name));
writeFileSync(files[0], JSON.stringify(tokens.jwks()));
const out = createWriteStream(files[1]);
for (let first = 1; first <= size; first += 50_000) {
  const { rows: leaves } = await owner.query(
    `SELECT ${ENTRY_LEAF} AS leaf FROM ledger_entry e
     WHERE account_version BETWEEN $1 AND $2 ORDER BY account_version`,
    [first, first + 49_999],
  );
  out.write(leaves.map(({ leaf }) => `${leaf}\n`).join(''));
}
const { statement } = await log.latest(TENANT);
await new Promise((done) => out.end(`${JSON.stringify({ statement })}\n`, done));
began = performance.now();
const verified = spawnSync(process.execPath, [
  join(ROOT, 'tools/verify-transparency-log.mjs'),
  ...files,
]);
console.log(`verified from the export after ${seconds(began)} s: ${verified.stdout}`);
if (verified.status !== 0) console.error(String(verified.stderr));
await owner.end();
await database.stop();
