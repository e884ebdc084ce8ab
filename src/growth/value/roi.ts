import { statedWindow } from '../../finops/reports/question.rules.js';
import type { WINDOW_QUESTION } from '../../finops/reports/tables.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault, length } from '../../kernel/errors/faults.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import type { Sourced } from '../../kernel/provenance.js';
import type { Window } from '../../kernel/window.rules.js';
import { measuredFrom } from '../../records/measured.js';
import { sumUsage, type UsageSum } from '../usage-sums.js';
import { dashboardOf, inOrder, roiOf, type UseCaseFacts } from './roi.rules.js';
import {
  ROI_QUESTION,
  type RoiReceipt,
  type VALUE_SUMMARY,
  type ValueDashboard,
} from './tables.js';
import { mainVerticals, verticalCosts } from './vertical.rules.js';
import {
  EVENT_TYPES,
  USE_CASE_DEFAULT,
  USE_CASE_LENGTH_MAX,
  USE_CASES_MAX,
  type Vertical,
} from './vocabulary.js';

/** More groups of results than this are not told apart; a shorter window is asked for. */
const GROUPS_MAX = 10_000;

/** Results of a type in a use case, as the rows add up. */
interface ResultsRow {
  readonly useCase: string;
  readonly eventType: string;
  readonly events: number;
  readonly results: number;
  readonly valueMicro: bigint | null;
  readonly eventsWithoutValue: number;
  readonly evidencedEvents: number;
}

interface Recorded {
  readonly usage: readonly UsageSum<'feature'>[];
  readonly results: readonly ResultsRow[];
}

/**
 * The return of each use case in a window, the most expensive first; of one that is asked for, also
 * where nothing is recorded of it.
 * @throws invalid_request for a wrong window, or one with too many use cases
 */
export async function roiReceipts(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<readonly RoiReceipt[]> {
  const { useCase, ...window } = asked(given);
  const { value, provenance } = await factsIn(ctx, window, useCase);
  const facts = inOrder(value);
  const many = `covers ${facts.length} use cases; take a shorter window or name one`;
  failOnFaults(facts.length > USE_CASES_MAX ? [fault('from', 'out_of_range', many)] : []);
  const isKnown = useCase === null || facts.length > 0;
  return (isKnown ? facts : [nothingOf(useCase)]).map((each) => roiOf(each, window, provenance));
}

/** The portfolio of a window. @throws invalid_request for a wrong window */
export async function valueDashboard(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValueDashboard> {
  const { useCase: _, ...window } = asked(given);
  const { value, provenance } = await factsIn(ctx, window, null);
  return dashboardOf(value, window, provenance);
}

/** Cost per result by vertical. @throws invalid_request for a wrong window */
export async function valueSummary(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof VALUE_SUMMARY.fields>> {
  const { useCase: _, ...window } = asked(given);
  const read = async (tx: Transaction) => [await recorded(ctx, tx, window, null)];
  const { value, provenance } = await measuredFrom(ctx, read, ofLines);
  const verticals = verticalCosts(value.costs, value.results, provenance);
  const costMicro = verticals.reduce((sum, each) => sum + each.costMicro, 0n);
  const results = verticals.reduce((sum, each) => sum + each.results, 0);
  return { ...window, costMicro, results, verticals };
}

function ofLines(rows: readonly Recorded[]) {
  const costs = rows.flatMap(({ usage }) =>
    usage.map(({ of, costMicro }) => ({ useCase: of.feature ?? USE_CASE_DEFAULT, costMicro })),
  );
  const results = rows.flatMap((each) =>
    each.results.map((row) => ({ ...row, eventType: EVENT_TYPES.parse(row.eventType) })),
  );
  return { costs, results };
}

function asked(given: GivenValues): Window & { readonly useCase: string | null } {
  const stated = inputValues(ROI_QUESTION, given) as ValuesOf<typeof WINDOW_QUESTION> & {
    readonly useCase: string | null;
  };
  const { from, to, faults } = statedWindow(stated, sharedNow());
  const { useCase } = stated;
  const bounds = { min: 1, max: USE_CASE_LENGTH_MAX };
  failOnFaults([...faults, ...length('useCase', useCase, bounds)]);
  return { from, to, useCase };
}

async function factsIn(
  ctx: AuthorizedCtx,
  window: Window,
  useCase: string | null,
): Promise<Sourced<UseCaseFacts[]>> {
  const read = async (tx: Transaction) => [await recorded(ctx, tx, window, useCase)];
  return measuredFrom(ctx, read, joined);
}

/** Value and cost of the same use cases, side by side. */
function joined(rows: readonly Recorded[]): UseCaseFacts[] {
  const facts = new Map<string, UseCaseFacts>();
  const add = (useCase: string, more: (known: UseCaseFacts) => Partial<UseCaseFacts>) => {
    const known = facts.get(useCase) ?? nothingOf(useCase);
    facts.set(useCase, { ...known, ...more(known) });
  };
  for (const { of, ...cost } of rows.flatMap(({ usage }) => usage)) {
    add(of.feature ?? USE_CASE_DEFAULT, (known) => ({
      costMicro: known.costMicro + cost.costMicro,
      requests: known.requests + cost.requests,
      simulatedRequests: known.simulatedRequests + cost.simulatedRequests,
      simulatedCostMicro: known.simulatedCostMicro + cost.simulatedCostMicro,
    }));
  }
  for (const { useCase, ...found } of rows.flatMap(({ results }) => results)) {
    add(useCase, (known) => ({
      events: known.events + found.events,
      results: known.results + found.results,
      valueMicro: known.valueMicro + (found.valueMicro ?? 0n),
      eventsWithoutValue: known.eventsWithoutValue + found.eventsWithoutValue,
      evidencedEvents: known.evidencedEvents + found.evidencedEvents,
    }));
  }
  return [...facts.values()];
}

function nothingOf(useCase: string): UseCaseFacts {
  return {
    useCase,
    events: 0,
    results: 0,
    eventsWithoutValue: 0,
    evidencedEvents: 0,
    valueMicro: 0n,
    costMicro: 0n,
    requests: 0,
    simulatedRequests: 0,
    simulatedCostMicro: 0n,
  };
}

async function recorded(
  ctx: AuthorizedCtx,
  tx: Transaction,
  window: Window,
  useCase: string | null,
): Promise<Recorded> {
  const usage = await usageOf(ctx, window, useCase);
  return { usage, results: refusedBeyond(await resultsOf(ctx, tx, window, useCase)) };
}

function refusedBeyond(results: readonly ResultsRow[]): readonly ResultsRow[] {
  const many = 'covers more use cases than can be told apart; take a shorter window or name one';
  failOnFaults(results.length > GROUPS_MAX ? [fault('from', 'out_of_range', many)] : []);
  return results;
}

/**
 * The vertical of each use case with results in a window: the one of most results.
 * @throws invalid_request where there are more use cases than can be told apart
 */
export async function verticalsOfUseCases(
  ctx: AuthorizedCtx,
  tx: Transaction,
  window: Window,
): Promise<ReadonlyMap<string, Vertical>> {
  const rows = refusedBeyond(await resultsOf(ctx, tx, window, null));
  return mainVerticals(
    rows.map((row) => ({ ...row, eventType: EVENT_TYPES.parse(row.eventType) })),
  );
}

/** Requests without a feature belong to the use case of events that name none. */
async function usageOf(
  ctx: AuthorizedCtx,
  window: Window,
  useCase: string | null,
): Promise<readonly UsageSum<'feature'>[]> {
  if (useCase === null) return sumUsage(ctx, window, ['feature']);
  const named = await sumUsage(ctx, window, ['feature'], { only: { feature: useCase } });
  if (useCase !== USE_CASE_DEFAULT) return named;
  return [...named, ...(await sumUsage(ctx, window, ['feature'], { only: { feature: null } }))];
}

function resultsOf(
  { who }: AuthorizedCtx,
  tx: Transaction,
  { from, to }: Window,
  useCase: string | null,
): Promise<ResultsRow[]> {
  const only = useCase === null ? Prisma.empty : Prisma.sql`AND use_case = ${useCase}`;
  return tx.$queryRaw<ResultsRow[]>`
    SELECT use_case AS "useCase", event_type AS "eventType", count(*)::int AS events,
           least(sum(quantity), 2147483647)::int AS results,
           sum(value_micro)::bigint AS "valueMicro",
           (count(*) - count(value_micro))::int AS "eventsWithoutValue",
           (count(*) FILTER (WHERE external_ref IS NOT NULL OR request_id IS NOT NULL))::int
             AS "evidencedEvents"
    FROM value_event
    WHERE tenant_id = ${who.tenantId}::uuid AND occurred_at >= ${from} AND occurred_at < ${to}
      ${only}
    GROUP BY use_case, event_type ORDER BY use_case, event_type LIMIT ${GROUPS_MAX + 1}`;
}
