// One target in one round: its starts, its phases, its memory.
import { sleep, tell } from './machine.mjs';
import { closedLoop, fixedRate, leastDisturbed, streams, untilQuiet } from './measure.mjs';
import { pssMb, rssMb } from './proc.mjs';
import { startTarget } from './target.mjs';

const WARM_CONNECTIONS = 64;
const WARM_REQUESTS = 5_000;
const SETTLE_MS = 1_500;

/** Measures a target. What fails is told in the record, so that the other targets go on. */
export async function measureTarget(target, number, options) {
  const record = { target: target.name, round: number };
  const round = { patienceMs: options.patienceMs, retries: options.retries };
  let running;
  try {
    running = await startOften(target, options, record);
    if (number === 0 || options.check) record.stream = await checkStream(running, options);
    if (!options.check) await phasesOf(running, round, options, record);
  } catch (error) {
    record.failed = String(error.message ?? error).slice(0, 800);
    tell(`  ${target.name}: ${record.failed}`);
  } finally {
    await running?.stop();
  }
  return record;
}

/** Starts a target as often as asked for and leaves the last one running. */
async function startOften(target, options, record) {
  const starts = [];
  let running;
  for (let count = 0; count < options.starts; count += 1) {
    await running?.stop();
    await untilQuiet({ patienceMs: 10_000 });
    running = await startTarget(target, options.work);
    starts.push(running);
  }
  const middle = (of) => starts.map(of).sort((a, b) => a - b)[starts.length >> 1];
  record.startMs = middle((one) => one.startMs);
  record.startCpuMs = middle((one) => one.startCpuMs);
  await sleep(SETTLE_MS);
  record.idleMb = rssMb(running.processes);
  return running;
}

/** Events must come one by one, not as a lump at the end. */
async function checkStream(running, { events, gapMs }) {
  const plan = { connections: 1, seconds: 0.5, events, gapMs };
  const { errors, short, error, whole, first } = await streams(running, plan);
  const spanMs = (whole.p50 - first.p50) / 1_000;
  const ok = errors === 0 && short === 0 && spanMs > gapMs * events * 0.7;
  if (!ok) tell(`  ${running.target.name}: a stream is not event by event: ${error ?? spanMs}`);
  return { ok, spanMs };
}

async function phasesOf(running, round, options, record) {
  const { concurrency, events, gapMs, phases, seconds, work } = options;
  const best = (phase) => leastDisturbed(round, phase);
  const each = async (phase) => {
    const results = {};
    for (const connections of concurrency) results[connections] = await phase(connections);
    return results;
  };
  const loop = (body, connections, time = seconds) =>
    closedLoop(running, { body, connections, seconds: time, work });
  await warmUp(() => loop(running.chat(), WARM_CONNECTIONS, 2));
  if (phases.has('requests')) {
    record.requests = await each((connections) => best(() => loop(running.chat(), connections)));
  }
  if (phases.has('large')) {
    const body = running.chat({ length: options.largeBytes });
    record.large = await best(() => loop(body, 16));
  }
  if (phases.has('rate')) {
    const plan = { rate: options.rate, seconds: Math.max(4, seconds * 1.5) };
    record.rate = await best(() => fixedRate(running, plan));
  }
  const stream = (connections, gap) =>
    streams(running, { connections, seconds, events, gapMs: gap });
  if (phases.has('burst')) {
    await stream(16, 0);
    record.burst = await each((connections) => best(() => stream(connections, 0)));
  }
  if (phases.has('paced')) {
    record.paced = await each((connections) => best(() => stream(connections, gapMs)));
  }
  await sleep(SETTLE_MS);
  record.afterMb = rssMb(running.processes);
  record.peakMb = running.peakMb;
  record.servicesMb = pssMb(running.services);
  record.foreign = meanForeign(record);
}

/** Connections, compiled code and caches. */
async function warmUp(load) {
  let requests = 0;
  for (let turn = 0; requests < WARM_REQUESTS && turn < 4; turn += 1) {
    requests += (await load()).requests;
  }
}

function meanForeign({ requests = {}, burst = {}, paced = {}, large, rate }) {
  const phases = [requests, burst, paced].flatMap((one) => Object.values(one));
  const all = [...phases, large, rate].filter(Boolean).map(({ foreign }) => foreign);
  return all.reduce((sum, share) => sum + share, 0) / Math.max(1, all.length);
}
