import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { range } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import type { MicroRub } from '../../kernel/money.js';
import { declared } from '../../kernel/provenance.js';
import { type Window, windowOf } from '../../kernel/window.rules.js';
import { measuredFrom } from '../../records/measured.js';
import { attribute, driverFaults } from './attribution.rules.js';
import {
  type ALLOCATION,
  ALLOCATION_INPUT,
  type COVERAGE,
  HOURS,
  type LEAKAGE_MEASURED,
  type MEASURED_MAP,
  MEASURED_MAP_INPUT,
  type VELOCITY_MEASURED,
  VELOCITY_QUESTION,
  WINDOW,
} from './cost-tables.js';
import { coverageOf, leakageOfRecorded } from './coverage.rules.js';
import { profitabilityMap, velocityOf } from './economics.rules.js';
import { joinCost } from './joins.js';
import { hasUnits, sharesOf } from './pools.rules.js';
import { clientCosts, costsOf, spendOf } from './recorded-costs.js';

/** @throws invalid_request for a window that is empty or too long */
function statedWindow(given: GivenValues): Window {
  const { from, to, faults } = windowOf(inputValues(WINDOW, given), sharedNow());
  failOnFaults(faults);
  return { from, to };
}

/** How much of the recorded cost of a window is attributed. */
export async function costCoverage(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof COVERAGE.fields>> {
  const window = statedWindow(given);
  const { value, provenance } = await measuredFrom(ctx, costsOf(ctx, window), coverageOf, {
    usageSince: window.from,
  });
  return { ...value, ...window, provenance };
}

/** What of the recorded cost of a window leaked, by the rule that judges stated figures. */
export async function measuredLeakage(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof LEAKAGE_MEASURED.fields>> {
  const window = statedWindow(given);
  const { value, provenance } = await measuredFrom(ctx, costsOf(ctx, window), leakageOfRecorded, {
    usageSince: window.from,
  });
  return { ...value, ...window, provenance };
}

const HOUR_MS = 3_600_000;

/** How fast the funds of the account went in the last hours, by the rule of stated figures. */
export async function measuredVelocity(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof VELOCITY_MEASURED.fields>> {
  const { hours } = inputValues(VELOCITY_QUESTION, given);
  failOnFaults(range('hours', hours, HOURS));
  const to = sharedNow();
  const from = new Date(to.getTime() - hours * HOUR_MS);
  const { value, provenance } = await measuredFrom(ctx, spendOf(ctx, { from, to }), ([row]) => {
    const { charges = 0, spentMicro = 0n, availableMicro = 0n } = row ?? {};
    const found = velocityOf({ spentMicro, hours, remainingMicro: availableMicro });
    return charges > 0 ? { ...CERTIFIED, ...found } : { ...NOTHING_SPENT, ...found, ...NO_BURN };
  });
  return { ...value, from, to, provenance };
}

const CERTIFIED = { verdict: 'certified', reason: null, needed: [] } as const;
const NO_BURN = { burnPerHourMicro: null, hoursToExhaustion: null } as const;
const NOTHING_SPENT = {
  verdict: 'cannot_certify',
  reason: 'Nothing was charged in the window.',
  needed: ['requests that are charged'],
} as const;

/** How profitable customers are: what they are said to have paid, and what they have cost. */
export async function customerProfitability(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof MEASURED_MAP.fields>> {
  const stated = inputValues(MEASURED_MAP_INPUT.fields, given);
  failOnFaults(inputFaults(MEASURED_MAP_INPUT.fields, stated, 'input'));
  const window = statedWindow(stated);
  const revenues = declared(stated.customers);
  const clients = revenues.value.map(({ customer }) => customer);
  const costs = await measuredFrom(
    ctx,
    clientCosts(ctx, window, clients),
    (rows) => new Map(rows.map(({ client, costMicro }) => [client, costMicro])),
    { usageSince: window.from },
  );
  const customers = revenues.value.map(({ customer, revenueMicro }) => ({
    customer,
    revenueMicro,
    costMicro: costs.value.get(customer) ?? null,
  }));
  const { provenance: revenueProvenance } = revenues;
  const { provenance: costProvenance } = costs;
  return { ...profitabilityMap(customers), ...window, revenueProvenance, costProvenance };
}

/** How sure it would be whose cost something is, and what clients would bear of it. */
export async function costAllocation(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof ALLOCATION.fields>> {
  const stated = inputValues(ALLOCATION_INPUT.fields, given);
  failOnFaults([...inputFaults(ALLOCATION_INPUT.fields, stated, 'input'), ...driverFaults(stated)]);
  const at = stated.occurredAt ?? sharedNow();
  const read = async (tx: Transaction) => [await joinCost(ctx, stated, at, { tx })];
  const { value, provenance } = await measuredFrom(ctx, read, (joins) =>
    joins.map((joined) => ({
      ...attribute(joined),
      shares: sharesFor(stated.netMicro, joined.hasPoolUnits ? joined.consumers : []),
    })),
  );
  const [found] = value;
  if (!found) throw new TypeError('a cost was joined with nothing at all');
  const { guard: _, ...shown } = found;
  const isShared = shown.confidence === 'ALLOCATED';
  return { ...shown, shares: isShared ? shown.shares : [], provenance };
}

function sharesFor(netMicro: MicroRub | null, consumers: Parameters<typeof sharesOf>[1]) {
  return netMicro === null || !hasUnits(consumers) ? [] : sharesOf(netMicro, consumers);
}
