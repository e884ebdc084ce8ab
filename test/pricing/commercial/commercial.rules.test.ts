import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify, factFaults } from '../../../src/pricing/commercial/classify.rules.js';
import { DEAL_REASONS } from '../../../src/pricing/commercial/vocabulary.js';
import { winRateOf } from '../../../src/pricing/commercial/win-rate.rules.js';
import { judgeWtp, statedWtp } from '../../../src/pricing/commercial/wtp.rules.js';

const COUNT = fc.integer({ min: 0, max: 5_000 });
const MICRO = fc.bigInt({ min: 0n, max: 10n ** 15n });

describe('a willingness to pay', () => {
  const recordedAt = new Date('2026-01-01T00:00:00Z');
  const wtp = { wtpMicro: 100n, windowDays: 10, recordedAt };
  const within = new Date('2026-01-10T23:59:59.999Z');
  const over = new Date('2026-01-11T00:00:00Z');

  it.each([
    [100n, within, 'VALIDATED'],
    [100n, over, 'VALIDATED'],
    [99n, within, 'DECLARED'],
    [99n, over, 'REFUTED'],
    [0n, over, 'REFUTED'],
  ])('of 100 with %s topped up is judged by the window: %s %s', (paid, asOf, status) => {
    const missing = paid < 100n ? 100n - paid : 0n;
    expect(judgeWtp(wtp, paid, asOf)).toMatchObject({ status, missingMicro: missing });
  });

  it('says what would lift it only while the window is open', () => {
    expect(judgeWtp(wtp, 40n, within).needed).toEqual([
      'top-ups of 0.00006 RUB before 2026-01-11T00:00:00.000Z',
    ]);
    expect(judgeWtp(wtp, 40n, over).needed).toEqual([]);
  });

  it('validated_only_from_ledger: top-ups never make it worse, and time never better', () => {
    const rank = { REFUTED: 0, DECLARED: 1, VALIDATED: 2 };
    fc.assert(
      fc.property(MICRO, MICRO, MICRO, fc.boolean(), (wtpMicro, paid, more, isOver) => {
        const of = (micro: bigint, asOf: Date) =>
          rank[judgeWtp({ ...wtp, wtpMicro }, micro, asOf).status];
        const asOf = isOver ? over : within;
        expect(of(paid + more, asOf)).toBeGreaterThanOrEqual(of(paid, asOf));
        expect(of(paid, over)).toBeLessThanOrEqual(of(paid, within));
      }),
    );
  });

  it('body_cannot_raise: whatever is stated to have been paid, it is DECLARED', () => {
    fc.assert(
      fc.property(MICRO, fc.option(MICRO), (wtpMicro, paidMicro) => {
        const stated = { dealRef: null, wtpMicro, windowDays: 1, paidMicro };
        expect(statedWtp(stated).status).toBe('DECLARED');
      }),
    );
  });
});

describe('the classification of deals', () => {
  const none = { outcome: null, reason: null, signed: null };

  it('no_decision_is_no_loss: silence and every reason of no decision', () => {
    const silent = [
      { ...none, outcome: 'no_decision' as const },
      { ...none, signed: false },
      ...DEAL_REASONS.rows
        .filter(({ outcome }) => outcome === 'no_decision')
        .map(({ code: reason }) => ({ ...none, reason })),
    ];
    for (const facts of silent) {
      expect(factFaults(facts)).toEqual([]);
      expect(classify(facts)).toMatchObject({
        outcome: 'no_decision',
        isLoss: false,
        inWinRate: false,
      });
    }
  });

  it('follows the reason to its outcome, and a signature to a win', () => {
    for (const { code: reason, outcome } of DEAL_REASONS.rows) {
      expect(classify({ ...none, reason }).outcome).toBe(outcome);
    }
    expect(classify({ ...none, signed: true })).toMatchObject({
      outcome: 'win',
      decidedBy: 'signed',
      inWinRate: true,
    });
  });

  it('refuses facts that say nothing or contradict one another', () => {
    const paths = (facts: Parameters<typeof factFaults>[0]) =>
      factFaults(facts).map(({ path }) => path);
    expect(paths(none)).toEqual(['input.outcome']);
    expect(paths({ ...none, outcome: 'win', reason: 'price_too_high' })).toEqual(['input.reason']);
    expect(paths({ ...none, signed: true, reason: 'postponed' })).toEqual(['input.signed']);
    expect(paths({ ...none, signed: false, outcome: 'win' })).toEqual(['input.signed']);
  });
});

describe('a win rate', () => {
  it('win_rate_of_decided: is won / (won + lost), whatever was not decided', () => {
    fc.assert(
      fc.property(COUNT, COUNT, COUNT, (won, lost, noDecision) => {
        fc.pre(won + lost > 0);
        const { winRate, intervalLow, intervalHigh, verdict } = winRateOf({
          won,
          lost,
          noDecision,
        });
        expect(verdict).toBe('COMPUTED');
        expect(winRate).toBeCloseTo(won / (won + lost), 5);
        expect(intervalLow).toBeLessThanOrEqual(won / (won + lost));
        expect(intervalHigh).toBeGreaterThanOrEqual(won / (won + lost));
      }),
    );
  });

  it('of no decided deal is none', () => {
    expect(winRateOf({ won: 0, lost: 0, noDecision: 7 })).toEqual({
      verdict: 'CANNOT_CONCLUDE',
      won: 0,
      lost: 0,
      noDecision: 7,
      winRate: null,
      intervalLow: null,
      intervalHigh: null,
      intervalMethod: 'wilson',
      reason: 'No deal was won or lost, and a share of nothing is not known.',
      needed: ['at least one deal that was won or lost'],
    });
  });
});
