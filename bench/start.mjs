// Starts, on empty folders and on folders with data: README.md tells what is measured.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  exists,
  freePort,
  GATEWAY_CORE,
  LOAD_CORE,
  moveTo,
  pinProcesses,
  sleep,
  spawnAt,
  tell,
} from './lib/machine.mjs';
import { cpu, endedMs, rssMb, tree, used } from './lib/proc.mjs';

const { values: options } = parseArgs({
  options: {
    times: { type: 'string', default: '5' },
    trees: { type: 'string', default: join(import.meta.dirname, '..') },
    'no-pin': { type: 'boolean', default: false },
  },
});
const START_MS_MAX = 60_000;
/** Memory that is free is given back some time after the start. */
const REST_MS = 5_000;
const SECRET = 'the secret of a benchmark, nothing else';

const cpuMs = (pids) => used(new Map(), cpu(pids)).cpuUs / 1_000;

/** The processes of the database that runs in a data folder. */
function databaseOf(data) {
  const file = join(data, 'postgres', 'cluster', 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined;
}

/** Starts a tree's gateway on a data folder until it is ready. @returns the start's figures */
async function start(root, data) {
  const port = await freePort();
  const env = { PATH: process.env.PATH, NODE_ENV: 'production', GW_SECRET: SECRET };
  const began = performance.now();
  const child = spawnAt(GATEWAY_CORE, [process.execPath, join(root, 'tools', 'serve.mjs')], {
    cwd: root,
    env: { ...env, GW_DATA_DIR: data, PORT: String(port), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((done) => child.once('close', done));
  await untilReady(`http://127.0.0.1:${port}/readyz`, child);
  const wallMs = performance.now() - began;
  const database = databaseOf(data);
  const services = new Set(tree([database]));
  const own = tree([child.pid]).filter((pid) => !services.has(pid));
  const figures = {
    wallMs,
    gatewayMs: cpuMs(own),
    databaseMs: cpuMs([...services]) + endedMs([child.pid, database]),
  };
  await sleep(REST_MS);
  figures.idleMb = rssMb(own);
  child.kill('SIGTERM');
  await ended;
  return figures;
}

async function untilReady(url, child) {
  const end = performance.now() + START_MS_MAX;
  for (;;) {
    const ready = await fetch(url, { headers: { connection: 'close' } }).catch(() => undefined);
    if (ready?.ok) return;
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    if (performance.now() > end) throw new Error('it was not ready in time');
    await sleep(5);
  }
}

/**
 * All go at the end: ext4 passes over the files that were removed in the last minutes, each time
 * that it makes one, so that a start would pay for the folder of the one before.
 */
const folders = [];
const removeFolders = () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
};

const median = (values) => values.sort((one, other) => one - other)[values.length >> 1];

/** One start on an empty folder, and one more on what it has left. */
async function startTwice(root, rows) {
  const data = mkdtempSync(join(tmpdir(), 'gw-start-'));
  folders.push(data);
  // Run as root, the server belongs to `nobody`, who has to reach it in here.
  chmodSync(data, 0o755);
  for (const kind of ['empty', 'with data']) {
    const key = `${root} | ${kind}`;
    rows.set(key, [...(rows.get(key) ?? []), await start(root, data)]);
  }
}

if (!options['no-pin'] && exists('taskset', ['--version'])) pinProcesses();
moveTo(LOAD_CORE, process.pid);
const trees = options.trees.split(',').map((path) => resolve(path));
const rows = new Map();
process.on('exit', removeFolders);
for (let turn = 0; turn < Number(options.times); turn += 1) {
  for (const root of trees) await startTwice(root, rows);
  tell(`${turn + 1} of ${options.times}`);
}
console.log('| Tree | folder | ready, ms | CPU ms: gateway, database | idle, MB |');
console.log('| --- | --- | --- | --- | --- |');
for (const [key, starts] of [...rows].sort()) {
  const of = (name) => Math.round(median(starts.map((each) => each[name])));
  const each = `${of('wallMs')} | ${of('gatewayMs')}, ${of('databaseMs')} | ${of('idleMb')}`;
  console.log(`| ${key} | ${each} |`);
}
process.exit();
