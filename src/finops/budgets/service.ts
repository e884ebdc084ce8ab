import { BUDGET_PERIODS } from '../../access/budgets/vocabulary.js';
import { requireLimitChanger } from '../../access/organization/limit-changes.js';
import type { Budget } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Ctx, Transaction } from '../../graph/ctx.js';
import { authorized } from '../../graph/database.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { newId } from '../../kernel/ids.js';
import { moscowDay } from '../../kernel/time.js';
import { change } from '../../records/change.js';
import { measuredFrom } from '../../records/measured.js';
import { requireOwn } from '../../records/own.js';
import type { LadderStep } from '../unit-economics/vocabulary.js';
import { tellAlerts } from './alerts.js';
import { alertBasisPoints, budgetFaults, concernsOf, guard } from './budgets.rules.js';
import { cheapestModel } from './cheapest.rules.js';
import { climbLadders } from './climb.js';
import { referenceFaults, routeFaults } from './references.js';
import { BUDGET_INPUT, CHECK_INPUT } from './tables.js';
import { withTerms } from './terms-of-each.js';
import { BUDGET_SCOPES, BUDGETS_MAX, ON_CAP_ACTIONS } from './vocabulary.js';

type Stated = ValuesOf<typeof BUDGET_INPUT.fields>;

/**
 * Sets the budget of a scope, reference and period: it is made, or changed where it is there, and
 * what it has counted stays. It holds from the next request on, on every node.
 * @throws invalid_request with every fault
 */
export async function setBudget(ctx: AuthorizedCtx, given: GivenValues): Promise<Budget> {
  requireLimitChanger(ctx);
  const terms = await statedTerms(ctx, given);
  const { tenantId } = ctx.who;
  return change(ctx, { action: 'budgetSet', subject: 'Budget' }, async (tx) => {
    const { scopeKind, scopeRef, period } = terms;
    // Whoever sets the budgets of this organization waits here: one scope has one budget.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
      concat_ws(E'\n', 'scope_budget', ${tenantId}::uuid), 0))`;
    const where = { tenantId, scopeKind, scopeRef, period };
    const before = await tx.budget.findFirst({ where });
    if (!before) await requirePlace(tenantId, tx);
    const result = before
      ? await tx.budget.update({
          where: { id: before.id },
          data: { ...terms, updatedAt: sharedNow() },
        })
      : await tx.budget.create({ data: { id: newId('Budget'), tenantId, ...terms } });
    await tellAlerts(tx, [result.id]);
    await climbLadders(tx, [result.id]);
    const told = () => ctx.services.spendControls.forget(tenantId);
    return {
      result,
      id: result.id,
      before: before ? snapshot(before) : undefined,
      after: snapshot(result),
      told,
    };
  });
}

/**
 * The terms of a budget as they are stated, with every default.
 * @throws invalid_request with every fault
 */
export async function statedTerms(ctx: AuthorizedCtx, given: GivenValues) {
  const stated = inputValues(BUDGET_INPUT.fields, given);
  failOnFaults([
    ...inputFaults(BUDGET_INPUT.fields, stated, 'input'),
    ...budgetFaults(stated),
    ...(await referenceFaults(ctx, stated.scope, stated.scopeRef)),
    ...(stated.degradeTo === null
      ? []
      : await routeFaults(ctx, 'input.degradeTo', stated.degradeTo)),
  ]);
  return termsOf(ctx, stated);
}

function termsOf(ctx: AuthorizedCtx, stated: Stated) {
  const { scope, scopeRef, onCapReached, hardCapMicro: capMicro, active, ladder } = stated;
  const period = stated.period ?? (scope === 'agent_session' ? 'total' : ('month' as const));
  const cheapest = () => cheapestModel(ctx.services.registry.models, moscowDay(sharedNowMs()));
  return {
    scopeKind: scope,
    scopeRef,
    period,
    capMicro,
    active,
    ladder,
    name: stated.name ?? `${scope} ${scopeRef} (${period})`,
    onCapReached,
    degradeTo: onCapReached === 'degrade' ? (stated.degradeTo ?? cheapest()) : null,
    softAlerts: alertBasisPoints(stated.softAlerts),
  };
}

const SET_HERE = BUDGET_SCOPES.rows.filter(({ set }) => set).map(({ code }) => code);

async function requirePlace(tenantId: string, tx: Transaction): Promise<void> {
  const count = await tx.budget.count({ where: { tenantId, scopeKind: { in: SET_HERE } } });
  if (count < BUDGETS_MAX) return;
  const what = `would be one more than the ${BUDGETS_MAX} budgets that an organization may have`;
  failOnFaults([fault('input.scopeRef', 'out_of_range', what)]);
}

function snapshot(budget: Budget) {
  const { scopeKind, scopeRef, period, capMicro, active, ladder } = budget;
  const { name, onCapReached, degradeTo, softAlerts } = budget;
  const cap = capMicro.toString();
  const terms = { scopeKind, scopeRef, period, cap, active, ladder };
  return { ...terms, name, onCapReached, degradeTo, softAlerts };
}

interface StandingRow {
  readonly periodStart: string;
  readonly spentMicro: bigint;
  readonly heldMicro: bigint;
  readonly capMicro: bigint;
  readonly grantedMicro: bigint;
}

/**
 * What would happen now to a request within a budget, by the rule of the chat path. Nothing is
 * held and nothing asked for.
 * @throws invalid_request with every fault, not_found
 */
export async function checkBudget(ctx: AuthorizedCtx, id: string, given: GivenValues) {
  const asked = inputValues(CHECK_INPUT.fields, given);
  failOnFaults(inputFaults(CHECK_INPUT.fields, asked, 'input'));
  const budget = await withTerms(ctx, await requireOwn(ctx, 'Budget', id));
  const { currentSpendMicro, estimateMicro } = asked;
  const { value: counted, provenance } = await measuredFrom(ctx, standingOf(ctx, id), first);
  const { periodStart, ...standing } = counted;
  const isStated = currentSpendMicro !== null;
  const spending = isStated ? { spentMicro: currentSpendMicro, heldMicro: 0n } : {};
  const { degradeTo, softAlerts, active } = budget;
  const onCapReached = ON_CAP_ACTIONS.parse(budget.onCapReached);
  const guarded = { ...standing, ...spending, onCapReached, degradeTo, softAlerts, active };
  const judged = { ...guard(guarded, estimateMicro), periodStart };
  return { ...judged, provenance: isStated ? ('declared' as const) : provenance };
}

function first(rows: readonly StandingRow[]): StandingRow {
  const [standing] = rows;
  if (!standing) throw new Error('the budget has no period');
  return standing;
}

function standingOf({ who }: AuthorizedCtx, id: string) {
  return (rows: Transaction) => rows.$queryRaw<StandingRow[]>`
    SELECT to_char(s.period_start, 'YYYY-MM-DD') AS "periodStart",
      COALESCE(c.spent_micro, 0) AS "spentMicro", COALESCE(c.held_micro, 0) AS "heldMicro",
      t.cap_micro AS "capMicro", budget_granted(b.id, s.period_start) AS "grantedMicro"
    FROM budget b
    JOIN budget t ON t.id = budget_of_terms(b.id, b.scope_kind, b.scope_ref)
    CROSS JOIN LATERAL (
      SELECT budget_period_start(b.period, b.time_zone, clock_timestamp()) AS period_start
    ) s
    LEFT JOIN budget_counter c ON c.budget_id = b.id AND c.period_start = s.period_start
    WHERE b.id = ${id}::uuid AND b.tenant_id = ${who.tenantId}::uuid`;
}

/** The step of its ladder on which a budget stands: what requests are judged by, from memory. */
export async function ladderStepOf(
  { who, services }: AuthorizedCtx,
  budgetId: string,
): Promise<LadderStep | null> {
  const { ladders } = await services.spendControls.forTenant(who.tenantId);
  for (const budgets of ladders.values()) {
    const found = budgets.find(({ id }) => id === budgetId);
    if (found) return found.step;
  }
  return null;
}

/** A budget as it is shown: a cap of each with the terms of the budget that has made it. */
export async function shownBudget(budget: Budget, ctx: Ctx) {
  return columnsOf(await withTerms(authorized(ctx), budget));
}

function columnsOf(budget: Budget) {
  const { scopeRef, name, capMicro: hardCapMicro, softAlerts, degradeTo, active } = budget;
  const { ladder } = budget;
  return {
    scope: budget.scopeKind as 'use_case',
    scopeRef,
    concerns: concernsOf(budget.scopeKind, scopeRef),
    name,
    hardCapMicro,
    softAlerts: softAlerts.map((points) => points / 100),
    onCapReached: ON_CAP_ACTIONS.parse(budget.onCapReached),
    degradeTo,
    period: BUDGET_PERIODS.parse(budget.period),
    active,
    ladder,
  };
}
