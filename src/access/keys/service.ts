import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import { newId } from '../../kernel/ids.js';
import { accountableMember } from '../../records/approvals/requester.js';
import { change } from '../../records/change.js';
import { requireOwn } from '../../records/own.js';
import { nameFaults } from '../auth/rules.js';
import { handOn, requireWorkspace, workspaceOfMaker } from '../workspaces/boundary.js';
import { revokeMadeBy } from './descendants.js';
import { newKey, SHOWN_PREFIX_LENGTH } from './format.js';
import {
  KEY_INCLUDE,
  lockKey,
  requireLimits,
  snapshot,
  type WholeKey,
  writeLimits,
} from './limits.js';
import { changedLimits, expiryFaults, limitsAnything, limitsOfRow } from './limits.rules.js';
import { endOfMaker, requirePlaceInLine } from './maker.js';
import { lockMakers } from './makers-lock.js';
import { tellOutliving } from './outliving.js';
import { KEY_INPUT } from './tables.js';
import type { Descendants } from './vocabulary.js';

/** A key with its value, which is shown this once. */
export interface CreatedKey {
  readonly apiKey: WholeKey;
  readonly key: string;
}

/**
 * Creates a key. Only its keyed hash is stored. It gets the rights of its type as far as its
 * creator has them, and ends no later than a key that creates it. It is limited by what is stated
 * for it, and by what limits the keys that led to it. It belongs to the workspace of its creator.
 * @throws invalid_request with every fault, not_found for a project or workspace of another
 * organization, workspace_boundary if it would belong to two, api_key_revoked or invalid_token
 * where its creator has ended
 */
export async function createKey(ctx: AuthorizedCtx, given: GivenValues): Promise<CreatedKey> {
  requirePlaceInLine(ctx);
  const input = inputValues(KEY_INPUT.fields, given);
  const name = input.name ?? input.keyType;
  failOnFaults(nameFaults('input.name', name));
  const projectId = input.projectId ?? ctx.who.projectId;
  await requireOwn(ctx, 'Project', projectId, { param: 'input.projectId' });
  const { workspaceId } = input;
  if (workspaceId) await requireWorkspace(ctx, workspaceId, { param: 'input.workspaceId' });
  const limits = changedLimits(limitsOfRow(null), given);
  await requireLimits(ctx, limits);
  const key = newKey();
  const id = newId('ApiKey');
  const { tenantId } = ctx.who;
  const limitsId = limitsAnything(limits) ? id : null;
  const data = {
    id,
    tenantId,
    limitsId,
    projectId,
    workspaceId,
    name: name.trim(),
    keyType: input.keyType,
    keyHash: new Uint8Array(ctx.services.hashKey(key)),
    prefix: key.slice(0, SHOWN_PREFIX_LENGTH),
    lastFour: key.slice(-4),
    createdBy: ctx.who.id,
    boundRole: ctx.who.boundRole,
  };
  return change(ctx, { action: 'apiKeyCreate', subject: 'ApiKey' }, async (tx) => {
    const makerEndsAt = (await endOfMaker(ctx, tx)) ?? null;
    const expiresAt = input.expiresAt ?? makerEndsAt;
    failOnFaults(expiryFaults('input.expiresAt', input.expiresAt, sharedNow(), null));
    failOnFaults(expiryFaults('input.expiresAt', expiresAt, sharedNow(), makerEndsAt));
    if (limitsId) await writeLimits(ctx, tx, { tenantId, id, name: data.name }, limits);
    const accountableId = await accountableMember(tx, ctx.who);
    await tx.apiKey.create({ data: { ...data, expiresAt, accountableId } });
    await handOn(tx, data, await workspaceOfMaker(ctx, tx));
    const apiKey = await tx.apiKey.findFirstOrThrow({
      where: { id, tenantId },
      include: KEY_INCLUDE,
    });
    const after = { name: apiKey.name, key_type: apiKey.keyType, ...snapshot(apiKey) };
    return { result: { apiKey, key }, id, after };
  });
}

/**
 * Revokes a key and all that it has made, at any distance, in one commit: the next request with any
 * of them is refused on every node. A key that is revoked already stays as it is, and what it has
 * made ends if it has not.
 * @param descendants `keep` lets the keys that it has made go on; its tokens end in any case
 * @throws not_found, also for a token, which has its own mutation
 */
export function revokeKey(
  ctx: AuthorizedCtx,
  id: string,
  descendants: Descendants | null,
): Promise<WholeKey> {
  const work = async (tx: Transaction) => {
    const { tenantId } = ctx.who;
    await lockMakers(tx, tenantId);
    const known = await lockKey(ctx, tx, id);
    const ended = await revokeMadeBy(tx, { tenantId, id }, descendants);
    const isRevoked = known.revokedAt !== null;
    if (isRevoked && ended === 0) return { result: known };
    const where = { id, tenantId };
    const data = isRevoked ? {} : { revokedAt: sharedNow() };
    const result = await tx.apiKey.update({ where, data, include: KEY_INCLUDE });
    await tellOutliving(tx, tenantId);
    const after = { revoked: true, descendantsEnded: ended };
    return { result, id, before: { revoked: isRevoked, descendantsEnded: 0 }, after };
  };
  const name = { action: 'apiKeyRevoke', subject: 'ApiKey' } as const;
  return change(ctx, name, work);
}
