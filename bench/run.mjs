#!/usr/bin/env node
// Gateways side by side on one machine. README.md tells what is measured.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile } from '../tools/compile.mjs';
import { flushTimes } from './lib/disk.mjs';
import { exists, pinProcesses, tell } from './lib/machine.mjs';
import { readOptions } from './lib/options.mjs';
import { report } from './lib/report.mjs';
import { measureTarget } from './lib/round.mjs';
import { installTarget } from './lib/target.mjs';
import { startUpstream } from './lib/upstream.mjs';

const HERE = import.meta.dirname;

/** The targets that the options name, in their order. @throws Error for one that is unknown */
async function chosenTargets({ targetFiles, only }) {
  const files = [join(HERE, 'targets.mjs'), ...targetFiles];
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
  const known = modules.flatMap((module) => module.default);
  for (const name of only ?? []) {
    if (!known.some((target) => target.name === name))
      throw new Error(`no target is named ${name}`);
  }
  return known.filter(({ name, isExtra = false }) => (only ? only.includes(name) : !isExtra));
}

function factsOf(options, targets, pinned) {
  return {
    at: new Date().toISOString(),
    rounds: options.rounds,
    seconds: options.seconds,
    concurrency: options.concurrency,
    rate: options.rate,
    events: options.events,
    gapMs: options.gapMs,
    largeBytes: options.largeBytes,
    baseline: options.baseline,
    pinned,
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0].model}`,
    flushUs: flushTimes(options.work),
    targets: targets.map(({ name, about }) => ({ name, about })),
  };
}

async function compare(options, targets, data) {
  for (let round = 0; round < options.rounds; round += 1) {
    for (let turn = 0; turn < targets.length; turn += 1) {
      const target = targets[(turn + round) % targets.length];
      const load = loadavg()[0].toFixed(2);
      tell(`round ${round + 1} of ${options.rounds}: ${target.name} (load ${load})`);
      data.runs.push(await measureTarget(target, round, options));
      writeFileSync(join(options.out, 'results.json'), JSON.stringify(data, null, 1));
    }
  }
}

/** Benchmarks of their own, named before their options. */
const OTHERS = {
  reports: 'reports.mjs',
  books: 'books.mjs',
  overload: 'overload.mjs',
  ledger: 'ledger.mjs',
  log: 'log.mjs',
  memory: 'memory.mjs',
  start: 'start.mjs',
  firewall: 'firewall.mjs',
  detectors: 'detectors.mjs',
};

async function main() {
  const other = OTHERS[process.argv[2]];
  if (other) {
    process.argv.splice(2, 1);
    await import(pathToFileURL(join(HERE, other)).href);
    return;
  }
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(readFileSync(join(HERE, 'README.md'), 'utf8'));
  if (!exists('wrk', ['-v'])) {
    tell('The load generator wrk is not installed: apt-get install wrk');
    process.exitCode = 1;
    return undefined;
  }
  const targets = await chosenTargets(options);
  await compile();
  for (const folder of [options.work, options.out]) mkdirSync(folder, { recursive: true });
  for (const target of targets) installTarget(target, options.work);
  const pinned = options.pin && pinProcesses();
  const upstream = await startUpstream(options.work, options.events);
  process.on('exit', () => upstream.kill());
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  const data = { facts: factsOf(options, targets, pinned), runs: [] };
  await compare(options, targets, data);
  if (data.runs.some((run) => run.failed || run.stream?.ok === false)) process.exitCode = 1;
  if (!options.check) {
    const tables = report(data);
    writeFileSync(join(options.out, 'report.md'), tables);
    console.log(tables);
    tell(`\n${options.out}`);
  }
  process.exit();
}

await main();
