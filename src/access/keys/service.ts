import type { ApiKey } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { KEY_TYPES } from '../../graph/permissions.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import { code, fieldTable, optional, text, uuid } from '../../kernel/fields/field.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { lockOwn, requireOwn } from '../../records/own.js';
import { nameFaults } from '../auth/rules.js';
import { KEY_PREFIX, newKey } from './format.js';
import { revokeTokensOf } from './issued-tokens.js';

/** What is asked of a new key. */
export const KEY_INPUT = fieldTable('ApiKeyCreateInput', 'What is asked of a new key.', {
  keyType: code(KEY_TYPES, 'What it may do.'),
  name: optional(text('What it is for, 1 to 200 characters; default is the type of the key.')),
  projectId: optional(uuid('Default: the project of the caller.')),
});

/** A key with its value, which is shown this once. */
export interface CreatedKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

const SHOWN_PREFIX_LENGTH = KEY_PREFIX.length + 4;

/**
 * Creates a key. Only its keyed hash is stored. It gets the rights of its type as far as its
 * creator has them.
 * @throws invalid_request, not_found for a project of another organization
 */
export async function createKey(ctx: AuthorizedCtx, given: GivenValues): Promise<CreatedKey> {
  const input = inputValues(KEY_INPUT.fields, given);
  const name = input.name ?? input.keyType;
  failOnFaults(nameFaults('input.name', name));
  const projectId = input.projectId ?? ctx.who.projectId;
  await requireOwn(ctx, 'Project', projectId, { param: 'input.projectId' });
  const key = newKey();
  const data = {
    id: newId('ApiKey'),
    tenantId: ctx.who.tenantId,
    projectId,
    name: name.trim(),
    keyType: input.keyType,
    keyHash: new Uint8Array(ctx.services.hashKey(key)),
    prefix: key.slice(0, SHOWN_PREFIX_LENGTH),
    lastFour: key.slice(-4),
    createdBy: ctx.who.id,
    boundRole: ctx.who.boundRole,
  };
  return change(ctx, { action: 'apiKeyCreate', subject: 'ApiKey' }, async (tx) => {
    const apiKey = await tx.apiKey.create({ data });
    const after = { name: apiKey.name, key_type: apiKey.keyType, project: projectId };
    return { result: { apiKey, key }, id: apiKey.id, after };
  });
}

/**
 * Revokes a key, and the ephemeral tokens that it has issued: the next request with any of them is
 * refused on every node. A key that is revoked already stays as it is.
 * @throws not_found, also for a token, which has its own mutation
 */
export function revokeKey(ctx: AuthorizedCtx, id: string): Promise<ApiKey> {
  return change(ctx, { action: 'apiKeyRevoke', subject: 'ApiKey' }, async (tx) => {
    const { tenantId } = ctx.who;
    const known = await lockOwn(ctx, tx, 'ApiKey', id, { subject: 'API key' });
    const isToken = known.keyType === 'ephemeral';
    if (isToken) return fail('not_found', { values: { subject: 'API key', id }, param: 'id' });
    if (known.revokedAt) return { result: known };
    const result = await tx.apiKey.update({
      where: { id, tenantId },
      data: { revokedAt: new Date() },
    });
    await revokeTokensOf(tx, tenantId, id);
    return { result, id, before: { revoked: false }, after: { revoked: true } };
  });
}
