import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePolicies } from '../../../src/access/policies/rules.js';
import type { PolicyRules } from '../../../src/access/policies/vocabulary.js';
import { type PastRequest, replay } from '../../../src/inference/policy-effect/rules.js';

const NO_CAPS = { dailyMicro: [], monthlyMicro: [] };
const RUB = 1_000_000n;
const NOON = Date.parse('2026-11-20T09:00:00Z');

function policyOf(rules: Partial<PolicyRules>) {
  const whole = { budgets: {}, limits: {}, firewall: {}, ...rules };
  return mergePolicies([{ id: 'p', version: 1, name: 'p', rules: whole, budgetIds: [] }]);
}

function request(change: Partial<PastRequest> = {}): PastRequest {
  return {
    arrivedMs: NOON,
    latencyMs: 1_000,
    requestedModel: 'a',
    model: 'a',
    route: 'rf',
    tokens: 100,
    outputTokens: 50,
    amountMicro: RUB,
    dataClass: 'C0',
    sources: null,
    findings: {},
    unread: null,
    ...change,
  };
}

describe('the effect of a policy', () => {
  it('blocks models that are not listed, and degrades what gw:auto chose outside', () => {
    const requests = [
      request(),
      request({ requestedModel: 'b', model: 'b' }),
      request({ requestedModel: 'gw:auto', model: 'b' }),
    ];
    expect(replay(requests, policyOf({ allowedModels: ['a'] }), NO_CAPS)).toEqual({
      requests: 3,
      blocked: 1,
      degraded: 1,
      blockedMicro: RUB,
      reasons: [
        { reason: 'model_not_allowed', kind: 'blocked', requests: 1, micro: RUB },
        { reason: 'another_model', kind: 'degraded', requests: 1, micro: RUB },
      ],
    });
  });

  it('limits requests a minute with the clock of the records', () => {
    const burst = Array.from({ length: 5 }, () => request());
    const minuteLater = request({ arrivedMs: NOON + 60_000 });
    const { blocked, reasons } = replay(
      [...burst, minuteLater],
      policyOf({ limits: { rpm: 2 } }),
      NO_CAPS,
    );
    expect(blocked).toBe(3);
    expect(reasons.map((row) => row.reason)).toEqual(['rate_limit_requests']);
  });

  it('frees a slot when a recorded request had ended', () => {
    const overlapping = [request(), request({ arrivedMs: NOON + 500 })];
    const after = request({ arrivedMs: NOON + 1_500 });
    const policy = policyOf({ limits: { concurrency: 1 } });
    expect(replay([...overlapping, after], policy, NO_CAPS).blocked).toBe(1);
  });

  it('blocks what a cap of the day or the month leaves no room for', () => {
    const day = Array.from({ length: 4 }, (_, hour) =>
      request({ arrivedMs: NOON + hour * 3_600_000 }),
    );
    const nextDay = request({ arrivedMs: NOON + 24 * 3_600_000 });
    const caps = { dailyMicro: [2n * RUB], monthlyMicro: [100n * RUB] };
    const effect = replay([...day, nextDay], policyOf({}), caps);
    expect(effect).toMatchObject({ blocked: 2, blockedMicro: 2n * RUB });
  });

  it('keeps personal data inside, and blocks classes that the policy blocks', () => {
    const outside = request({ route: 'outside', dataClass: 'C3', findings: { phone: 1 } });
    expect(replay([outside], policyOf({}), NO_CAPS).reasons[0]?.reason).toBe(
      'data_route_forbidden',
    );
    const masked = policyOf({ hybrid: 'any', firewall: { phone: 'mask' } });
    expect(replay([outside], masked, NO_CAPS).blocked).toBe(0);
    const blocking = policyOf({ firewall: { phone: 'block' } });
    expect(replay([request({ findings: { phone: 1 } })], blocking, NO_CAPS).blocked).toBe(1);
  });

  it('of no policy is nothing, whatever the traffic', () => {
    const traffic = fc.array(
      fc.record({
        arrivedMs: fc.integer({ min: NOON, max: NOON + 86_400_000 }),
        tokens: fc.nat(10_000),
        amountMicro: fc.bigInt({ min: 0n, max: 10n ** 9n }),
      }),
    );
    fc.assert(
      fc.property(traffic, (rows) => {
        const requests = rows.map((row) => request(row)).sort((a, b) => a.arrivedMs - b.arrivedMs);
        const effect = replay(requests, mergePolicies([]), NO_CAPS);
        expect(effect).toEqual({
          requests: rows.length,
          blocked: 0,
          degraded: 0,
          blockedMicro: 0n,
          reasons: [],
        });
      }),
      { numRuns: 30 },
    );
  });

  it('counts the least class of the policy and what others stated, not an earlier policy', () => {
    const gone = request({
      route: 'outside',
      dataClass: 'C4',
      sources: [
        { source: 'project_policy', data_class: 'C4' },
        { source: 'firewall', data_class: 'C0' },
      ],
    });
    const stated = request({
      route: 'outside',
      dataClass: 'C3',
      sources: [
        { source: 'request', data_class: 'C3' },
        { source: 'firewall', data_class: 'C1' },
      ],
    });
    const found = request({ route: 'outside', dataClass: 'C1' });
    const all = [gone, stated, found];
    const blockedBy = (rules: Partial<PolicyRules>) =>
      all.map((each) => replay([each], policyOf(rules), NO_CAPS).blocked);
    expect(blockedBy({})).toEqual([0, 1, 0]);
    expect(blockedBy({ hybrid: 'any' })).toEqual([0, 1, 0]);
    expect(blockedBy({ dataClassMin: 'C2' })).toEqual([0, 1, 0]);
    expect(blockedBy({ dataClassMin: 'C3' })).toEqual([1, 1, 1]);
  });

  it('never grows when a limit is loosened', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 120_000 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (offsets, rpm) => {
          const requests = offsets
            .sort((a, b) => a - b)
            .map((offset) => request({ arrivedMs: NOON + offset }));
          const tight = replay(requests, policyOf({ limits: { rpm } }), NO_CAPS).blocked;
          const loose = replay(requests, policyOf({ limits: { rpm: rpm * 2 } }), NO_CAPS).blocked;
          expect(loose).toBeLessThanOrEqual(tight);
        },
      ),
      { numRuns: 30 },
    );
  });
});
