import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecastOf } from '../../../src/growth/revenue/forecast.rules.js';
import { PACKAGES } from '../../../src/growth/revenue/offers.js';
import { marginOf, monthlyCost, shareOf } from '../../../src/growth/revenue/quote.rules.js';
import {
  probabilityOf,
  scoreComponents,
  scoreOf,
  stageOf,
} from '../../../src/growth/revenue/score.rules.js';
import { evidenceFor, type SignalEvent } from '../../../src/growth/revenue/signals.rules.js';
import {
  DIMENSIONS,
  LEAD_EVENTS,
  SIGNAL_RULES,
  STAGES,
} from '../../../src/growth/revenue/vocabulary.js';

const DAY_MS = 86_400_000;

const counts = fc.dictionary(fc.constantFrom(...LEAD_EVENTS.codes), fc.nat(50));
const requests = fc.nat(5_000);
const score = (events: object, answers: number) =>
  scoreOf(scoreComponents({ events, requests: answers, usageProvenance: 'declared' }));

describe('a score', () => {
  it('is the sum of its parts, each within its limit, from 0 to 100', () => {
    fc.assert(
      fc.property(counts, requests, (events, answers) => {
        const parts = scoreComponents({ events, requests: answers, usageProvenance: 'estimated' });
        expect(parts.map(({ dimension }) => dimension)).toEqual(DIMENSIONS.codes);
        for (const { points, pointsMax, eventPoints, usagePoints } of parts) {
          expect(points).toBe(Math.min(pointsMax, eventPoints + usagePoints));
        }
        expect(scoreOf(parts)).toBeLessThanOrEqual(100);
        expect(scoreOf(parts)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('never falls by an event or an answer more', () => {
    const one = fc.constantFrom(...LEAD_EVENTS.codes);
    fc.assert(
      fc.property(counts, requests, one, (events, answers, event) => {
        const more = { ...events, [event]: (events[event] ?? 0) + 1 };
        expect(score(more, answers)).toBeGreaterThanOrEqual(score(events, answers));
        expect(score(events, answers + 1)).toBeGreaterThanOrEqual(score(events, answers));
      }),
    );
  });

  it('calls usage measured only where nothing declared is in it', () => {
    const usageOf = (events: object) =>
      scoreComponents({ events, requests: 5, usageProvenance: 'estimated' }).find(
        ({ dimension }) => dimension === 'usage',
      );
    expect(usageOf({})).toMatchObject({ points: 5, provenance: 'estimated' });
    expect(usageOf({ first_workflow: 1 })).toMatchObject({ points: 10, provenance: 'declared' });
  });

  it('can reach 100, and every stage that follows from it', () => {
    const all = Object.fromEntries(LEAD_EVENTS.codes.map((code) => [code, 9]));
    expect(score(all, 5_000)).toBe(100);
    const open = { lastResolution: null, openSignals: 0 };
    const reached = new Set(Array.from({ length: 101 }, (_, each) => stageOf(each, open)));
    const wanted = STAGES.rows.filter(({ scoreMin }) => scoreMin !== null).map(({ code }) => code);
    expect([...reached]).toEqual(wanted);
  });
});

describe('a stage', () => {
  it('follows closed signals before the score', () => {
    expect(stageOf(0, { lastResolution: 'won', openSignals: 3 })).toBe('won');
    expect(stageOf(90, { lastResolution: 'lost', openSignals: 0 })).toBe('lost');
    expect(stageOf(90, { lastResolution: 'lost', openSignals: 1 })).toBe('committed');
    expect([probabilityOf('won'), probabilityOf('lost')]).toEqual([100, 0]);
  });
});

const event = fc.record({
  type: fc.constantFrom(...LEAD_EVENTS.codes),
  atMs: fc.integer({ min: 0, max: 90 * 24 }).map((hours) => (hours * DAY_MS) / 24),
});
const events = fc
  .array(event, { maxLength: 60 })
  .map((all): SignalEvent[] => all.map((each, at) => ({ ...each, id: `e${at}` })));
const rules = fc.constantFrom(...SIGNAL_RULES.rows);

describe('the evidence of a rule', () => {
  it('is all that the rule needs, within its days, and each event once', () => {
    fc.assert(
      fc.property(rules, events, (rule, all) => {
        const found = evidenceFor(rule, all);
        const ids = found.flat().map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const evidence of found) {
          const times = evidence.map(({ atMs }) => atMs);
          expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(
            rule.withinDays * DAY_MS,
          );
          for (const { event: type, count } of rule.needs) {
            expect(evidence.filter((each) => each.type === type)).toHaveLength(count);
          }
          expect(times).toEqual([...times].sort((a, b) => a - b));
        }
      }),
    );
  });

  it('leaves nothing that meets the rule, so deriving again finds nothing', () => {
    fc.assert(
      fc.property(rules, events, (rule, all) => {
        const used = new Set(evidenceFor(rule, all).flat());
        expect(
          evidenceFor(
            rule,
            all.filter((each) => !used.has(each)),
          ),
        ).toEqual([]);
      }),
    );
  });

  it('is the same however often it was derived on the way, in any order', () => {
    fc.assert(
      fc.property(rules, events, fc.array(fc.nat(90), { maxLength: 6 }), (rule, all, days) => {
        const known = new Set<string>();
        const onTheWay = [...days.sort((a, b) => a - b), 91].flatMap((day) => {
          const until = all.filter(({ id, atMs }) => atMs <= day * DAY_MS && !known.has(id));
          const found = evidenceFor(rule, until);
          for (const { id } of found.flat()) known.add(id);
          return found;
        });
        expect(onTheWay).toEqual(evidenceFor(rule, all));
        expect(evidenceFor(rule, [...all].reverse())).toEqual(evidenceFor(rule, all));
      }),
    );
  });

  it.each([
    [[0, 3, 7], 1],
    [[0, 3, 7.1], 0],
    [[0, 1, 2, 3, 4], 1],
    [[0, 1, 2, 3, 4, 5], 2],
  ])('of three caps in seven days: on the days %s it is found %s times', (days, times) => {
    const hits = days.map((day, at) => ({
      id: `e${at}`,
      type: 'budget_cap_hit' as const,
      atMs: day * DAY_MS,
    }));
    const [rule] = SIGNAL_RULES.rows;
    expect(evidenceFor(rule ?? { needs: [], withinDays: 0 }, hits)).toHaveLength(times);
  });
});

describe('a margin', () => {
  const micro = fc.bigInt({ min: 0n, max: 10n ** 15n });
  const price = fc.bigInt({ min: 1_000_000n, max: 10n ** 15n });

  it('is warned of exactly below a quarter of the price', () => {
    fc.assert(
      fc.property(price, micro, (priceMicro, costMicro) => {
        const { marginMicro, guardrail, marginEstimatePercent, minimumPriceMicro } = marginOf(
          priceMicro,
          costMicro,
          'declared',
        );
        expect(marginMicro).toBe(priceMicro - costMicro);
        const wanted = 4n * marginMicro >= priceMicro ? 'ok' : 'below_minimum';
        expect(guardrail).toBe(marginMicro < 0n ? 'loss' : wanted);
        if (guardrail !== 'ok') expect(marginEstimatePercent).toBeLessThan(25);
        expect(marginOf(minimumPriceMicro + 1n, costMicro, 'declared').guardrail).toBe('ok');
        expect(priceMicro >= minimumPriceMicro).toBe(guardrail === 'ok');
      }),
    );
  });

  it.each([
    [100_000_000n, 75_000_000n, 25, 'ok'],
    [100_000_000n, 75_000_001n, 24.99, 'below_minimum'],
    [100_000_000n, 100_000_001n, -0.01, 'loss'],
    [100_000_000n, 0n, 100, 'ok'],
  ])(
    'of the price %s over the cost %s is %s %%: %s',
    (priceMicro, costMicro, percent, guardrail) => {
      const margin = marginOf(priceMicro, costMicro, 'live_measured');
      expect([margin.marginEstimatePercent, margin.guardrail]).toEqual([percent, guardrail]);
      const certified = guardrail === 'ok' ? 'cannot_certify' : guardrail;
      expect(marginOf(priceMicro, costMicro, 'estimated').guardrail).toBe(certified);
    },
  );

  it('of every package as it is listed keeps the least margin', () => {
    for (const { code, priceMicro, usageMicro } of PACKAGES.rows) {
      expect([code, marginOf(priceMicro, usageMicro, 'declared').guardrail]).toEqual([code, 'ok']);
    }
  });
});

describe('the cost of a month by the history of an account', () => {
  const NOW = new Date('2026-03-31T09:00:00Z');
  const day = (ago: number, requests: number, chargedMicro: bigint) => ({
    begin: new Date(NOW.getTime() - ago * 86_400_000),
    requests,
    chargedMicro,
  });

  it.each([
    ['no history', [], null],
    ['one cheap request', [day(20, 1, 1_200n)], null],
    ['99 requests', [day(20, 99, 10_000n)], null],
    ['100 requests of six days', [day(6, 50, 10_000n), day(1, 50, 10_000n)], null],
    ['100 requests of a week', [day(7, 99, 10_000n), day(1, 1, 4_000n)], 60_000n],
    ['a share of a micro-ruble, rounded up', [day(7, 100, 1n)], 5n],
    ['a whole month', [day(30, 100, 10_000n), day(2, 100, 5_000n)], 15_000n],
  ])('of %s is scaled from the first request on, or refused', (_, days, monthMicro) => {
    expect(monthlyCost(days, 0n, NOW)).toBe(monthMicro);
  });

  it('is scaled after what was refunded of its requests', () => {
    expect(monthlyCost([day(7, 100, 14_000n)], 7_000n, NOW)).toBe(30_000n);
    expect(monthlyCost([day(7, 100, 14_000n)], 14_000n, NOW)).toBe(0n);
  });
});

it('shares and forecasts are rounded half up, and never more than the whole', () => {
  expect([shareOf(5n, 1_000), shareOf(4n, 1_000), shareOf(7n, 10_000)]).toEqual([1n, 0n, 7n]);
  expect([forecastOf(1n, 50), forecastOf(1n, 49), forecastOf(9n, 100)]).toEqual([1n, 0n, 9n]);
});
