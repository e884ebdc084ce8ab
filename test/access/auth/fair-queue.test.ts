import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../src/access/auth/fair-queue.js';

const refusal = () => new Error('full');

/** Jobs that end when they are told to, in the order in which they were started. */
function harness(bounds: { readonly atOnceMax: number; readonly waitingMax: number }) {
  const queue = new FairQueue(bounds);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const refused: string[] = [];
  const add = (owner: string) => {
    const work = () => {
      started.push(owner);
      return new Promise<void>((end) => ends.push(end));
    };
    return queue.run(owner, work, refusal).catch(() => {
      refused.push(owner);
    });
  };
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  const drain = async () => {
    for (await settle(); ends.length > 0; await settle()) ends.shift()?.();
  };
  return { queue, started, refused, add, settle, drain, ends };
}

describe('a bounded queue with owners', () => {
  it('starts them in turn, whoever came first with many', async () => {
    const { add, started, drain, queue } = harness({ atOnceMax: 1, waitingMax: 10 });
    for (const owner of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) void add(owner);
    await drain();
    expect(started.join('')).toBe('aabcaba');
    expect(queue.size).toBe(0);
  });

  it('takes from whoever has most when it is full, and refuses whoever has as much', async () => {
    const { add, started, refused, drain, settle } = harness({ atOnceMax: 1, waitingMax: 4 });
    for (const owner of ['a', 'a', 'a', 'a', 'a', 'a']) void add(owner);
    await settle();
    expect(refused).toEqual(['a']);
    void add('b');
    await settle();
    expect(refused).toEqual(['a', 'a']);
    void add('b');
    await settle();
    expect(refused).toEqual(['a', 'a', 'a']);
    void add('b');
    await settle();
    expect(refused).toEqual(['a', 'a', 'a', 'b']);
    await drain();
    expect(started.join('')).toBe('aabab');
  });

  it('runs no more at once than it may, loses nothing, and goes on after failures', async () => {
    const owners = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(owners, fc.integer({ min: 1, max: 4 }), async (all, atOnceMax) => {
        const queue = new FairQueue({ atOnceMax, waitingMax: 8 });
        let running = 0;
        let most = 0;
        const outcomes = await Promise.all(
          all.map((owner, index) => {
            const work = async () => {
              running += 1;
              most = Math.max(most, running);
              await Promise.resolve();
              running -= 1;
              if (index % 3 === 0) throw new Error('failed');
              return 'done';
            };
            return queue.run(owner, work, refusal).catch(({ message }: Error) => message);
          }),
        );
        expect(most).toBeLessThanOrEqual(atOnceMax);
        expect(outcomes.filter((each) => each === 'full').length).toBe(queue.refused);
        expect(outcomes.length).toBe(all.length);
        expect([running, queue.size]).toEqual([0, 0]);
      }),
    );
  });

  it('has room for an owner that has nothing in it, as long as another has two', async () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 8, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(numbers, async (all) => {
        const { add, refused, settle, drain, started } = harness({ atOnceMax: 1, waitingMax: 24 });
        for (const owner of all) void add(`flood ${owner}`);
        await settle();
        void add('next');
        await drain();
        expect(refused).not.toContain('next');
        expect(started).toContain('next');
      }),
    );
  });
});
