import type { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { newId } from '../../kernel/ids.js';
import { isoTime } from '../../kernel/time.js';
import { change } from '../../records/change.js';
import { lockOwn, requireOwn } from '../../records/own.js';
import { requireLimitChanger } from '../organization/limit-changes.js';
import {
  requireKeyStays,
  requireKeyWithin,
  requireWorkspace,
  workspaceOfKey,
} from '../workspaces/boundary.js';
import { endDescendants } from './descendants.js';
import { endTokensOf } from './issued-tokens.js';
import {
  type CallableNames,
  changedLimits,
  columnsOf,
  expiryFaults,
  limitFaults,
  limitsAnything,
  limitsOfRow,
  type StatedLimits,
} from './limits.rules.js';
import { endOfMaker } from './maker.js';
import { lockMakers } from './makers-lock.js';
import { KEY_CHANGE, LIMITS } from './tables.js';

/** What a key is shown with. */
export const KEY_INCLUDE = {
  limits: true,
  secrets: { orderBy: { endsAt: 'desc' } },
  uses: true,
} as const satisfies Prisma.ApiKeyInclude;

/** A key with its limits, its former secrets and when each was used. */
export type WholeKey = Prisma.ApiKeyGetPayload<{ include: typeof KEY_INCLUDE }>;

/**
 * The limits that an input states, judged.
 * @throws invalid_request with every fault
 */
export async function requireLimits(ctx: AuthorizedCtx, stated: StatedLimits): Promise<void> {
  requireLimitsOf(await namesOf(ctx), stated);
}

/** The names that limits may state. They may have to be read, so before a transaction begins. */
function namesOf({ services, who }: AuthorizedCtx) {
  return services.callableNames(who.tenantId);
}

function requireLimitsOf(known: CallableNames, stated: StatedLimits): void {
  failOnFaults([...inputFaults(LIMITS, stated, 'input'), ...limitFaults(stated, known)]);
}

interface Holder {
  readonly tenantId: string;
  /** The id of the limits: that of the key for which they were stated first. */
  readonly id: string;
  /** The name of the key. */
  readonly name: string;
}

const PERIODS = [
  ['day', 'dailyMicro'],
  ['month', 'monthlyMicro'],
  ['total', 'totalMicro'],
] as const;

/**
 * Writes the limits of a key with their budgets, which the ledger asks inside the hold. The row of
 * the limits tells every node, and the hold, that they have changed.
 */
export async function writeLimits(
  ctx: AuthorizedCtx,
  tx: Transaction,
  { tenantId, id, name }: Holder,
  stated: StatedLimits,
): Promise<void> {
  const columns = { ...columnsOf(stated), changedBy: ctx.who.id, changedAt: sharedNow() };
  const { count } = await tx.keyLimits.updateMany({ where: { id, tenantId }, data: columns });
  if (count === 0) await tx.keyLimits.create({ data: { id, tenantId, ...columns } });
  for (const [period, column] of PERIODS) {
    const capMicro = stated.budgets[column];
    const scope = { tenantId, scopeKind: 'key', scopeRef: id, period };
    const known = await tx.budget.findFirst({ where: scope });
    const data = { active: capMicro !== null, ...(capMicro !== null && { capMicro }) };
    if (known) {
      await tx.budget.update({
        where: { id: known.id, tenantId },
        data: { ...data, updatedAt: sharedNow() },
      });
    } else if (capMicro !== null) {
      const called = `key ${name} (${period})`;
      await tx.budget.create({
        data: { id: newId('Budget'), ...scope, name: called, capMicro },
      });
    }
  }
}

/**
 * Changes what a key may do; it holds for its next request on every node. What the key has made
 * works no longer than until an end that is stated, unless it is kept; its tokens never do.
 * @throws invalid_request with every fault, not_found, key_changes_itself, key_ended,
 * limits_by_members_only, workspace_boundary where it would belong to two workspaces, or leave that
 * of the caller, api_key_revoked or invalid_token where who asks has ended
 */
export async function updateKey(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<WholeKey> {
  const { who } = ctx;
  requireLimitChanger(ctx);
  const stated = inputValues(KEY_CHANGE.fields, given);
  const isSaidOfEnd = stated.descendants === null || stated.expiresAt !== null;
  failOnFaults([
    ...inputFaults(KEY_CHANGE.fields, stated, 'input'),
    ...fits('input.descendants', isSaidOfEnd, 'goes with an end of the key'),
  ]);
  const { projectId } = stated;
  if (projectId) await requireOwn(ctx, 'Project', projectId, { param: 'input.projectId' });
  if (stated.workspaceId) {
    await requireWorkspace(ctx, stated.workspaceId, { param: 'input.workspaceId' });
  }
  const known = await namesOf(ctx);
  return change(ctx, { action: 'apiKeyUpdate', subject: 'ApiKey' }, async (tx) => {
    const { tenantId } = who;
    await lockMakers(tx, tenantId);
    await endOfMaker(ctx, tx);
    const before = await lockKey(ctx, tx, id);
    if ([who.id, ...who.makers].includes(id)) fail('key_changes_itself');
    const where = { id, tenantId };
    await requireChangeable(tx, before);
    const limits = changedLimits(limitsOfRow(before.limits), given);
    requireLimitsOf(known, limits);
    const expiresAt = given.expiresAt === undefined ? before.expiresAt : stated.expiresAt;
    if (given.expiresAt !== undefined) await requireEnd(tx, before, expiresAt);
    const limitsId = before.limitsId ?? (limitsAnything(limits) ? id : null);
    if (limitsId) {
      await writeLimits(ctx, tx, { tenantId, id: limitsId, name: before.name }, limits);
    }
    const workspaceId = given.workspaceId === undefined ? before.workspaceId : stated.workspaceId;
    const data = { limitsId, expiresAt, projectId: projectId ?? before.projectId, workspaceId };
    const result = await tx.apiKey.update({ where, data, include: KEY_INCLUDE });
    if (stated.projectId !== null || given.workspaceId !== undefined) {
      await workspaceOfKey(tx, result);
      await requireKeyStays(ctx, tx, result);
    }
    const isEndStated = given.expiresAt !== undefined && stated.descendants !== 'keep';
    if (expiresAt) await (isEndStated ? endDescendants : endTokensOf)(tx, before, expiresAt);
    if (projectId) await moveTokensOf(tx, result);
    return { result, id, before: snapshot(before), after: snapshot(result) };
  });
}

/**
 * A key of the tenant, locked until the transaction ends.
 * @throws not_found, also for a token, which has its own mutations, and beyond the workspace of the
 * caller
 */
export async function lockKey(ctx: AuthorizedCtx, tx: Transaction, id: string): Promise<WholeKey> {
  const { keyType } = await lockOwn(ctx, tx, 'ApiKey', id, { subject: 'API key' });
  const isToken = keyType === 'ephemeral';
  if (isToken) return fail('not_found', { values: { subject: 'API key', id }, param: 'id' });
  const where = { id, tenantId: ctx.who.tenantId };
  const key = await tx.apiKey.findFirstOrThrow({ where, include: KEY_INCLUDE });
  await requireKeyWithin(ctx, tx, key, { subject: 'API key', id });
  return key;
}

/** What has ended is changed no more. @throws key_ended */
export async function requireChangeable(tx: Transaction, { id, tenantId, ...key }: WholeKey) {
  const ended = (reason: string) => fail('key_ended', { values: { reason }, param: 'id' });
  if (key.revokedAt) ended('it was revoked');
  if (key.expiresAt && key.expiresAt <= sharedNow()) ended('it has expired');
  if (await isReplaced(tx, { id, tenantId })) ended('another key has taken over');
}

/** Whether an incident has rotated a key into another one, which is not undone. */
export async function isReplaced(
  tx: Transaction,
  { id, tenantId }: { readonly id: string; readonly tenantId: string },
): Promise<boolean> {
  const where = { keyId: id, tenantId, action: 'rotate', undoneAt: null };
  return (await tx.keyAction.count({ where })) > 0;
}

/** What a key has made ends no later than that key. @throws invalid_request */
async function requireEnd(
  tx: Transaction,
  { tenantId, createdBy }: WholeKey,
  expiresAt: Date | null,
): Promise<void> {
  const maker = await tx.apiKey.findFirst({ where: { id: createdBy, tenantId } });
  const faults = expiryFaults('input.expiresAt', expiresAt, sharedNow(), maker?.expiresAt ?? null);
  failOnFaults(faults);
}

/** Tokens act in the project of the key that has issued them. */
async function moveTokensOf(tx: Transaction, { tenantId, id, projectId }: WholeKey): Promise<void> {
  await tx.apiKey.updateMany({
    where: { tenantId, createdBy: id, keyType: 'ephemeral', revokedAt: null },
    data: { projectId },
  });
}

/** What a key may do, as the audit trail keeps it. */
export function snapshot({ projectId, workspaceId, expiresAt, limits }: WholeKey) {
  const { budgets, ...stated } = limitsOfRow(limits);
  const caps = Object.entries(budgets).map(([name, cap]) => [name, cap?.toString() ?? null]);
  const end = expiresAt ? isoTime(expiresAt) : null;
  const place = { project: projectId, workspace: workspaceId };
  return { ...place, expiresAt: end, ...stated, ...Object.fromEntries(caps) };
}
