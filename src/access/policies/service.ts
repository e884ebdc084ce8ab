import type { Policy, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import type { GivenValues } from '../../kernel/fields/faults.js';
import { newId } from '../../kernel/ids.js';
import { change, type Done } from '../../records/change.js';
import { lockOwn, requireOwn } from '../../records/own.js';
import { nameFaults } from '../auth/rules.js';
import { requireLimitChanger } from '../organization/limit-changes.js';
import { patternsOf, togetherFaults } from './own-class-rules.js';
import { policyFaults, readRules, storedRules } from './rules.js';
import type { PolicyRules } from './vocabulary.js';

/** A new policy. */
export interface PolicyDraft {
  readonly projectId?: string | null;
  readonly name: string;
  readonly enabled: boolean;
  readonly rules: PolicyRules;
}

/**
 * A change: what is absent stays, in budgets, limits and both parts of the firewall each value for
 * itself.
 */
export interface PolicyChange {
  readonly name?: string | null;
  readonly enabled?: boolean | null;
  readonly rules: Partial<PolicyRules>;
  /** Single values of these parts; null lifts one. They go before the same part of `rules`. */
  readonly patches?: Partial<
    Record<'budgets' | 'limits' | 'firewall' | 'firewallUnread', GivenValues>
  >;
  /** When given, the change is made only to this version. */
  readonly expectedVersion?: number | null;
}

/**
 * Creates a policy; it applies to the next request on every node.
 * @throws invalid_request with every fault, not_found for a foreign project,
 * limits_by_members_only
 */
export async function createPolicy(ctx: AuthorizedCtx, draft: PolicyDraft): Promise<Policy> {
  requireLimitChanger(ctx);
  requireValid(ctx, draft.name, draft.rules);
  const projectId = await ownProject(ctx, draft.projectId);
  return change(ctx, { action: 'policyCreate', subject: 'Policy' }, async (tx) => {
    await requirePatternRoom(tx, ctx.who.tenantId, draft.rules);
    const policy = await tx.policy.create({
      data: {
        id: newId('Policy'),
        tenantId: ctx.who.tenantId,
        projectId,
        name: draft.name.trim(),
        enabled: draft.enabled,
        rules: storedRules(draft.rules) as Prisma.InputJsonObject,
      },
    });
    return written(ctx, tx, policy);
  });
}

/**
 * Changes a policy; the change appends a version and applies to the next request on every node.
 * @throws invalid_request, not_found, policy_version_conflict, limits_by_members_only
 */
export function updatePolicy(
  ctx: AuthorizedCtx,
  id: string,
  { expectedVersion, ...stated }: PolicyChange,
): Promise<Policy> {
  requireLimitChanger(ctx);
  return change(ctx, { action: 'policyUpdate', subject: 'Policy' }, async (tx) => {
    const before = await lockOwn(ctx, tx, 'Policy', id);
    const { tenantId, version } = before;
    if (expectedVersion != null && expectedVersion !== version) {
      fail('policy_version_conflict', { values: { version } });
    }
    const { name, enabled, rules } = changedPolicy(before, stated);
    requireValid(ctx, name, rules);
    await requirePatternRoom(tx, tenantId, rules, before);
    const policy = await tx.policy.update({
      where: { id, tenantId },
      data: {
        name: name.trim(),
        enabled,
        rules: storedRules(rules) as Prisma.InputJsonObject,
        version: version + 1,
        updatedAt: sharedNow(),
      },
    });
    return written(ctx, tx, policy, before);
  });
}

/** The policy with a change applied: parts that the change leaves out stay as they are. */
export function changedPolicy(before: Policy, stated: PolicyChange) {
  const rules = readRules(before.rules);
  return {
    name: stated.name ?? before.name,
    enabled: stated.enabled ?? before.enabled,
    rules: { ...rules, ...stated.rules, ...patched(rules, stated.patches) },
  };
}

/** Parts with single values changed: null lifts one, and what a change leaves out stays. */
function patched(rules: PolicyRules, patches: PolicyChange['patches'] = {}) {
  const parts = Object.entries(patches).map(([name, patch]) => {
    const merged: GivenValues = { ...rules[name as keyof typeof patches], ...patch };
    const kept = Object.entries(merged).filter(([, value]) => value !== null);
    return [name, Object.fromEntries(kept)];
  });
  return Object.fromEntries(parts) as Pick<PolicyRules, keyof typeof patches>;
}

/** The project of a draft: the caller's own unless another one of the tenant is named. */
export async function ownProject(ctx: AuthorizedCtx, id?: string | null): Promise<string> {
  const projectId = id ?? ctx.who.projectId;
  return (await requireOwn(ctx, 'Project', projectId, { param: 'input.projectId' })).id;
}

/** @throws invalid_request with every fault */
export function requireValid(ctx: AuthorizedCtx, name: string, rules: PolicyRules): void {
  const known = new Set([...ctx.services.modelNames()]);
  failOnFaults([...nameFaults('input.name', name), ...policyFaults(rules, known)]);
}

/**
 * One definition of patterns at a time in an organization, so that each sees those before it.
 * @throws invalid_request
 */
async function requirePatternRoom(
  tx: Transaction,
  tenantId: string,
  { firewallCustom }: PolicyRules,
  before?: Policy,
): Promise<void> {
  const own = patternsOf(firewallCustom);
  if (own.length === 0) return;
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(
    hashtextextended(concat_ws(E'\n', 'own_patterns', ${tenantId}::uuid), 0))`;
  const others = await tx.$queryRaw<{ pattern: string }[]>`
    SELECT jsonb_path_query(rules, '$.firewallCustom[*].patterns[*]') #>> '{}' AS pattern
    FROM policy WHERE tenant_id = ${tenantId}::uuid
      AND id IS DISTINCT FROM ${before?.id ?? null}::uuid`;
  const had = before ? patternsOf(readRules(before.rules).firewallCustom) : [];
  const patterns = others.map(({ pattern }) => pattern);
  failOnFaults(togetherFaults(own, had, patterns));
}

/** Appends the version that a policy now has, and keeps its budgets. */
async function written(
  ctx: AuthorizedCtx,
  tx: Transaction,
  policy: Policy,
  before?: Policy,
): Promise<Done<Policy>> {
  const { id, tenantId, version, name, enabled, rules } = policy;
  await tx.policyVersion.create({
    data: {
      id: newId('PolicyVersion'),
      tenantId,
      policyId: id,
      version,
      name,
      enabled,
      rules: rules as Prisma.InputJsonObject,
      createdBy: ctx.who.id,
    },
  });
  await keepBudgets(tx, policy);
  const told = () => ctx.services.policies.forget(tenantId);
  return { result: policy, id, before: before && snapshot(before), after: snapshot(policy), told };
}

function snapshot({ name, enabled, version, rules }: Policy) {
  return { name, enabled, version, rules: rules as Record<string, never> };
}

/** The caps of a policy are budget rows, which the ledger checks inside the hold. */
async function keepBudgets(tx: Transaction, policy: Policy): Promise<void> {
  const { budgets } = readRules(policy.rules);
  const caps = [
    { period: 'day', capMicro: budgets.dailyMicro },
    { period: 'month', capMicro: budgets.monthlyMicro },
  ] as const;
  for (const { period, capMicro } of caps) {
    const existing = await tx.budget.findFirst({ where: { policyId: policy.id, period } });
    const active = policy.enabled && capMicro !== undefined;
    const name = `${policy.name} (${period})`;
    if (existing) {
      const data = { active, name, ...(capMicro === undefined ? {} : { capMicro }) };
      await tx.budget.update({ where: { id: existing.id }, data });
    } else if (capMicro !== undefined) {
      await tx.budget.create({
        data: {
          id: newId('Budget'),
          tenantId: policy.tenantId,
          policyId: policy.id,
          scopeKind: 'policy',
          scopeRef: policy.id,
          name,
          period,
          capMicro,
          active,
        },
      });
    }
  }
}
