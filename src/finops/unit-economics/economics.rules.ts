import { divide, type MicroRub } from '../../kernel/money.js';
import { shareOf } from './ladder.rules.js';
import type { CustomerFigures, CustomerStanding, GateAsked, VelocityAsked } from './tables.js';
import { PROFITABILITIES } from './vocabulary.js';

const HOUR_MS = 3_600_000n;
/** Beyond this a time to exhaustion says nothing. */
const HOURS_MAX = 1_000_000;

/**
 * How fast money goes: spend an hour, rounded half up, and the hours until nothing remains at that
 * rate. Nothing that remains is exhausted now; where nothing is spent, no time is told.
 */
export function velocityOf({ spentMicro, hours, remainingMicro }: VelocityAsked) {
  // Hours become whole milliseconds, so that the division is one of integers.
  const windowMs = BigInt(Math.max(1, Math.round(hours * Number(HOUR_MS))));
  const burnPerHourMicro = divide(spentMicro * HOUR_MS, windowMs, 'half_up');
  return {
    hours,
    burnPerHourMicro,
    remainingMicro,
    hoursToExhaustion: hoursLeft(spentMicro, windowMs, remainingMicro),
  };
}

function hoursLeft(spentMicro: MicroRub, windowMs: bigint, remainingMicro: MicroRub | null) {
  if (remainingMicro === null) return null;
  if (remainingMicro <= 0n) return 0;
  if (spentMicro <= 0n) return null;
  const leftMs = divide(remainingMicro * windowMs, spentMicro, 'floor');
  const hours = Number(divide(leftMs * 100n, HOUR_MS, 'floor')) / 100;
  return Math.min(HOURS_MAX, hours);
}

/** How profitable a customer is: by its margin as a share of its revenue, and by nothing else. */
function standingOf({ customer, revenueMicro, costMicro }: CustomerFigures): CustomerStanding {
  if (revenueMicro === null || costMicro === null) {
    return {
      customer,
      profitability: 'CANNOT_CLASSIFY',
      revenueMicro,
      costMicro,
      marginMicro: null,
      marginBasisPoints: null,
    };
  }
  const marginMicro = revenueMicro - costMicro;
  const share = shareOf(marginMicro, revenueMicro, 'floor');
  const figures = { customer, revenueMicro, costMicro, marginMicro, marginBasisPoints: share };
  if (revenueMicro === 0n && costMicro === 0n) {
    return { ...figures, profitability: 'CANNOT_CLASSIFY' };
  }
  const row = PROFITABILITIES.rows.find(
    ({ fromBasisPoints: from }) => from !== null && share !== null && share >= from,
  );
  return { ...figures, profitability: row?.code ?? 'LOSS' };
}

/** The map of customers: those that lose most come first, those without figures last. */
export function profitabilityMap(customers: readonly CustomerFigures[]) {
  const standings = customers.map(standingOf);
  const known = standings.filter(({ profitability }) => profitability !== 'CANNOT_CLASSIFY');
  const byMargin = [...known].sort((left, right) => {
    const [a, b] = [left.marginMicro ?? 0n, right.marginMicro ?? 0n];
    return a < b ? -1 : a > b ? 1 : 0;
  });
  const unknown = standings.filter(({ profitability }) => profitability === 'CANNOT_CLASSIFY');
  const sum = (of: (each: CustomerStanding) => MicroRub | null) =>
    known.reduce((total, each) => total + (of(each) ?? 0n), 0n);
  const isKnown = known.length > 0;
  const revenueMicro = sum((each) => each.revenueMicro);
  const marginMicro = sum((each) => each.marginMicro);
  return {
    verdict: isKnown ? ('classified' as const) : ('CANNOT_CLASSIFY' as const),
    reason: isKnown ? null : 'No ledger shows what a customer has paid and what it has cost.',
    needed: isKnown ? [] : ['revenue_rub and cost_rub of at least one customer, from a ledger'],
    customers: [...byMargin, ...unknown],
    classes: PROFITABILITIES.codes.map((profitability) => ({
      profitability,
      customers: standings.filter((each) => each.profitability === profitability).length,
    })),
    revenueMicro: isKnown ? revenueMicro : null,
    costMicro: isKnown ? revenueMicro - marginMicro : null,
    marginMicro: isKnown ? marginMicro : null,
    marginBasisPoints: isKnown ? shareOf(marginMicro, revenueMicro, 'floor') : null,
  };
}

/**
 * What a change does to the cost of goods sold: by unit, and for all units of a month. The growth
 * is rounded up, so that none is told too low; anything from nothing is beyond every tolerance.
 */
export function engineeringGate(asked: GateAsked) {
  const { cogsBeforeMicro, cogsAfterMicro, units, growthBasisPointsMax, revenueMicro } = asked;
  const deltaMicro = cogsAfterMicro - cogsBeforeMicro;
  const isBlocked = deltaMicro * 10_000n > cogsBeforeMicro * BigInt(growthBasisPointsMax);
  const marginOf = (cogs: MicroRub) =>
    revenueMicro === null ? null : shareOf(revenueMicro - cogs, revenueMicro, 'floor');
  return {
    verdict: isBlocked ? ('BLOCKED' as const) : ('PASS' as const),
    deltaMicro,
    deltaBasisPoints: shareOf(deltaMicro, cogsBeforeMicro, 'ceil'),
    monthlyDeltaMicro: units === null ? null : deltaMicro * units,
    marginBeforeBasisPoints: marginOf(cogsBeforeMicro),
    marginAfterBasisPoints: marginOf(cogsAfterMicro),
    growthBasisPointsMax,
  };
}
