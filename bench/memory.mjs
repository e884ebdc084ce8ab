// What a gateway keeps in memory after many streams: README.md tells what is measured.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compile } from '../tools/compile.mjs';
import { sleep, tell } from './lib/machine.mjs';
import { streams } from './lib/measure.mjs';
import { rssMb } from './lib/proc.mjs';
import { startTarget } from './lib/target.mjs';
import { startUpstream } from './lib/upstream.mjs';
import targets from './targets.mjs';

const { values: options } = parseArgs({
  options: {
    streams: { type: 'string', default: '5000,50000,100000' },
    connections: { type: 'string', default: '64' },
    work: { type: 'string', default: join(tmpdir(), 'gateway-memory') },
  },
});
const EVENTS = 50;
const SECONDS_AT_ONCE = 4;
/** Memory that is free is given back some seconds after it was last wanted. */
const REST_MS = 10_000;

/** Streams until there were so many. @returns how many there were */
async function streamUntil(running, done, wanted) {
  let all = done;
  while (all < wanted) {
    const plan = { connections: Number(options.connections), events: EVENTS, gapMs: 0 };
    const {
      streams: ended,
      errors,
      short,
    } = await streams(running, {
      ...plan,
      seconds: SECONDS_AT_ONCE,
    });
    if (errors + short > 0) throw new Error(`${errors} errors and ${short} short streams`);
    all += ended;
  }
  return all;
}

async function measure(running) {
  const rows = [{ after: 0, mb: rssMb(running.processes), database: rssMb(running.services) }];
  for (const wanted of options.streams.split(',').map(Number)) {
    const after = await streamUntil(running, rows.at(-1).after, wanted);
    await sleep(REST_MS);
    rows.push({ after, mb: rssMb(running.processes), database: rssMb(running.services) });
    tell(`${after} streams`);
  }
  return rows;
}

await compile();
mkdirSync(options.work, { recursive: true });
const upstream = await startUpstream(options.work, EVENTS);
process.on('exit', () => upstream.kill());
const running = await startTarget(
  targets.find(({ name }) => name === 'gateway'),
  options.work,
);
const rows = await measure(running);
await running.stop();
console.log('| Streams | gateway, MB | its database, MB |\n| --- | --- | --- |');
for (const { after, mb, database } of rows) {
  console.log(`| ${after} | ${Math.round(mb)} | ${Math.round(database)} |`);
}
const [, few, many] = rows;
console.log(
  `\nAfter ${many.after} streams ${(many.mb / few.mb).toFixed(2)} of after ${few.after}.`,
);
process.exit();
