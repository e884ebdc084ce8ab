import { expect, it } from 'vitest';
import { waitBeforeRestart } from '../../../src/app/workers/restarts.rules.js';

it('a worker that dies again and again waits longer each time, ten seconds at most', () => {
  const waits: number[] = [];
  for (let wait = 0; waits.length < 9; ) {
    wait = waitBeforeRestart(wait, 1_000);
    waits.push(wait);
  }
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
});

it('a worker that has lived for half a minute is started again at once', () => {
  expect([waitBeforeRestart(10_000, 29_999), waitBeforeRestart(10_000, 30_000)]).toEqual([
    10_000, 100,
  ]);
});
