import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionFaults, nextAction } from '../../../src/access/abuse/incident.rules.js';
import {
  judgeRisk,
  networkOf,
  newNetworkShare,
  type RiskFacts,
  spendTimes,
} from '../../../src/access/abuse/risk.rules.js';
import {
  remainingCostMicro,
  type TokenFacts,
  tokenModelFaults,
  tokenState,
  tokenTerms,
} from '../../../src/access/abuse/token.rules.js';
import {
  EPHEMERAL_SCOPES,
  INCIDENT_TYPES,
  KEY_ACTIONS,
  RISK_SIGNALS,
} from '../../../src/access/abuse/vocabulary.js';

const known = (value: fc.Arbitrary<number>) => fc.option(value, { nil: null });
const FACTS: fc.Arbitrary<RiskFacts> = fc.record({
  age: fc.double({ min: 0, max: 4_000, noNaN: true }),
  rotation: fc.double({ min: 0, max: 4_000, noNaN: true }),
  scope: fc.double({ min: 0, max: 1, noNaN: true }),
  spend: known(fc.double({ min: 0, max: 1_000, noNaN: true })),
  networks: known(fc.integer({ min: 1, max: 500 })),
  new_networks: known(fc.double({ min: 0, max: 1, noNaN: true })),
  isUsed: fc.boolean(),
  isLive: fc.boolean(),
});

describe('the risk of a key', () => {
  it('has weights that add up to 100, and actions that grow with the score', () => {
    expect(RISK_SIGNALS.rows.reduce((sum, { weight }) => sum + weight, 0)).toBe(100);
    const starts = KEY_ACTIONS.rows.map(({ scoreFrom }) => scoreFrom);
    expect([...starts].sort((left, right) => left - right)).toEqual(starts);
  });

  it('lies from 0 to its ceiling, which is at most 100, and is the sum of its points', () => {
    fc.assert(
      fc.property(FACTS, (facts) => {
        const { score, scoreCeiling, signals } = judgeRisk(facts);
        const points = signals.reduce((sum, each) => sum + (each.points ?? 0), 0);
        if (score !== null) expect(score).toBeCloseTo(points, 6);
        expect(points).toBeGreaterThanOrEqual(0);
        expect(points).toBeLessThanOrEqual(scoreCeiling + 0.001);
        expect(scoreCeiling).toBeLessThanOrEqual(100.001);
      }),
    );
  });

  it('never falls where a signal grows', () => {
    const signal = fc.constantFrom(...RISK_SIGNALS.codes);
    fc.assert(
      fc.property(
        FACTS,
        signal,
        fc.double({ min: 0, max: 100, noNaN: true }),
        (facts, code, more) => {
          const value = facts[code];
          fc.pre(value !== null);
          const used = { ...facts, isUsed: true };
          const after = judgeRisk({ ...used, [code]: (value ?? 0) + more });
          expect(after.score ?? 0).toBeGreaterThanOrEqual(judgeRisk(used).score ?? 0);
        },
      ),
    );
  });

  it('names what lacks history, and has no score without any use', () => {
    fc.assert(
      fc.property(FACTS, (facts) => {
        const { verdict, score, missing, signals, recommendedAction } = judgeRisk(facts);
        const lacking = signals.filter(({ points }) => points === null).map((each) => each.signal);
        expect(missing.map((each) => each.split(':')[0])).toEqual(lacking);
        expect(score === null).toBe(!facts.isUsed);
        const scored = lacking.length === 0 ? 'scored' : 'partly_scored';
        expect(verdict).toBe(facts.isUsed ? scored : 'cannot_score');
        if (!facts.isLive || !facts.isUsed) expect(recommendedAction).toBe('none');
      }),
    );
  });

  it('is at its worst a revocation, and for a fresh narrow key nothing', () => {
    const worst = { age: 400, rotation: 400, scope: 1, spend: 20, networks: 50, new_networks: 1 };
    const best = { age: 0, rotation: 0, scope: 0, spend: 1, networks: 1, new_networks: 0 };
    const live = { isUsed: true, isLive: true };
    expect(judgeRisk({ ...worst, ...live })).toMatchObject({
      score: 100,
      recommendedAction: 'revoke',
    });
    expect(judgeRisk({ ...best, ...live })).toMatchObject({ score: 0, recommendedAction: 'none' });
  });

  it('compares spending and networks only where there is something to compare', () => {
    expect(spendTimes({ recentMicro: 10n, beforeMicro: 0n })).toBeNull();
    expect(spendTimes({ recentMicro: 10n, beforeMicro: 14n })).toBe(10);
    expect(newNetworkShare({ recent: [], before: ['a'] })).toBeNull();
    expect(newNetworkShare({ recent: ['a'], before: [] })).toBeNull();
    expect(newNetworkShare({ recent: ['a', 'b'], before: ['b'] })).toBe(0.5);
  });

  it('takes neighbours for one network', () => {
    const cases = [
      ['203.0.113.9', '203.0.113.0/24'],
      ['::ffff:203.0.113.77', '203.0.113.0/24'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
      ['2001:db8:1::1', '2001:db8:1::/48'],
      ['2001:0db8:0001:ffff::', '2001:db8:1::/48'],
      ['::1', '0:0:0::/48'],
      ['fe80::1%eth0', 'fe80:0:0::/48'],
    ] as const;
    expect(cases.map(([address]) => networkOf(address))).toEqual(
      cases.map(([, network]) => network),
    );
  });
});

describe('the terms of a token', () => {
  const wish = { ttlSeconds: null, maxRequests: null, maxCostMicro: null };

  it('are those of its scope where nothing is said, which the scope allows', () => {
    for (const {
      code,
      ttlSecondsDefault,
      requestsDefault,
      costMicroDefault,
    } of EPHEMERAL_SCOPES.rows) {
      const { terms, faults } = tokenTerms({ ...wish, scope: code });
      expect([terms, faults]).toEqual([
        {
          ttlSeconds: ttlSecondsDefault,
          maxRequests: requestsDefault,
          maxCostMicro: costMicroDefault,
        },
        [],
      ]);
    }
  });

  it('never pass the bounds of the scope', () => {
    const scope = fc.constantFrom(...EPHEMERAL_SCOPES.codes);
    const stated = fc.integer({ min: -10, max: 1_000_000 });
    fc.assert(
      fc.property(scope, stated, stated, fc.bigInt({ min: -5n, max: 10n ** 12n }), (...given) => {
        const [code, ttlSeconds, maxRequests, maxCostMicro] = given;
        const { faults } = tokenTerms({ scope: code, ttlSeconds, maxRequests, maxCostMicro });
        const row = EPHEMERAL_SCOPES.find(code);
        const isInside =
          ttlSeconds >= 1 &&
          ttlSeconds <= (row?.ttlSecondsMax ?? 0) &&
          maxRequests >= 1 &&
          maxRequests <= (row?.requestsMax ?? 0) &&
          maxCostMicro >= 1n &&
          maxCostMicro <= (row?.costMicroMax ?? 0n);
        expect(faults.length === 0).toBe(isInside);
      }),
    );
  });

  it('name models that exist, and at least one', () => {
    const models = new Set(['a/b']);
    expect(tokenModelFaults(null, models)).toEqual([]);
    expect(tokenModelFaults(['a/b'], models)).toEqual([]);
    expect(tokenModelFaults([], models).map(({ path }) => path)).toEqual(['input.allowedModels']);
    expect(tokenModelFaults(['a/b', 'x'], models).map(({ path }) => path)).toEqual([
      'input.allowedModels.1',
    ]);
  });

  it('leave what is neither spent nor held, and never less than nothing', () => {
    const micro = fc.bigInt({ min: 0n, max: 10n ** 15n });
    fc.assert(
      fc.property(micro, micro, micro, (spentMicro, heldMicro, costMaxMicro) => {
        const left = remainingCostMicro({ spentMicro, heldMicro, costMaxMicro });
        expect(left).toBeGreaterThanOrEqual(0n);
        if (left > 0n) expect(left + spentMicro + heldMicro).toBe(costMaxMicro);
      }),
    );
  });

  it('make it stop for the first reason that applies', () => {
    const now = new Date('2026-11-24T12:00:00Z');
    const fresh: TokenFacts = {
      revokedAt: null,
      expiresAt: new Date('2026-11-24T12:00:01Z'),
      requestsUsed: 0,
      requestsMax: 1,
      spentMicro: 0n,
      heldMicro: 0n,
      costMaxMicro: 1n,
    };
    const spent = { ...fresh, heldMicro: 1n };
    const used = { ...spent, requestsUsed: 1 };
    const over = { ...used, expiresAt: now };
    const states = [fresh, spent, used, over, { ...over, revokedAt: now }];
    expect(states.map((facts) => tokenState(facts, now))).toEqual([
      'active',
      'cost_exhausted',
      'requests_exhausted',
      'expired',
      'revoked',
    ]);
  });
});

describe('what comes next after an incident', () => {
  const cases = [
    ['key_leak', false, [], 'name_key'],
    ['key_leak', true, [], 'revoke_key'],
    ['key_leak', true, ['throttle'], 'revoke_key'],
    ['key_leak', true, ['rotate'], 'switch_clients'],
    ['key_leak', true, ['revoke'], 'review_usage'],
    ['key_leak', false, ['revoke'], 'review_usage'],
    ['spend_spike', true, [], 'scan_key'],
    ['spend_spike', true, ['none'], 'scan_key'],
    ['spend_spike', true, ['throttle'], 'lift_throttle'],
    ['spend_spike', false, ['none'], 'name_key'],
  ] as const;

  it.each(cases)('%s, key named %s, %j: %s', (type, isKeyNamed, actions, wanted) => {
    expect(nextAction({ type, isKeyNamed, actions }).nextAction).toBe(wanted);
  });

  it('is never that nothing is needed while others may hold a key that works', () => {
    const action = fc.constantFrom(...KEY_ACTIONS.codes);
    const type = fc.constantFrom(
      ...INCIDENT_TYPES.rows.filter(({ exposes }) => exposes).map(({ code }) => code),
    );
    fc.assert(
      fc.property(type, fc.boolean(), fc.array(action), (exposing, isKeyNamed, actions) => {
        const { nextAction: next } = nextAction({ type: exposing, isKeyNamed, actions });
        expect(next).not.toBe('close');
      }),
    );
  });

  it('refuses actions that contradict one another, and terms of actions that are not taken', () => {
    const terms = { throttlePerMinute: null, graceSeconds: null, descendants: null };
    const nothing = { keyRef: 'x', ...terms } as const;
    const faults = (more: object) =>
      actionFaults({ ...nothing, actionsTaken: [], ...more }).map(({ path }) => path);
    expect(faults({ actionsTaken: ['throttle', 'rotate'], throttlePerMinute: 5 })).toEqual([]);
    expect(faults({ actionsTaken: ['rotate', 'revoke'] })).toEqual(['input.actionsTaken']);
    expect(faults({ actionsTaken: ['throttle', 'throttle'] })).toEqual(['input.actionsTaken']);
    expect(faults({ actionsTaken: ['none', 'revoke'] })).toEqual(['input.actionsTaken']);
    expect(faults({ throttlePerMinute: 5, graceSeconds: 60 })).toEqual([
      'input.throttlePerMinute',
      'input.graceSeconds',
    ]);
    expect(faults({ keyRef: null, actionsTaken: ['throttle'], throttlePerMinute: 5 })).toEqual([
      'input.throttlePerMinute',
    ]);
  });
});
