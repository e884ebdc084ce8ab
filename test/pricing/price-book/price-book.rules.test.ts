import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MICRO_PER_RUB } from '../../../src/kernel/money.js';
import {
  discountGate,
  floorGate,
  pilotGate,
  rebateGate,
} from '../../../src/pricing/price-book/gates.rules.js';
import { planFaults, planFrom } from '../../../src/pricing/price-book/plan.rules.js';
import {
  CANONICAL_PLANS,
  canonicalPlan,
  type Plan,
} from '../../../src/pricing/price-book/plans.js';
import { project } from '../../../src/pricing/price-book/quote.rules.js';
import { recordedCost } from '../../../src/pricing/price-book/recorded-cost.rules.js';
import { HARD_RULES, PILOT_DAYS_MAX } from '../../../src/pricing/price-book/vocabulary.js';

const DAY = '2026-11-22';
const rub = (whole: number) => BigInt(whole) * MICRO_PER_RUB;
const team = canonicalPlan('team') as Plan;
const trial = canonicalPlan('sovereign') as Plan;

const plans = fc.constantFrom(...CANONICAL_PLANS);
const amounts = fc.bigInt({ min: 0n, max: rub(1_000_000) });
const demands = fc.record({
  monthlyRequests: fc.integer({ min: 0, max: 10_000_000 }),
  costPerRequestMicro: fc.bigInt({ min: 0n, max: rub(100) }),
  variation: fc.double({ min: 0, max: 1, noNaN: true }),
  platformFeeMicro: fc.option(amounts),
});

describe('a quote', () => {
  it('orders its scenarios: expected, P80, P95, worst', () => {
    fc.assert(
      fc.property(plans, demands, (plan, demand) => {
        const { expected, p80, p95, worst } = project(plan, demand, DAY);
        const costs = [expected, p80, p95, worst].map(({ usageCostMicro }) => usageCostMicro);
        expect(costs).toEqual([...costs].sort((a, b) => (a < b ? -1 : 1)));
        expect(costs[0]).toBe(demand.costPerRequestMicro * BigInt(demand.monthlyRequests));
      }),
    );
  });

  it('keeps net, VAT and gross apart, and they add up in every scenario', () => {
    fc.assert(
      fc.property(plans, demands, (plan, demand) => {
        const { vatRateBasisPoints, ...scenarios } = project(plan, demand, DAY);
        expect(vatRateBasisPoints).toBe(2_200);
        for (const each of Object.values(scenarios)) {
          expect(each.netMicro + each.vatMicro).toBe(each.grossMicro);
          expect(each.contributionMarginMicro).toBe(
            each.netMicro - each.usageCostMicro - plan.serviceCostMicro,
          );
        }
      }),
    );
  });

  it('has no spread where the caller states none', () => {
    const demand = { monthlyRequests: 100, costPerRequestMicro: rub(2), variation: 0 };
    const quote = project(team, { ...demand, platformFeeMicro: null }, DAY);
    expect(quote.worst).toEqual(quote.expected);
  });

  it('takes the rate of VAT of the day of supply', () => {
    const demand = { monthlyRequests: 0, costPerRequestMicro: 0n, variation: 0 };
    const asked = { ...demand, platformFeeMicro: rub(100) };
    expect(project(team, asked, '2025-12-31').expected.vatMicro).toBe(rub(20));
    expect(project(team, asked, '2026-01-01').expected.vatMicro).toBe(rub(22));
  });
});

describe('the hard rule', () => {
  it('floor_blocks: a micro-ruble below the floor is blocked, the floor itself passes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...CANONICAL_PLANS.slice(0, 3)), amounts, (plan, cost) => {
        const { floorMicro } = floorGate(plan, 0n, cost);
        expect(floorGate(plan, floorMicro, cost)).toEqual({
          verdict: 'PASS',
          floorMicro,
          headroomMicro: 0n,
          brokenRules: [],
        });
        expect(floorGate(plan, floorMicro - 1n, cost)).toEqual({
          verdict: 'BLOCKED',
          floorMicro,
          headroomMicro: -1n,
          brokenRules: ['floor_blocks'],
        });
      }),
    );
  });

  it('hypothesis_binds_nobody: a plan on trial is for no contract, even above its floor', () => {
    const { floorMicro } = floorGate(trial, 0n, rub(1_000));
    expect(floorGate(trial, floorMicro, rub(1_000))).toMatchObject({
      verdict: 'NOT_FOR_CONTRACT',
      brokenRules: ['hypothesis_binds_nobody'],
    });
    expect(floorGate(trial, 0n, rub(1_000))).toMatchObject({
      verdict: 'BLOCKED',
      brokenRules: ['floor_blocks', 'hypothesis_binds_nobody'],
    });
  });

  const discount = {
    component: 'platform_fee',
    discountBasisPoints: 500,
    gives: ['annual_prepayment'],
  } as const;

  it.each([
    ['discount_on_fee_only', { ...discount, component: 'usage' }],
    ['discount_needs_give', { ...discount, gives: [] }],
    ['discount_within_cap', { ...discount, discountBasisPoints: 1_001 }],
    ['discount_above_floor', { ...discount, discountBasisPoints: 2_500 }],
  ] as const)('%s: a discount against it is blocked and the fee stays', (rule, asked) => {
    const found = discountGate(team, asked);
    expect(found.verdict).toBe('BLOCKED');
    expect(found.brokenRules).toContain(rule);
    expect(found.platformFeeMicro).toBe(team.platformFeeMicro);
  });

  it('a discount that none of them stands against is given to the micro-ruble', () => {
    expect(discountGate(team, discount)).toEqual({
      verdict: 'APPROVED',
      brokenRules: [],
      discountMaxBasisPoints: 1_000,
      platformFeeMicro: rub(46_550),
      platformFeeFloorMicro: rub(39_000),
    });
  });

  const pilot = { feeMicro: rub(50_000), startsOn: DAY, decisionOn: '2027-01-31' };

  it.each([
    ['pilot_is_paid', { ...pilot, feeMicro: rub(49_999) }],
    ['pilot_is_paid', { ...pilot, feeMicro: 0n }],
    ['pilot_has_decision_date', { ...pilot, decisionOn: null }],
    ['pilot_is_bounded', { ...pilot, decisionOn: '2027-02-21' }],
    ['pilot_is_bounded', { ...pilot, decisionOn: DAY }],
  ] as const)('%s: a pilot against it is blocked and credits nothing', (rule, asked) => {
    const found = pilotGate(team, asked, DAY);
    expect(found.verdict).toBe('BLOCKED');
    expect(found.brokenRules).toContain(rule);
    expect(found.creditMicro).toBe(0n);
  });

  it('a pilot that none of them stands against credits its fee on signing', () => {
    expect(pilotGate(team, pilot, DAY)).toEqual({
      verdict: 'APPROVED',
      brokenRules: [],
      feeMicroMin: rub(50_000),
      startsOn: DAY,
      decisionOn: '2027-01-31',
      days: 70,
      creditMicro: rub(50_000),
    });
    expect(PILOT_DAYS_MAX).toBe(90);
  });

  const rebate = {
    revenueMicro: rub(100),
    usageCostMicro: rub(60),
    serviceCostMicro: rub(10),
    debtMicro: 0n,
    basis: 'gross_profit',
  } as const;

  it.each([
    ['rebate_from_profit', { ...rebate, usageCostMicro: rub(90) }],
    ['rebate_not_for_volume', { ...rebate, basis: 'volume' }],
    ['rebate_without_debt', { ...rebate, debtMicro: 1n }],
  ] as const)('%s: a rebate against it is nothing', (rule, asked) => {
    const found = rebateGate(asked);
    expect([found.verdict, found.brokenRules, found.rebateMicro]).toEqual(['BLOCKED', [rule], 0n]);
  });

  it('a rebate that none of them stands against is a tenth of the gross profit', () => {
    expect(rebateGate(rebate)).toEqual({
      verdict: 'APPROVED',
      brokenRules: [],
      grossProfitMicro: rub(30),
      rebateBasisPoints: 1_000,
      rebateMicro: rub(3),
    });
  });
});

describe('a plan', () => {
  const nothing = planFrom({ ...nulls(), plan: 'team' }, team);

  it('that states nothing new is as it was', () => expect(nothing).toEqual(team));

  it('without a version before it has no lower floor, no discount, no cheap pilot', () => {
    expect(planFrom({ ...nulls(), plan: 'own', platformFeeMicro: rub(5) }, undefined)).toEqual({
      plan: 'own',
      priceBookVersion: '2026.1',
      name: 'own',
      status: 'canonical',
      platformFeeMicro: rub(5),
      platformFeeFloorMicro: rub(5),
      includedUsageMicro: 0n,
      markupBasisPoints: 0,
      markupFloorBasisPoints: 0,
      serviceCostMicro: 0n,
      discountMaxBasisPoints: 0,
      pilotFeeMicro: rub(5),
      pilotCreditBasisPoints: 10_000,
    });
  });

  it('needs a fee, a floor at most the fee, and a lowest mark-up at most the mark-up', () => {
    const paths = (stated: Partial<Plan>, before?: Plan) =>
      planFaults({ ...nulls(), plan: 'own', ...stated }, before).map(({ path }) => path);
    expect(paths({})).toEqual(['input.platformFeeRub']);
    expect(
      paths({ platformFeeFloorMicro: rub(50_000), markupFloorBasisPoints: 1_501 }, team),
    ).toEqual(['input.platformFeeFloorRub', 'input.markupFloorBasisPoints']);
  });
});

describe('recorded cost', () => {
  const day = { requests: 20, costMicro: rub(30) };

  it('says nothing of fewer than 100 requests', () => {
    expect(recordedCost([day, day])).toBeNull();
  });

  it('is the mean of a request; its spread needs seven days', () => {
    expect(recordedCost(Array.from({ length: 5 }, () => day))).toEqual({
      requests: 100,
      costMicro: rub(150),
      costPerRequestMicro: 1_500_000n,
      variation: null,
    });
    expect(recordedCost(Array.from({ length: 7 }, () => day))).toMatchObject({ variation: 0 });
  });
});

it('every hard rule has its name in a test of this folder', async () => {
  const { readdir, readFile } = await import('node:fs/promises');
  const folder = new URL('.', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.test.ts'));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
  expect(HARD_RULES.codes.filter((rule) => !texts.join('').includes(`${rule}`))).toEqual([]);
});

function nulls() {
  const entries = Object.keys(team).map((name) => [name, null]);
  return Object.fromEntries(entries) as { [name in keyof Plan]: null };
}
