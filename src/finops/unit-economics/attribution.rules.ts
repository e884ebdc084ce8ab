import { type DecisionTable, decide } from '../../kernel/decision.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits, present } from '../../kernel/errors/faults.js';
import type { CostStated } from './cost-tables.js';
import { monthFaults } from './period.rules.js';
import { type Confidence, DRIVERS } from './vocabulary.js';

/** A request of the organization, as its usage shows it. */
export interface JoinedRequest {
  readonly clientId: string | null;
  readonly feature: string | null;
  readonly projectId: string;
  readonly isDelivered: boolean;
}

/** What the server could join a cost with. */
export interface Joined {
  /** Null where no request is named, or none of the organization has that id. */
  readonly request: JoinedRequest | null;
  /** Whether usage of the month shows units of the named driver for a client. */
  readonly hasPoolUnits: boolean;
  readonly clientTag: string | null;
}

/** How sure it is whose cost something is: the first row that applies decides. */
const CONFIDENCE_TABLE: DecisionTable<Joined, Confidence> = [
  {
    code: 'own_request',
    outcome: 'DIRECT',
    description: 'The request is in the usage of the organization.',
    applies: ({ request }) => request !== null,
  },
  {
    code: 'pool_share',
    outcome: 'ALLOCATED',
    description: 'Usage of the month shows units of the driver by which the cost is split.',
    applies: ({ hasPoolUnits }) => hasPoolUnits,
  },
  {
    code: 'client_tag',
    outcome: 'ESTIMATED',
    description: 'Only a tag of the caller says whose cost it is.',
    applies: ({ clientTag }) => clientTag !== null,
  },
  {
    code: 'nothing_joined',
    outcome: 'UNALLOCATED',
    description: 'Nothing that was stated could be joined with what is recorded.',
    applies: () => true,
  },
];

/** Whose cost something is, and how sure that is. */
export function attribute(joined: Joined) {
  const { request, clientTag } = joined;
  const { outcome: confidence, guard, reason, reasons } = decide(CONFIDENCE_TABLE, joined);
  const isTagged = confidence === 'ESTIMATED';
  return {
    confidence,
    guard,
    why: reason,
    reasons: reasons.map((each) => ({ confidence: each.outcome, why: each.reason })),
    clientId: request ? request.clientId : isTagged ? clientTag : null,
    feature: request?.feature ?? null,
    projectId: request?.projectId ?? null,
  };
}

/** Why a recorded confidence was decided. */
export function whyOf(guard: string): string {
  const row = CONFIDENCE_TABLE.find(({ code }) => code === guard);
  if (!row) throw new TypeError(`a stored guard is "${guard}", which is none of the table`);
  return row.description;
}

/** A driver by which recorded costs are split has to be counted by the gateway. */
export function driverFaults({ driver }: Pick<CostStated, 'driver'>): Fault[] {
  const isMeasured = driver === null || DRIVERS.find(driver)?.isMeasured === true;
  const known = DRIVERS.rows.filter(({ isMeasured: is }) => is).map(({ code }) => code);
  return fits('input.driver', isMeasured, `must be measured: one of ${known.join(', ')}`);
}

/** Clocks of callers may be ahead by so much. */
const AHEAD_MS_MAX = 300_000;

/** Every fault that a cost has as a whole. */
export function costFaults(stated: CostStated, now: Date): Fault[] {
  const { kind, occurredAt, billedMonth, category, driver } = stated;
  const isInvoice = kind === 'invoice';
  const onlyOfCosts = 'is for costs; an invoice confirms costs that are recorded';
  const isPast = !occurredAt || occurredAt.getTime() <= now.getTime() + AHEAD_MS_MAX;
  const isRecent = !occurredAt || occurredAt.getUTCFullYear() >= 2019;
  return [
    ...driverFaults(stated),
    ...(isPast && isRecent
      ? []
      : [fault('input.occurredAt', 'out_of_range', 'must be in the past, and in 2019 or later')]),
    ...monthFaults('input.billedMonth', billedMonth, now),
    ...(isInvoice
      ? [
          ...present('input.billedMonth', billedMonth, 'is needed: the month that is billed'),
          ...fits('input.category', category === null, onlyOfCosts),
          ...fits('input.driver', driver === null, onlyOfCosts),
        ]
      : fits('input.billedMonth', billedMonth === null, 'is for invoices')),
  ];
}
