import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DeploymentLimits } from '../../../src/catalog/providers/catalogue-entry.js';
import type { Deployment } from '../../../src/catalog/providers/model.js';
import { Gate, isAtLimit, type Passage } from '../../../src/inference/upstream/gate.js';
import { MemoryCounters } from '../../../src/platform/counters/memory.js';

let nowMs: number;
let gate: Gate;
let counters: MemoryCounters;
const open = (share = (limit: number) => limit) =>
  new Gate({ counters, share, leaseMs: 1_000, now: () => nowMs });

beforeEach(() => {
  nowMs = 5_000;
  counters = new MemoryCounters(() => nowMs);
  gate = open();
});

const limited = (limits?: DeploymentLimits) => ({ key: 'a:m', limits }) as Deployment;

/** Asks for a passage. @returns what was taken, `free` for nothing, or the wait in milliseconds */
async function pass(
  limits: DeploymentLimits | undefined,
  tokens = 1,
  at = gate,
): Promise<Passage | 'free' | number> {
  const passed = await at.pass(limited(limits), { tokensOf: () => tokens });
  if (passed === undefined) return 'free';
  return isAtLimit(passed) ? passed.waitMs : passed;
}

const isPassage = (passed: unknown): passed is Passage => typeof passed === 'object';

describe('a gate without limits', () => {
  it('gives nothing to give back, and waits for nothing', () => {
    expect(gate.pass(limited(), { tokensOf: () => 1 })).toBeUndefined();
    expect(gate.waitMs).toBe(0);
  });
});

describe('limits that an operator states', () => {
  it('let so many requests of a minute through, and name the time of the next', async () => {
    const limits = { requestsPerMinute: 2 };
    expect(isPassage(await pass(limits))).toBe(true);
    expect(isPassage(await pass(limits))).toBe(true);
    expect(await pass(limits)).toBe(61_000);
    nowMs += 61_000;
    expect(isPassage(await pass(limits))).toBe(true);
  });

  it('hold places until an answer has ended, and give each back once', async () => {
    const limits = { concurrentRequests: 1 };
    const first = await pass(limits);
    expect(await pass(limits)).toBe(250);
    if (isPassage(first)) {
      first.ended();
      const second = await pass(limits);
      expect(isPassage(second)).toBe(true);
      first.ended();
      expect(await pass(limits)).toBe(250);
    }
  });

  it('reserve what a request may take, and keep what it took', async () => {
    const limits = { tokensPerMinute: 100 };
    const first = await pass(limits, 80);
    expect(await pass(limits, 30)).toBe(61_000);
    if (isPassage(first)) {
      first.used({ total_tokens: 50 });
      first.ended();
    }
    expect(await pass(limits, 51)).toBe(61_000);
    expect(isPassage(await pass(limits, 50))).toBe(true);
  });

  it.each([
    ['no usage', {}, 40],
    ['usage of nothing', { total_tokens: 0 }, 0],
    ['parts without a total', { prompt_tokens: 5, completion_tokens: 7 }, 12],
    ['usage beyond all measure', { total_tokens: 1e15 }, 80],
    ['usage that is none', { total_tokens: -7 }, 40],
  ])('take %s as it can be', async (_, usage, kept) => {
    const limits = { tokensPerMinute: 100 };
    const first = await pass(limits, 40);
    if (isPassage(first)) {
      first.used(usage);
      first.ended();
    }
    expect(isPassage(await pass(limits, 100 - kept))).toBe(true);
    expect(typeof (await pass(limits, 1))).toBe('number');
  });

  it('give everything back of a call that never reached the provider', async () => {
    const limits = { requestsPerMinute: 1, tokensPerMinute: 10, concurrentRequests: 1 };
    const first = await pass(limits, 10);
    if (isPassage(first)) first.ended(true);
    expect(isPassage(await pass(limits, 10))).toBe(true);
  });

  it('are shared by nodes that count for themselves, none of them getting more', async () => {
    const [one, other] = [open(() => 2), open(() => 1)];
    const limits = { requestsPerMinute: 3 };
    const passed = [await pass(limits, 1, one), await pass(limits, 1, one)];
    expect(passed.every(isPassage)).toBe(true);
    expect(typeof (await pass(limits, 1, one))).toBe('number');
    counters = new MemoryCounters(() => nowMs);
    expect(typeof (await pass(limits, 1, other))).toBe('number');
  });

  it('are never passed, however requests come and what they use', async () => {
    const calls = fc.array(
      fc.record({
        waitMs: fc.integer({ min: 0, max: 20_000 }),
        tokens: fc.integer({ min: 1, max: 40 }),
        share: fc.integer({ min: 0, max: 100 }),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(calls, async (rows) => {
        nowMs = 0;
        counters = new MemoryCounters(() => nowMs);
        const own = open();
        const limits = { requestsPerMinute: 5, tokensPerMinute: 60 };
        const sent: { at: number; tokens: number }[] = [];
        for (const { waitMs, tokens, share } of rows) {
          nowMs += waitMs;
          const passed = await pass(limits, tokens, own);
          if (!isPassage(passed)) continue;
          const used = Math.floor((tokens * share) / 100);
          sent.push({ at: nowMs, tokens: used });
          passed.used({ total_tokens: used });
          passed.ended();
        }
        for (const { at } of sent) {
          const within = sent.filter((one) => one.at >= at && one.at < at + 60_000);
          expect(within.length).toBeLessThanOrEqual(5);
          expect(within.reduce((sum, one) => sum + one.tokens, 0)).toBeLessThanOrEqual(60);
        }
      }),
    );
  });
});

describe('what a provider says of itself', () => {
  it('stops calls until its time, and is asked again after it', async () => {
    gate.told({ requestsLeft: 1, requestsResetMs: 500 });
    expect(await pass(undefined)).toBe('free');
    expect(await pass(undefined)).toBe(498);
    expect(gate.waitMs).toBe(498);
    nowMs += 500;
    expect(await pass(undefined)).toBe('free');
  });

  it('counts for a second where it names no time', async () => {
    gate.told({ requestsLeft: 0 });
    expect(await pass(undefined)).toBe(998);
    nowMs += 998;
    expect(await pass(undefined)).toBe('free');
  });

  it('is believed where it is less than was known, and more only after its time', async () => {
    gate.told({ requestsLeft: 0, requestsResetMs: 500 });
    gate.told({ requestsLeft: 900, requestsResetMs: 100 });
    expect(await pass(undefined)).toBe(498);
    nowMs += 500;
    gate.told({ requestsLeft: 900 });
    expect(await pass(undefined)).toBe('free');
  });

  it('holds tokens against a request only where the whole limit is known', async () => {
    gate.told({ tokensLeft: 50, tokensResetMs: 500 });
    expect(await pass(undefined, 40)).toBe('free');
    gate.told({ tokensLeft: 10, tokensResetMs: 500 });
    expect(await pass(undefined, 40)).toBe('free');
    gate.told({ tokensLeft: 10, tokensLimit: 1_000, tokensResetMs: 500 });
    expect(await pass(undefined, 40)).toBe(498);
    expect(await pass(undefined, 4)).toBe('free');
  });

  it('closes for as long as a refusal asks, and for a minute at most', async () => {
    gate.refused(undefined);
    expect(await pass(undefined)).toBe('free');
    gate.refused(300);
    expect(await pass(undefined)).toBe(298);
    gate.refused(1e12);
    expect(await pass(undefined)).toBe(59_998);
    nowMs += 59_998;
    expect(await pass(undefined)).toBe('free');
  });
});
