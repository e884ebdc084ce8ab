import type { Workspace } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import {
  type GivenValues,
  inputFaults,
  inputValues,
  statedValues,
} from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import type { Vocabulary } from '../../kernel/vocabulary.js';
import { change } from '../../records/change.js';
import { BUDGET_PERIODS } from '../budgets/vocabulary.js';
import { lockMakers } from '../keys/makers-lock.js';
import { requireLimitChanger } from '../organization/limit-changes.js';
import { CLASSES_OF_DATA } from '../policies/tables.js';
import { requireNoWorkspace, requireStillUnbound, requireWorkspace } from './boundary.js';
import {
  DEPARTMENTS_INPUT,
  type MACHINE_POLICY,
  WORKSPACE_CHANGE,
  WORKSPACE_FIELDS,
  WORKSPACE_INPUT,
} from './tables.js';
import { DEPARTMENTS, ROUTE_MODES, WORKSPACE_ACTIONS, WORKSPACE_BOUNDS } from './vocabulary.js';
import { leastClassFaults } from './workspace.rules.js';

/**
 * Creates a workspace; requests can be made under it at once.
 * @throws invalid_request with every fault, workspaces_full, limits_by_members_only,
 * workspace_caller_bound
 */
export async function createWorkspace(ctx: AuthorizedCtx, given: GivenValues): Promise<Workspace> {
  requireLimitChanger(ctx);
  requireNoWorkspace(ctx);
  const stated = inputValues(WORKSPACE_INPUT.fields, given);
  failOnFaults([
    ...inputFaults(WORKSPACE_INPUT.fields, stated, 'input'),
    ...leastClassFaults(stated.policy, 'input.policy'),
  ]);
  const { tenantId, id: createdBy } = ctx.who;
  const { name, departments, approvedRoutes, policy } = stated;
  const called = { action: 'workspaceCreate', subject: 'Workspace' } as const;
  return change(ctx, called, async (tx) => {
    // Who is placed waits, and so do others who create: the last place is taken once.
    await lockMakers(tx, tenantId);
    await requireStillUnbound(ctx, tx);
    await requirePlace(tx, tenantId);
    const id = newId('Workspace');
    const result = await tx.workspace.create({
      data: {
        id,
        tenantId,
        name: name.trim(),
        departments: each(DEPARTMENTS, departments),
        approvedRoutes: each(ROUTE_MODES, approvedRoutes),
        ...columnsOf(policy),
        createdBy,
      },
    });
    return { result, id, after: snapshot(result) };
  });
}

async function requirePlace(tx: Transaction, tenantId: string): Promise<void> {
  const { workspacesMax } = WORKSPACE_BOUNDS;
  const count = await tx.workspace.count({ where: { tenantId } });
  if (count >= workspacesMax) fail('workspaces_full', { values: { count } });
}

/** Each code once, in the order of its vocabulary. */
function each<V extends Vocabulary>(of: V, codes: readonly string[]): string[] {
  return of.codes.filter((code) => codes.includes(code));
}

type Policy = ValuesOf<typeof MACHINE_POLICY.fields>;

/** A policy as the columns of its workspace; what is undefined stays as it is. */
function columnsOf(policy: Policy) {
  return {
    dataClasses: each(CLASSES_OF_DATA, policy.dataClasses),
    dataClassMin: policy.dataClassMin,
    actions: each(WORKSPACE_ACTIONS, policy.actions),
    userBudgetMicro: policy.perUserBudgetMicro,
    userBudgetPeriod: policy.perUserBudgetPeriod,
  };
}

/**
 * Changes a workspace: the next request under it is decided by what is stated, on every node. A
 * limit of users that is changed holds for all of them at once; what they spent stays counted.
 * @throws invalid_request with every fault, not_found
 */
export async function changeWorkspace(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<Workspace> {
  const stated = statedValues(WORKSPACE_CHANGE.fields, given) as Partial<Change>;
  failOnFaults(inputFaults(WORKSPACE_CHANGE.fields, stated, 'input'));
  requireLimitChanger(ctx);
  return rewrite(ctx, 'workspaceChange', id, (before) => {
    const policy = { ...policyOf(before), ...withoutAbsent(stated.policy ?? {}, given) };
    failOnFaults(leastClassFaults(policy, 'input.policy'));
    return {
      name: stated.name?.trim() ?? before.name,
      approvedRoutes: each(ROUTE_MODES, stated.approvedRoutes ?? before.approvedRoutes),
      departments: before.departments,
      ...columnsOf(policy),
    };
  });
}

type Change = ValuesOf<typeof WORKSPACE_CHANGE.fields>;

/** What a written null lifts, with its name among the arguments. */
const LIFTED: Readonly<Record<string, string>> = {
  perUserBudgetMicro: 'perUserBudgetRub',
  dataClassMin: 'dataClassMin',
};

/**
 * Null lifts the limit of users and the least class where it is written; every other null is what
 * was not stated.
 */
function withoutAbsent(policy: GivenValues, given: GivenValues): Partial<Policy> {
  const written = (given.policy ?? {}) as GivenValues;
  const entries = Object.entries(policy).filter(
    ([name, value]) => value !== null || written[LIFTED[name] ?? ''] === null,
  );
  return Object.fromEntries(entries);
}

/**
 * Enables departments; those that are enabled stay.
 * @throws invalid_request with every fault, not_found
 */
export async function enableDepartments(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<Workspace> {
  const stated = inputValues(DEPARTMENTS_INPUT.fields, given);
  failOnFaults(inputFaults(DEPARTMENTS_INPUT.fields, stated, 'input'));
  requireLimitChanger(ctx);
  return rewrite(ctx, 'workspaceDepartmentsEnable', id, (before) => ({
    departments: each(DEPARTMENTS, [...before.departments, ...stated.departments]),
  }));
}

type Columns = Pick<
  Workspace,
  | 'name'
  | 'departments'
  | 'approvedRoutes'
  | 'dataClasses'
  | 'dataClassMin'
  | 'actions'
  | 'userBudgetMicro'
  | 'userBudgetPeriod'
>;

function rewrite(
  ctx: AuthorizedCtx,
  action: 'workspaceChange' | 'workspaceDepartmentsEnable',
  id: string,
  changed: (before: Workspace) => Partial<Columns>,
): Promise<Workspace> {
  const { tenantId } = ctx.who;
  return change(ctx, { action, subject: 'Workspace' }, async (tx) => {
    const before = await requireWorkspace(ctx, id, { lock: tx });
    const data = { ...changed(before), version: { increment: 1 }, updatedAt: sharedNow() };
    const result = await tx.workspace.update({ where: { id, tenantId }, data });
    await resetUserBudgets(tx, result);
    const told = () => ctx.services.workspaces.forget(tenantId);
    return { result, id, before: snapshot(before), after: snapshot(result), told };
  });
}

/** Users whose budgets are there get the cap that is in force; those of another period rest. */
async function resetUserBudgets(tx: Transaction, workspace: Workspace): Promise<void> {
  const { id, tenantId, userBudgetMicro, userBudgetPeriod } = workspace;
  await tx.$executeRaw`
    UPDATE budget SET cap_micro = COALESCE(${userBudgetMicro}::bigint, cap_micro),
      active = ${userBudgetMicro}::bigint IS NOT NULL AND period = ${userBudgetPeriod},
      updated_at = clock_timestamp()
    WHERE tenant_id = ${tenantId}::uuid AND scope_kind = 'workspace_user'
      AND starts_with(scope_ref, ${`${id}/`})`;
}

function policyOf(row: Workspace): Policy {
  return {
    dataClasses: row.dataClasses.map((code) => CLASSES_OF_DATA.parse(code)),
    dataClassMin: row.dataClassMin === null ? null : CLASSES_OF_DATA.parse(row.dataClassMin),
    actions: row.actions.map((code) => WORKSPACE_ACTIONS.parse(code)),
    perUserBudgetMicro: row.userBudgetMicro,
    perUserBudgetPeriod: BUDGET_PERIODS.parse(row.userBudgetPeriod),
  };
}

/** A workspace as it is shown. */
export function shownWorkspace(row: Workspace): ValuesOf<typeof WORKSPACE_FIELDS> {
  const { name, version, createdBy, createdAt, updatedAt } = row;
  return {
    name,
    departments: row.departments.map((code) => DEPARTMENTS.parse(code)),
    approvedRoutes: row.approvedRoutes.map((code) => ROUTE_MODES.parse(code)),
    policy: policyOf(row),
    version,
    createdBy,
    createdAt,
    updatedAt,
  };
}

function snapshot(row: Workspace) {
  return sealedContent(WORKSPACE_FIELDS, shownWorkspace(row));
}
