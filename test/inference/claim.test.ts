import { describe, expect, it, vi } from 'vitest';
import type { AuthorizedCtx } from '../../src/graph/ctx.js';
import { Claim } from '../../src/inference/claim.js';
import { OpenRequests } from '../../src/inference/open-requests.js';
import type { Admission } from '../../src/inference/stages/admit.js';

/** A request with a slot and 100 tokens, and what becomes of them. */
function claimed(keyed = false) {
  const told: string[] = [];
  const openRequests = new OpenRequests();
  let leave = () => {};
  const ctx = {
    requestId: 'r-1',
    who: { accountId: 'a-1', projectId: 'p-1' },
    ...(keyed && { keyed: { effectId: 'r-1', repeated: false } }),
    services: {
      openRequests,
      counters: {
        adjust: (name: string, _perMinute: number, points: number) =>
          told.push(`${name} ${points}`),
        release: (name: string, slot: string) => told.push(`${name} ${slot}`),
      },
      ledger: { delivered: (...ref: string[]) => told.push(`delivered ${ref.join(' ')}`) },
    },
    transport: {
      onFinished: (callback: () => void) => {
        leave = callback;
      },
    },
  } as unknown as AuthorizedCtx;
  const admission = { policy: { limits: {} }, tokensTaken: 100, slot: 's-1' } as Admission;
  const claim = new Claim(ctx, admission);
  return { claim, openRequests, told, leave: () => leave() };
}

describe('a claim', () => {
  it('is closed once: slot and unused tokens go back to the first who closes it', () => {
    const { claim, told } = claimed();
    expect([claim.close(30), claim.close(0), claim.close(100)]).toEqual([true, false, false]);
    expect(told).toEqual(['tpm:p-1 70', 'slots:p-1 s-1']);
  });

  it('makes a charge final when its answer has left, whichever comes first', () => {
    const [early, late] = [claimed(), claimed()];
    early.leave();
    expect(early.told).toEqual([]);
    early.claim.charged();
    late.claim.charged();
    expect(late.told).toEqual([]);
    late.leave();
    expect([early.told, late.told]).toEqual([['delivered a-1 r-1'], ['delivered a-1 r-1']]);
  });

  it('is under way until it is settled, or ten seconds after its client has left', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { claim, openRequests, leave, told } = claimed();
      leave();
      vi.advanceTimersByTime(9_000);
      expect(openRequests.isUnderWay('r-1')).toBe(true);
      vi.advanceTimersByTime(2_000);
      expect(openRequests.isUnderWay('r-1')).toBe(false);
      openRequests.forget('r-1');
      expect([openRequests.size, claim.close(0)]).toEqual([0, false]);
      expect(told).toEqual(['tpm:p-1 100', 'slots:p-1 s-1']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('under a key is under way however long its client has left', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { claim, openRequests, leave } = claimed(true);
      leave();
      vi.advanceTimersByTime(600_000);
      expect(openRequests.isUnderWay('r-1')).toBe(true);
      claim.settled();
      expect(openRequests.isUnderWay('r-1')).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});
