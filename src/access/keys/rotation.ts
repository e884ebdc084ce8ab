import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { permissionsOf, permissionsOfKey } from '../../graph/permissions.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { newId } from '../../kernel/ids.js';
import { isoTime } from '../../kernel/time.js';
import { accountableMember } from '../../records/approvals/requester.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { newKey, SHOWN_PREFIX_LENGTH } from './format.js';
import { KEY_INCLUDE, lockKey, requireChangeable, type WholeKey } from './limits.js';
import { earlierEnd, endOfMaker } from './maker.js';
import { lockMakers } from './makers-lock.js';
import { type KEY_SECRET, ROTATE_INPUT } from './tables.js';
import { KEY_BOUNDS } from './vocabulary.js';

/** A key with its new secret, which is shown this once. */
export interface RotatedKey {
  readonly apiKey: WholeKey;
  readonly key: string;
  /** When the secret before it stops to work. */
  readonly formerEndsAt: Date;
}

/**
 * Gives a key a new secret; the one before works until its grace is over. Both are the same key:
 * its limits, its usage and its end. A key rotates itself and what it has made; a member rotates
 * keys of no more rights than its own, since the secret is shown to it.
 * @throws invalid_request with every fault, not_found, key_ended, key_secrets_full,
 * permission_denied, former_secret_refused, api_key_revoked or invalid_token where who asks has
 * ended
 */
export function rotateKey(ctx: AuthorizedCtx, id: string, given: GivenValues): Promise<RotatedKey> {
  const stated = inputValues(ROTATE_INPUT.fields, given);
  failOnFaults(inputFaults(ROTATE_INPUT.fields, stated, 'input'));
  const { tenantId } = ctx.who;
  return change(ctx, { action: 'apiKeyRotate', subject: 'ApiKey' }, async (tx) => {
    // Holds the lock of the makers against the removal of who asks.
    await endOfMaker(ctx, tx);
    const key = await lockKey(ctx, tx, id);
    await requireChangeable(tx, key);
    await requireRights(ctx, tx, key);
    requirePresent(ctx, key);
    const now = await databaseNow(tx);
    requirePlace(key, now);
    const grace = new Date(now.getTime() + stated.graceSeconds * 1_000);
    const formerEndsAt = earlierEnd(grace, key.expiresAt ?? undefined);
    const { secretId, keyHash, prefix, lastFour, createdBy, rotatedBy, secretMadeAt } = key;
    const present = { kind: 'api_key', id, tenantId } as const;
    const former = {
      id: secretId ?? id,
      tenantId,
      keyId: id,
      keyHash: new Uint8Array(keyHash),
      prefix,
      lastFour,
      madeBy: rotatedBy ?? createdBy,
      accountableId: await accountableMember(tx, present),
      madeAt: secretMadeAt ?? key.createdAt,
      endsAt: formerEndsAt,
    };
    await tx.keySecret.create({ data: former });
    const value = newKey();
    const apiKey = await tx.apiKey.update({
      where: { id, tenantId },
      data: {
        keyHash: new Uint8Array(ctx.services.hashKey(value)),
        prefix: value.slice(0, SHOWN_PREFIX_LENGTH),
        lastFour: value.slice(-4),
        rotatedBy: holderOf(ctx, id),
        accountableId: await accountableMember(tx, ctx.who),
        secretId: newId('ApiKey'),
        secretMadeAt: now,
      },
      include: KEY_INCLUDE,
    });
    const after = { prefix: apiKey.prefix, formerEndsAt: isoTime(formerEndsAt) };
    return { result: { apiKey, key: value, formerEndsAt }, id, before: { prefix }, after };
  });
}

/**
 * Ends the secrets of a key that another one has followed, before their grace is over: the next
 * request with any of them is refused on every node.
 * @throws not_found, permission_denied
 */
export function endFormerSecrets(ctx: AuthorizedCtx, id: string): Promise<WholeKey> {
  const { tenantId } = ctx.who;
  const name = { action: 'apiKeyFormerSecretsEnd', subject: 'ApiKey' } as const;
  const work = async (tx: Transaction) => {
    await lockMakers(tx, tenantId);
    const key = await lockKey(ctx, tx, id);
    const now = await databaseNow(tx);
    const { count } = await tx.keySecret.updateMany({
      where: { tenantId, keyId: id, endsAt: { gt: now } },
      data: { endsAt: now },
    });
    if (count === 0) return { result: key };
    const where = { id, tenantId };
    const result = await tx.apiKey.findFirstOrThrow({ where, include: KEY_INCLUDE });
    return { result, id, before: { former: count }, after: { former: 0 } };
  };
  return change(ctx, name, work);
}

/**
 * Who holds the secret that a rotation makes: a key that rotates itself leaves it with the holder
 * of the secret that was shown, so that whatever ends the holder ends the key.
 */
function holderOf({ who }: AuthorizedCtx, keyId: string): string {
  return who.id === keyId && who.secret ? who.secret.madeBy : who.id;
}

/**
 * A secret that another one has followed does not rotate its own key: in the wrong hands it would
 * take the key back. @throws former_secret_refused
 */
function requirePresent({ who }: AuthorizedCtx, { id, secretId }: WholeKey): void {
  const isFormer = who.id === id && who.secret && who.secret.id !== (secretId ?? id);
  if (isFormer) fail('former_secret_refused', { param: 'id' });
}

/** @throws permission_denied */
async function requireRights({ who }: AuthorizedCtx, tx: Transaction, key: WholeKey) {
  if (who.id === key.id) return;
  if (who.kind === 'user') {
    const rights: ReadonlySet<string> = permissionsOf(who.boundRole);
    const { boundRole, keyType } = key;
    if ([...permissionsOfKey(keyType, boundRole)].every((right) => rights.has(right))) return;
    const permission = `to hold a key with the rights of the role ${boundRole}`;
    fail('permission_denied', { values: { principal: `Role ${who.role}`, permission } });
  }
  const makers = await tx.$queryRaw<unknown[]>`
    WITH RECURSIVE line AS (
      SELECT created_by, 0 AS depth FROM api_key
      WHERE id = ${key.id}::uuid AND tenant_id = ${key.tenantId}::uuid
      UNION ALL
      SELECT m.created_by, line.depth + 1 FROM line
      JOIN api_key m ON m.id = line.created_by AND m.tenant_id = ${key.tenantId}::uuid
      WHERE line.depth < 100)
    SELECT 1 FROM line WHERE created_by = ${who.id}::uuid`;
  if (makers.length > 0) return;
  const permission = 'to rotate a key that it has not made';
  fail('permission_denied', { values: { principal: `Key type ${who.role}`, permission } });
}

/** @throws key_secrets_full */
function requirePlace({ secrets }: WholeKey, now: Date): void {
  const live = secrets.filter(({ endsAt }) => endsAt > now).length + 1;
  if (live < KEY_BOUNDS.secretsMax) return;
  fail('key_secrets_full', { values: { count: live }, param: 'id' });
}

/** The secrets of a key that work, the present one first. */
export function liveSecrets(key: WholeKey): ValuesOf<typeof KEY_SECRET.fields>[] {
  const { id, secrets, uses, secretId, rotatedBy, createdBy, secretMadeAt } = key;
  const now = sharedNow();
  const usedAt = (secret: string) =>
    uses.find((use) => use.secretId === secret)?.lastUsedAt ?? null;
  if (key.revokedAt || (key.expiresAt && key.expiresAt <= now)) return [];
  const current = {
    prefix: key.prefix,
    lastFour: key.lastFour,
    isCurrent: true,
    madeBy: rotatedBy ?? createdBy,
    madeAt: secretMadeAt ?? key.createdAt,
    endsAt: key.expiresAt,
    lastUsedAt: usedAt(secretId ?? id),
  };
  const former = secrets
    .filter(({ endsAt }) => endsAt > now)
    .map((each) => ({
      prefix: each.prefix,
      lastFour: each.lastFour,
      isCurrent: false,
      madeBy: each.madeBy,
      madeAt: each.madeAt,
      endsAt: earlierEnd(each.endsAt, key.expiresAt ?? undefined),
      lastUsedAt: usedAt(each.id),
    }));
  return [current, ...former];
}
