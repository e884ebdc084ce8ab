import { describe, expect, it } from 'vitest';
import { WATCH_LOOKS } from '../../src/finops/anomalies/spend-watch.js';
import { ROLLUP_LOOKS } from '../../src/finops/reports/rollup.js';
import { PROOF_LOOKS } from '../../src/money/integrity/prove.js';
import { Looks } from '../../src/records/looks.js';

const TICK_MS = 400;
const TIMES = { busyMs: 1_000, quietMs: 10_000 };

/** A follower on a clock and a ledger of its own. */
function follower(times = TIMES) {
  const world = {
    nowMs: 0,
    writtenOps: 0,
    lookedAt: [] as number[],
    /** What a look does: whether nothing is left after it. */
    look: async (): Promise<boolean> => true,
  };
  const look = () => {
    world.lookedAt.push(world.nowMs);
    return world.look();
  };
  const looks = new Looks({ times, look }, () => world.writtenOps);
  const tick = () => looks.lookWhenDue(world.nowMs);
  return Object.assign(world, {
    tick,
    /** Ticks over a time, in which the ledger writes so many operations a tick. */
    async live(ms: number, opsATick: number) {
      world.lookedAt = [];
      const endMs = world.nowMs + ms;
      for (; world.nowMs < endMs; world.nowMs += TICK_MS) {
        world.writtenOps += opsATick;
        await tick();
      }
      return world.lookedAt.length;
    },
  });
}

describe('a follower of what the ledger writes', () => {
  it('looks only now and then while nothing is written, however often it is asked', async () => {
    const idle = follower();
    await idle.live(TICK_MS, 0);
    expect(await idle.live(100_000, 0)).toBe(10);
  });

  it('looks as often as it may while something is written, and no more', async () => {
    const busy = follower();
    // Ticks come each 400 ms, so that the first one after a second is 1,200 ms later.
    expect(await busy.live(120_000, 64)).toBe(100);
  });

  it('looks at the next tick for what is written after a silence', async () => {
    const idle = follower();
    await idle.live(30_400, 0);
    const [...before] = idle.lookedAt;
    expect(before).toEqual([0, 10_000, 20_000, 30_000]);
    await idle.live(8_000, 0);
    idle.writtenOps += 1;
    expect(await idle.live(TICK_MS, 0)).toBe(1);
  });

  it('looks again soon where it has left something, or has failed', async () => {
    const held = follower();
    held.look = async () => false;
    expect(await held.live(12_000, 0)).toBe(10);
    const failing = follower();
    failing.look = () => Promise.reject(new Error('the database is away'));
    for (; failing.nowMs < 12_000; failing.nowMs += TICK_MS) {
      await failing.tick().catch(() => undefined);
    }
    expect(failing.lookedAt).toHaveLength(10);
  });

  it('looks once at a time, and again for what was written meanwhile', async () => {
    const slow = follower();
    let end: (isThrough: boolean) => void = () => undefined;
    slow.look = () => new Promise((resolve) => (end = resolve));
    const first = slow.tick();
    slow.writtenOps += 1;
    slow.nowMs = 5_000;
    await slow.tick();
    expect(slow.lookedAt).toEqual([0]);
    end(true);
    await first;
    slow.look = async () => true;
    await slow.tick();
    expect(slow.lookedAt).toEqual([0, 5_000]);
  });
});

describe('the followers of the gateway', () => {
  it('ask the database of an idle gateway sixteen times a minute at most', async () => {
    let asked = 0;
    for (const times of [WATCH_LOOKS, PROOF_LOOKS, ROLLUP_LOOKS]) {
      const idle = follower(times);
      await idle.live(TICK_MS, 0);
      asked += await idle.live(600_000, 0);
    }
    expect(asked).toBeLessThanOrEqual(160);
  });

  it('tell anomalies and alerts within two seconds under load', () => {
    expect(WATCH_LOOKS.busyMs + TICK_MS).toBeLessThan(2_000);
  });
});
