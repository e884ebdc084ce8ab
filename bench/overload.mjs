// What a gateway does with more than it can: README.md tells what is measured and how to read it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compile } from '../tools/compile.mjs';
import { summary } from './lib/http1.mjs';
import { pinProcesses, runLoad, sleep, tell } from './lib/machine.mjs';
import { closedLoop } from './lib/measure.mjs';
import { cpu, rssMb, used } from './lib/proc.mjs';
import { startTarget } from './lib/target.mjs';
import { startUpstream } from './lib/upstream.mjs';
import targets from './targets.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '1' },
    times: { type: 'string', default: '2,4,8' },
    closed: { type: 'string', default: '1900,4000' },
    connections: { type: 'string', default: '4000' },
    work: { type: 'string', default: join(tmpdir(), 'gateway-overload') },
  },
});
const seconds = Number(options.seconds);
const { work } = options;
const CAPACITY_CONNECTIONS = [48, 128];
const PROBE_EVERY_MS = 50;
const NEIGHBOUR_EVERY_MS = 100;
const ASK_MS_MAX = 10_000;
const REST_MS = 1_500;

/** Asks something over and over while the flood runs. @returns a function that ends it */
function askEvery(ms, ask) {
  const seen = { times: [], failed: 0 };
  let going = true;
  const done = (async () => {
    while (going) {
      const startedMs = performance.now();
      const ok = await ask().catch(() => false);
      if (ok) seen.times.push(performance.now() - startedMs);
      else seen.failed += 1;
      await sleep(Math.max(0, ms - (performance.now() - startedMs)));
    }
    return { ...seen, ...summary(seen.times) };
  })();
  return () => {
    going = false;
    return done;
  };
}

async function post(base, path, body, credential) {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(credential ? { authorization: `Bearer ${credential}` } : {}),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ASK_MS_MAX),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Another organization with funds and a key of its own, and a member who can sign in. */
async function neighbourAt(base) {
  const member = {
    email: `next-${Date.now()}@example.test`,
    password: 'correct horse battery',
  };
  const { accessToken } = await post(base, '/auth/register', { ...member, organization: 'Next' });
  const { key } = await post(base, '/api-keys', { keyType: 'service', name: 'next' }, accessToken);
  await post(base, '/billing/top-up/manual', { amount_rub: 10_000_000 }, accessToken);
  return { key, member };
}

/** One flood with what others see of the gateway meanwhile. */
async function during(running, neighbour, flood) {
  const base = running.names.BASE;
  let peakMb = 0;
  const sampler = setInterval(() => {
    peakMb = Math.max(peakMb, rssMb(running.processes));
  }, 200);
  const ends = [
    askEvery(PROBE_EVERY_MS, async () => {
      const signal = AbortSignal.timeout(ASK_MS_MAX);
      return (await fetch(`${base}/livez`, { signal })).ok;
    }),
    askEvery(NEIGHBOUR_EVERY_MS, () =>
      post(base, '/v1/chat/completions', running.chat(), neighbour.key).then(() => true),
    ),
    askEvery(NEIGHBOUR_EVERY_MS * 10, () =>
      post(base, '/auth/login', neighbour.member).then(() => true),
    ),
  ];
  const result = await flood();
  const [livez, next, login] = await Promise.all(ends.map((end) => end()));
  clearInterval(sampler);
  return { ...result, livez, next, login, peakMb };
}

function openLoop(running, rate) {
  const plan = { url: running.url, headers: running.headers, body: running.chat() };
  const all = { ...plan, rate, seconds, connections: Number(options.connections) };
  const file = join(import.meta.dirname, 'lib', 'flood.mjs');
  return runLoad([process.execPath, file, JSON.stringify(all)]).then(JSON.parse);
}

async function closed(running, connections, forSeconds = seconds) {
  const plan = { body: running.chat(), connections, seconds: forSeconds, work };
  const { requests, errors, cpuUs, perSecond } = await closedLoop(running, plan);
  return { good: requests - errors, sent: requests, seconds: requests / perSecond, cpuUs };
}

/** What the node does for as many clients as it likes: the best of some. */
async function capacityOf(running) {
  const tried = [];
  for (const connections of CAPACITY_CONNECTIONS) tried.push(await closed(running, connections, 2));
  return tried
    .map(({ good, sent, seconds: took, cpuUs }) => ({
      perSecond: good / took,
      cpuUs: (cpuUs * sent) / good,
    }))
    .reduce((best, each) => (each.perSecond > best.perSecond ? each : best));
}

const list = (words) => words.split(',').filter(Boolean);
const FLOODS = [
  ...list(options.times).map((times) => ({
    name: `${times} × capacity`,
    send: (running, capacity) => openLoop(running, capacity * Number(times)),
  })),
  ...list(options.closed).map((connections) => ({
    name: `${connections} connections, each asking again at once`,
    send: (running) => closed(running, Number(connections)),
  })),
];

async function measure(running, lines) {
  const neighbour = await neighbourAt(running.names.BASE);
  await closed(running, 64);
  let before = await capacityOf(running);
  for (const { name, send } of FLOODS) {
    const cpuBefore = cpu(running.processes);
    const seen = await during(running, neighbour, () => send(running, before.perSecond));
    const cpuUs = used(cpuBefore, cpu(running.processes)).cpuUs / seen.good;
    await sleep(REST_MS);
    const after = await capacityOf(running);
    // What else the machine does changes: a flood is held against what is there around it.
    const capacity = {
      perSecond: (before.perSecond + after.perSecond) / 2,
      cpuUs: (before.cpuUs + after.cpuUs) / 2,
    };
    const told = [before, after].map(
      (each) => `${each.perSecond.toFixed(0)}/s at ${each.cpuUs.toFixed(0)} µs`,
    );
    tell(`${name}: capacity ${told.join(', ')}`);
    lines.push(lineOf(name, capacity, { ...seen, cpuUs }));
    before = after;
  }
}

const part = (figure, of) => `${((100 * figure) / of).toFixed(0)} %`;
const ms = (value) => (value === undefined ? '–' : value.toFixed(0));
const answered = ({ times, failed }) => `${times.length} of ${times.length + failed}`;

function lineOf(name, capacity, seen) {
  const { livez, next, login } = seen;
  const perSecond = (count) => count / seen.seconds / capacity.perSecond;
  const cells = [
    name,
    perSecond(seen.sent).toFixed(1),
    part(perSecond(seen.good), 1),
    part(capacity.cpuUs, seen.cpuUs),
    `${answered(livez)}, ${ms(livez.p50)}, ${ms(livez.p99)}`,
    `${answered(next)}, ${ms(next.p50)}`,
    `${answered(login)}, ${ms(login.p50)}`,
    seen.peakMb.toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

await compile();
mkdirSync(work, { recursive: true });
pinProcesses();
const upstream = await startUpstream(work, 50);
process.on('exit', () => upstream.kill());
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
const target = targets.find(({ name }) => name === 'gateway');
const running = await startTarget(target, work);
const lines = [
  '| Flood | sent, × capacity | good answers, of capacity | good answers for a second of CPU ' +
    '| /livez: answered, p50, p99 ms | other organization: answered, p50 ms | its logins | MB |',
  '| --- | --- | --- | --- | --- | --- | --- | --- |',
];
try {
  for (let round = 0; round < Number(options.rounds); round += 1) await measure(running, lines);
} finally {
  await running.stop();
}
const text = `${lines.join('\n')}\n`;
writeFileSync(join(work, 'overload.md'), text);
process.stdout.write(text);
process.exit();
