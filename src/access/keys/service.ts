import type { ApiKey } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import type { KeyType } from '../../graph/permissions.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { audit } from '../../records/audit-trail.js';
import { nameFaults } from '../auth/rules.js';
import { KEY_PREFIX, newKey } from './format.js';

/** What is asked of a new key. */
export interface KeyRequest {
  readonly keyType: KeyType;
  /** Default: the type of the key. */
  readonly name?: string | null;
  /** Default: the caller's own project. */
  readonly projectId?: string | null;
}

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
export async function createKey(ctx: AuthorizedCtx, input: KeyRequest): Promise<CreatedKey> {
  const name = input.name ?? input.keyType;
  failOnFaults(nameFaults('name', name));
  const projectId = input.projectId ?? ctx.who.projectId;
  const project = await database(ctx).project.findFirst({ where: { id: projectId } });
  if (!project) {
    fail('not_found', { values: { subject: 'project', id: projectId }, param: 'project_id' });
  }
  const key = newKey();
  const apiKey = await ctx.services.prisma.$transaction(async (tx) => {
    const created = await tx.apiKey.create({
      data: {
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
      },
    });
    const after = { name: created.name, key_type: created.keyType, project: projectId };
    await audit(ctx, tx, {
      action: 'apiKeyCreate',
      subject: 'ApiKey',
      subjectId: created.id,
      after,
    });
    return created;
  });
  return { apiKey, key };
}

/**
 * Revokes a key: the next request with it is refused on every node. A key that is revoked
 * already stays as it is.
 * @throws not_found
 */
export async function revokeKey(ctx: AuthorizedCtx, id: string): Promise<ApiKey> {
  const key = await database(ctx).apiKey.findFirst({ where: { id } });
  if (!key) return fail('not_found', { values: { subject: 'API key', id }, param: 'id' });
  return ctx.services.prisma.$transaction(async (tx) => {
    const { count } = await tx.apiKey.updateMany({
      where: { id, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    const before = { revoked: false };
    const after = { revoked: true };
    if (count > 0) {
      await audit(ctx, tx, {
        action: 'apiKeyRevoke',
        subject: 'ApiKey',
        subjectId: id,
        before,
        after,
      });
    }
    return tx.apiKey.findUniqueOrThrow({ where: { id } });
  });
}
