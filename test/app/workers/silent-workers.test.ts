import { afterEach, beforeEach, expect, it } from 'vitest';
import { BEAT_EVERY_MS } from '../../../src/app/hangs/silence.rules.js';
import { SilentWorkers, type WatchedWorker } from '../../../src/app/workers/silent-workers.js';

const TIMEOUT_MS = 2_000;

let silent: SilentWorkers;
let killed: string[];
let nowMs: number;
beforeEach(() => {
  silent = new SilentWorkers(TIMEOUT_MS);
  // Looked at by the test alone.
  silent.stop();
  killed = [];
  nowMs = Math.ceil(performance.now());
  silent.look(nowMs);
});
afterEach(() => silent.stop());

function watched(name: string, isServing = true): WatchedWorker {
  const worker = { isServing, kill: () => killed.push(name) };
  silent.add(worker);
  return worker;
}

function look(times: number, heard: readonly WatchedWorker[] = [], isDebugged = false): void {
  for (let count = 0; count < times; count += 1) {
    for (const worker of heard) silent.heard(worker, isDebugged);
    nowMs += BEAT_EVERY_MS;
    silent.look(nowMs);
  }
}

const LOOKS = TIMEOUT_MS / BEAT_EVERY_MS;

it('a worker that is silent for the timeout is killed once, and one that beats is not', () => {
  const well = watched('well');
  watched('hung');
  look(LOOKS, [well]);
  expect(killed).toEqual([]);
  look(3 * LOOKS, [well]);
  expect(killed).toEqual(['hung']);
});

it('workers that hang together are killed one at each look, the longest silent first', () => {
  const third = watched('third', false);
  watched('first');
  watched('second');
  look(LOOKS + 1, [third]);
  expect(killed).toEqual(['first']);
  look(1);
  expect(killed).toEqual(['first', 'second']);
  look(6 * LOOKS - 2);
  expect(killed).toEqual(['first', 'second']);
  look(1);
  expect(killed).toEqual(['first', 'second', 'third']);
});

it('a worker that starts has six times as long, and one that has ended is not killed', () => {
  watched('starting', false);
  const ended = watched('ended');
  silent.remove(ended);
  look(6 * LOOKS);
  expect(killed).toEqual([]);
  look(1);
  expect(killed).toEqual(['starting']);
});

it('a worker with a debugger is not killed, however long it is silent', () => {
  const debugged = watched('debugged');
  look(1, [debugged], true);
  look(20 * LOOKS);
  expect(killed).toEqual([]);
});

it('a primary that was suspended kills nobody when it wakes', () => {
  const worker = watched('worker');
  look(1, [worker]);
  nowMs += 3_600_000;
  look(1);
  look(2, [worker]);
  expect(killed).toEqual([]);
});
