// The phases: load on one side, the processor's account of the target on the other.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHAT_PATH, chatBody } from './chat.mjs';
import { GATEWAY_CORE, isPinned, LOAD_CORE, runLoad, sleep } from './machine.mjs';
import { core, cpu, rssMb, used } from './proc.mjs';
import { setGap, UPSTREAM } from './upstream.mjs';

const HERE = import.meta.dirname;
const SAMPLE_MS = 200;
/** Other work may take this part of the gateway's core before a phase is taken again. */
const FOREIGN_MAX = 0.1;

/** Runs `load` and tells what the target used meanwhile, times in microseconds. */
async function measured(running, load) {
  const before = cpu(running.processes);
  const servicesBefore = cpu(running.services);
  const coreBefore = core(GATEWAY_CORE);
  const startedMs = performance.now();
  let peakMb = 0;
  const look = () => {
    peakMb = Math.max(peakMb, rssMb(running.processes));
  };
  const sampler = setInterval(look, SAMPLE_MS);
  const result = await load();
  clearInterval(sampler);
  const seconds = (performance.now() - startedMs) / 1_000;
  const own = used(before, cpu(running.processes));
  const services = used(servicesBefore, cpu(running.services));
  const busyUs = core(GATEWAY_CORE).busyUs - coreBefore.busyUs;
  look();
  running.peakMb = Math.max(running.peakMb ?? 0, peakMb);
  const foreign = isPinned() ? Math.max(0, busyUs - own.cpuUs) / 1e6 / seconds : 0;
  return { result, foreign, cpuUs: own.cpuUs, servicesUs: services.cpuUs, seconds };
}

/** wrk with as many connections as asked for, each with one request at a time. */
export async function closedLoop(running, { body, connections, seconds, work }) {
  const phase = await measured(running, () => wrk(running, body, connections, seconds, work));
  const { result } = phase;
  return {
    perSecond: result.requests / (result.us / 1e6),
    cpuUs: phase.cpuUs / result.requests,
    servicesUs: phase.servicesUs / result.requests,
    coreShare: phase.cpuUs / 1e6 / phase.seconds,
    p50: result.p50,
    p99: result.p99,
    errors: result.errors,
    requests: result.requests,
    foreign: phase.foreign,
  };
}

const REPORT = `done = function(s, l, r)
  local e = s.errors
  io.write(string.format(
    '\\n@@{"requests":%d,"us":%d,"errors":%d,"p50":%d,"p99":%d}\\n', s.requests, s.duration,
    e.status + e.connect + e.read + e.write + e.timeout, l:percentile(50), l:percentile(99)))
end`;

async function wrk(running, body, connections, seconds, work) {
  const folder = join(work, 'tmp');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${running.target.name}.json`);
  const script = join(folder, `${running.target.name}.lua`);
  writeFileSync(file, JSON.stringify(body));
  const headers = { 'Content-Type': 'application/json', ...running.headers };
  const lines = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  const read = `local f = io.open(${JSON.stringify(file)}); wrk.body = f:read("*a"); f:close()`;
  writeFileSync(script, ['wrk.method = "POST"', read, ...lines, REPORT].join('\n'));
  const words = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script];
  const said = await runLoad(['wrk', ...words, running.url]);
  return JSON.parse(said.split('@@')[1]);
}

/** Streams on so many connections; `gapMs` 0 is a burst. */
export async function streams(running, { connections, seconds, events, gapMs }) {
  await setGap(gapMs * 1_000, events);
  const plan = {
    url: running.url,
    headers: running.headers,
    body: running.chat({ stream: true }),
    concurrency: connections,
    seconds,
    expect: events,
    paced: gapMs > 0,
    streamMs: gapMs * events,
  };
  const phase = await measured(running, () => node('stream.mjs', plan));
  await setGap(0, events);
  const { result } = phase;
  return {
    ...result,
    cpuUs: phase.cpuUs / result.streams,
    eventCpuUs: phase.cpuUs / result.events,
    servicesUs: phase.servicesUs / result.streams,
    foreign: phase.foreign,
  };
}

/** A fixed rate, each request paired with one to the upstream itself. */
export async function fixedRate(running, { rate, seconds }) {
  const plan = {
    target: { url: running.url, headers: running.headers, body: running.chat() },
    base: { url: UPSTREAM.url + CHAT_PATH, body: chatBody() },
    rate,
    seconds,
  };
  const phase = await measured(running, () => node('rate.mjs', plan));
  const { result } = phase;
  return {
    ...result,
    cpuUs: phase.cpuUs / result.completed,
    servicesUs: phase.servicesUs / result.completed,
    foreign: phase.foreign,
  };
}

async function node(script, plan) {
  return JSON.parse(await runLoad([process.execPath, join(HERE, script), JSON.stringify(plan)]));
}

/** Waits for a moment without other work, as long as the round's patience lasts. */
export async function untilQuiet(round) {
  while (isPinned() && round.patienceMs > 0) {
    const before = [core(GATEWAY_CORE).busyUs, core(LOAD_CORE).busyUs];
    const startedMs = performance.now();
    await sleep(2 * SAMPLE_MS);
    const ms = performance.now() - startedMs;
    const share = (name, at) => (core(name).busyUs - before[at]) / 1_000 / ms;
    if (share(GATEWAY_CORE, 0) <= 0.15 && share(LOAD_CORE, 1) <= 0.3) return;
    round.patienceMs -= ms;
  }
}

/** A phase, taken again while other work disturbs it; the least disturbed one counts. */
export async function leastDisturbed(round, phase) {
  let kept;
  for (let taken = 0; taken <= round.retries; taken += 1) {
    await untilQuiet(round);
    const result = await phase();
    if (!kept || result.foreign < kept.foreign) kept = result;
    if (kept.foreign <= FOREIGN_MAX) break;
  }
  return kept;
}
