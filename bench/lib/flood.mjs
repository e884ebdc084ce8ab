// A flood that does not care: requests leave at a fixed rate, each on a free connection, whatever
// became of those before, and nobody waits for as long as `retry-after` says. Where every
// connection waits for an answer and no more are allowed, what is due is not sent, and counted.
import { buildRequest, Connection, summary } from './http1.mjs';

const TICK_MS = 5;
const plan = JSON.parse(process.argv[2]);
const request = buildRequest(plan);
const counts = { due: 0, sent: 0, good: 0, refused: 0, other: 0, lost: 0 };
const free = [];
const goodMs = [];
const refusedMs = [];
let open = 0;

function note(status, ms) {
  if (status === 200) {
    counts.good += 1;
    goodMs.push(ms);
  } else if (status === 503) {
    counts.refused += 1;
    refusedMs.push(ms);
  } else counts.other += 1;
}

function send(connection) {
  const startedMs = performance.now();
  let status = 0;
  counts.sent += 1;
  connection.send(request.bytes, {
    head: (seen) => {
      status = seen;
    },
    data: () => {},
    end: () => {
      note(status, performance.now() - startedMs);
      if (connection.alive) free.push(connection);
      else open -= 1;
    },
    error: () => {
      counts.lost += 1;
      open -= 1;
    },
  });
}

function fire() {
  counts.due += 1;
  for (let next = free.pop(); next; next = free.pop()) {
    if (next.alive) return send(next);
    open -= 1;
  }
  if (open >= plan.connections) return undefined;
  open += 1;
  const failed = () => {
    counts.lost += 1;
    open -= 1;
  };
  return new Connection(request.host, request.port).connect().then(send, failed);
}

const startedMs = performance.now();
const timer = setInterval(() => {
  const elapsedMs = Math.min(performance.now() - startedMs, plan.seconds * 1_000);
  const due = Math.floor((elapsedMs / 1_000) * plan.rate);
  while (counts.due < due) void fire();
  if (elapsedMs < plan.seconds * 1_000) return;
  clearInterval(timer);
  const result = {
    ...counts,
    open,
    seconds: plan.seconds,
    goodMs: summary(goodMs),
    refusedMs: summary(refusedMs),
  };
  process.stdout.write(JSON.stringify(result), () => process.exit());
}, TICK_MS);
