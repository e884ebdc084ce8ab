import { beforeEach, describe, expect, it } from 'vitest';
import { AskedCounters } from '../../../src/platform/counters/asked.js';
import { CountingForOthers } from '../../../src/platform/counters/counting-for-others.js';
import {
  type Bench,
  describeBuckets,
  describeSlots,
  describeTaking,
  describeWindows,
  rate,
  slotOf,
} from './contract.js';

let nowMs: number;
let primary: CountingForOthers;
let messages: number;
let bench: Bench;

/** A process that asks by messages, which are JSON as between processes. */
function worker(number: number): AskedCounters {
  const counters: AskedCounters = new AskedCounters((calls) => {
    messages += 1;
    const answers = primary.answer(number, JSON.parse(JSON.stringify(calls)));
    setImmediate(() => counters.answered(JSON.parse(JSON.stringify(answers))));
  });
  return counters;
}

beforeEach(() => {
  nowMs = 1_000;
  messages = 0;
  primary = new CountingForOthers(() => nowMs);
  let keys = 0;
  bench = {
    counters: worker(1),
    async pass(ms) {
      nowMs += ms;
    },
    key: () => `key-${keys++}`,
  };
});

describe('limits that another process counts', () => describeTaking(() => bench));
describe('buckets that another process counts', () => describeBuckets(() => bench));
describe('slots that another process counts', () => describeSlots(() => bench));
describe('windows that another process counts', () => describeWindows(() => bench));

describe('workers of one primary', () => {
  it('admit together exactly what a limit holds, and ask in few messages', async () => {
    const workers = [worker(1), worker(2), worker(3)];
    const limits = [rate('bucket', 100), slotOf('slots', 40, '')] as const;
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => {
        const slot = { ...limits[1], slot: String(index) };
        return workers[index % 3]?.take(index < 150 ? [slot] : [limits[0]]);
      }),
    );
    const admitted = answers.map((answer) => answer?.refused === undefined);
    expect(admitted.slice(0, 150).filter(Boolean)).toHaveLength(40);
    expect(admitted.slice(150).filter(Boolean)).toHaveLength(100);
    expect(messages).toBe(3);
  });

  it('get the slots of one that has ended, and of no other', async () => {
    const [one, other] = [worker(1), worker(2)];
    await one.take([slotOf('slots', 3, 'a')]);
    await one.take([slotOf('slots', 3, 'b')]);
    await other.take([slotOf('slots', 3, 'c')]);
    one.release('slots', 'a');
    await one.close();
    primary.forget(1);
    const [free] = (await other.take([slotOf('slots', 3, 'd')])).states;
    expect(free?.remaining).toBe(1);
  });

  it('give back to all what one has taken of a window and not used', async () => {
    const window = { kind: 'window', key: 'window', limit: 10, points: 8 } as const;
    const [one, other] = [worker(1), worker(2)];
    const taken = await one.take([window]);
    taken.correct?.('window', 5);
    await one.take([]);
    expect((await other.take([{ ...window, points: 7 }])).refused).toBeUndefined();
    expect((await other.take([{ ...window, points: 1 }])).refused).toBe(0);
  });
});
