import type { Policy, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { audit } from '../../records/audit-trail.js';
import { afterCommit } from '../../records/scope.js';
import { nameFaults } from '../auth/rules.js';
import { policyFaults, readRules, storedRules } from './rules.js';
import type { PolicyRules } from './vocabulary.js';

/** A new policy. */
export interface PolicyDraft {
  readonly projectId?: string | null;
  readonly name: string;
  readonly enabled: boolean;
  readonly rules: PolicyRules;
}

/** A change: what is absent stays; what is given replaces that part as a whole. */
export interface PolicyChange {
  readonly name?: string | null;
  readonly enabled?: boolean | null;
  readonly rules: Partial<PolicyRules>;
  /** When given, the change is made only to this version. */
  readonly expectedVersion?: number | null;
}

/**
 * Creates a policy; it applies to the next request on every node.
 * @throws invalid_request with every fault, not_found for a foreign project
 */
export async function createPolicy(ctx: AuthorizedCtx, draft: PolicyDraft): Promise<Policy> {
  requireValid(ctx, draft.name, draft.rules);
  const projectId = await ownProject(ctx, draft.projectId);
  const created = await ctx.services.prisma.$transaction(async (tx) => {
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
    await record(ctx, tx, policy, undefined);
    return policy;
  });
  afterCommit(ctx, () => ctx.services.policies.forget(created.tenantId));
  return created;
}

/**
 * Changes a policy; the change appends a version and applies to the next request on every node.
 * @throws invalid_request, not_found, policy_version_conflict
 */
export async function updatePolicy(
  ctx: AuthorizedCtx,
  id: string,
  change: PolicyChange,
): Promise<Policy> {
  const { tenantId } = ctx.who;
  const updated = await ctx.services.prisma.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM policy WHERE id = ${id}::uuid
                       AND tenant_id = ${tenantId}::uuid FOR UPDATE`;
    const before = await tx.policy.findFirst({ where: { id, tenantId } });
    if (!before) return fail('not_found', { values: { subject: 'policy', id }, param: 'id' });
    if (change.expectedVersion != null && change.expectedVersion !== before.version) {
      fail('policy_version_conflict', { values: { version: before.version } });
    }
    const changed = changedPolicy(before, change);
    requireValid(ctx, changed.name, changed.rules);
    const policy = await tx.policy.update({
      where: { id },
      data: {
        name: changed.name.trim(),
        enabled: changed.enabled,
        rules: storedRules(changed.rules) as Prisma.InputJsonObject,
        version: before.version + 1,
        updatedAt: new Date(),
      },
    });
    await record(ctx, tx, policy, before);
    return policy;
  });
  afterCommit(ctx, () => ctx.services.policies.forget(tenantId));
  return updated;
}

/** The policy with a change applied: parts that the change leaves out stay as they are. */
export function changedPolicy(before: Policy, change: PolicyChange) {
  return {
    name: change.name ?? before.name,
    enabled: change.enabled ?? before.enabled,
    rules: { ...readRules(before.rules), ...change.rules },
  };
}

/** The project of a draft: the caller's own unless another one of the tenant is named. */
export async function ownProject(ctx: AuthorizedCtx, id?: string | null): Promise<string> {
  const projectId = id ?? ctx.who.projectId;
  const project = await database(ctx).project.findFirst({ where: { id: projectId } });
  if (project) return project.id;
  return fail('not_found', {
    values: { subject: 'project', id: projectId },
    param: 'project_id',
  });
}

/** @throws invalid_request with every fault */
export function requireValid(ctx: AuthorizedCtx, name: string, rules: PolicyRules): void {
  const known = new Set([...ctx.services.modelNames()]);
  failOnFaults([...nameFaults('name', name), ...policyFaults(rules, known)]);
}

async function record(
  ctx: AuthorizedCtx,
  tx: Transaction,
  policy: Policy,
  before: Policy | undefined,
): Promise<void> {
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
  await audit(ctx, tx, {
    action: before ? 'policyUpdate' : 'policyCreate',
    subject: 'Policy',
    subjectId: id,
    before: before && snapshot(before),
    after: snapshot(policy),
  });
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
