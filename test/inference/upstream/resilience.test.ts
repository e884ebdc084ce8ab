import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  Attempt,
  StreamAnswer,
  UpstreamAnswer,
} from '../../../src/inference/upstream/call.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../../support/upstream-double.js';
import { chatCall, drain, type Lanes, makeLanes } from './lanes.js';

const REQUESTS = 600;
/** Giving a silent deployment up takes seconds, and a busy machine many more. */
const TEST_MS_MAX = 120_000;
const CONCURRENT = 40;
/** Calls that may find out together that a deployment is silent, or fails too often. */
const FINDING_OUT_MAX = 40;

let double: SpawnedDouble;
let lanes: Lanes;
beforeEach(async () => {
  double = await spawnUpstreamDouble();
  // Deadlines far beyond what a busy machine needs: nothing here may fail for want of time.
  lanes = makeLanes(
    ['hole', 'flaky', 'slow'].map((name) => ({ name, origin: double.origin, model: 'one/model' })),
    { firstByteMs: 60_000, firstByteTotalMs: 120_000, gapMs: 60_000, totalMs: 200_000 },
  );
  await double.script('hole', { blackHole: true });
  await double.script('flaky', { resetShare: 0.3 });
  await double.script('slow', { delayMs: 60 });
});
afterEach(async () => {
  await lanes.upstream.close();
  await double.close();
});

async function runAll(orders: readonly (readonly string[])[]) {
  let next = 0;
  const answers: UpstreamAnswer[] = Array(REQUESTS);
  const ends: string[] = [];
  const worker = async () => {
    while (next < REQUESTS) {
      const at = next;
      next += 1;
      const order = orders[at % orders.length] ?? [];
      const answer = await lanes.upstream.call(lanes.chain(...order), chatCall(at % 2 === 0));
      answers[at] = answer;
      if (answer.kind === 'stream') ends.push((await drain(answer as StreamAnswer)).end.kind);
      else ends.push('done');
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  return { answers, ends };
}

function of(attempts: readonly Attempt[], lane: string): number {
  return attempts.filter(({ providerId }) => providerId === lane).length;
}

describe('with one of three upstreams black-holed, one resetting three of ten and one slow', () => {
  it.each([
    ['the worst first', [['hole', 'flaky', 'slow']]],
    [
      'in any order',
      [
        ['slow', 'flaky', 'hole'],
        ['flaky', 'hole', 'slow'],
        ['hole', 'slow', 'flaky'],
      ],
    ],
  ])(
    'every request is answered in full with at most 1.2 attempts each, %s',
    async (_, orders) => {
      const { answers, ends } = await runAll(orders);
      expect(ends).toEqual(Array(REQUESTS).fill('done'));
      const all = answers.flatMap(({ attempts }) => attempts);
      expect(all.length / REQUESTS).toBeLessThanOrEqual(1.2);
      // What is silent or fails too often is found out by few, and left alone by all others.
      expect(of(all, 'hole')).toBeLessThanOrEqual(FINDING_OUT_MAX);
      // Nobody waited for a deployment that was known to be silent, or for the silent one twice.
      for (const { attempts } of answers) expect(of(attempts, 'hole')).toBeLessThanOrEqual(1);
      const late = answers.slice(REQUESTS / 2).flatMap(({ attempts }) => attempts);
      expect(of(late, 'hole')).toBe(0);
      const health = lanes.upstream.health();
      expect(health.find(({ deployment }) => deployment === 'hole:one/model')).toMatchObject({
        aside: 'silent',
      });
      // A slow one that is always slow is as good as any.
      expect(health.find(({ deployment }) => deployment === 'slow:one/model')).toMatchObject({
        state: 'closed',
        failures: 0,
        aside: null,
      });
    },
    TEST_MS_MAX,
  );
});
