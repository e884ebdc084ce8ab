import { createHash, randomBytes } from 'node:crypto';
import { Prisma } from '../../generated/prisma/client.js';
import type { Ctx, Services, Transaction, Transport } from '../../graph/ctx.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { networkOf } from '../abuse/risk.rules.js';
import { ACCESS_TOKEN_SECONDS } from './tokens.js';

/** How long a refresh token can be exchanged, in seconds. */
const REFRESH_TOKEN_SECONDS = 30 * 24 * 3_600;

/** How long a login or link that has expired is still remembered, in days. */
const KEPT_DAYS = 1;

/** So many rows are forgotten in one transaction, however many have piled up. */
const FORGOTTEN_AT_ONCE = 5_000;

/** So much of what a client calls itself is kept. */
const USER_AGENT_LENGTH_MAX = 200;

/** The credentials of one login. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: 'Bearer';
  readonly expiresInSeconds: number;
}

/** A member by whom logins are found. */
export interface Whose {
  readonly id: string;
  readonly tenantId: string;
}

/** The hash under which one-time and refresh tokens are stored. */
export function tokenHash(token: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(token).digest() as Buffer<ArrayBuffer>;
}

/** A random token that is shown once. */
export function newToken(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** Opens a login: a family of refresh tokens with its first one. */
export async function openSession(ctx: Ctx, tx: Transaction, user: Whose): Promise<Tokens> {
  const id = newId('AuthSession');
  const expiresAt = refreshEnd();
  const data = { id, tenantId: user.tenantId, userId: user.id, expiresAt };
  await tx.authSession.create({ data: { ...data, ...seenFrom(ctx.transport) } });
  return addToken(ctx, tx, user, { id, expiresAt });
}

/**
 * Exchanges a refresh token for new tokens. A token that was exchanged before is a copy in two
 * hands: the whole login is closed.
 * @throws invalid_token
 */
export async function rotateSession(ctx: Ctx, refreshToken: string): Promise<Tokens> {
  const hash = tokenHash(refreshToken);
  const outcome = await transactAcrossTenants(ctx.services, async (tx) => {
    // Whoever ends logins locks them in the same order: the login, then its tokens.
    await tx.$queryRaw`SELECT 1 FROM auth_session WHERE id =
      (SELECT family_id FROM session WHERE token_hash = ${hash}) FOR UPDATE`;
    await tx.$queryRaw`SELECT 1 FROM session WHERE token_hash = ${hash} FOR UPDATE`;
    const row = await tx.session.findUnique({
      where: { tokenHash: hash },
      include: { user: true },
    });
    if (!row || row.revokedAt || row.user.status !== 'active' || row.expiresAt < sharedNow()) {
      return undefined;
    }
    // A login is one of its own organization, whatever the row came from.
    const { tenantId, familyId: id, user } = row;
    if (user.tenantId !== tenantId) return undefined;
    const login = await tx.authSession.findUnique({ where: { id } });
    if (login?.endedAt) return undefined;
    if (row.rotatedAt) {
      await endSessions(tx, user, { only: id });
      return undefined;
    }
    await tx.session.update({ where: { id: row.id }, data: { rotatedAt: sharedNow() } });
    const expiresAt = refreshEnd();
    const seen = { ...seenFrom(ctx.transport), lastSeenAt: sharedNow(), expiresAt };
    await tx.authSession.upsert({
      where: { id },
      update: seen,
      create: { ...seen, id, tenantId, userId: user.id, createdAt: row.createdAt },
    });
    return addToken(ctx, tx, user, { id, expiresAt });
  });
  return (
    outcome ??
    fail('invalid_token', {
      values: { reason: 'the refresh token is unknown, was used or has expired' },
    })
  );
}

/**
 * Ends logins of a member: all of them, only one, or all except one. Their tokens are refused from
 * the commit on, on every node, and what lives on them is looked at again. Who ends all of them
 * holds the lock of the member (`lockMember`), so that none is opened meanwhile.
 * @returns how many were open
 */
export async function endSessions(
  tx: Transaction,
  { id: userId, tenantId }: Whose,
  which: { readonly only?: string; readonly except?: string } = {},
): Promise<number> {
  const id = which.only ?? { not: which.except };
  await tx.$queryRaw`SELECT 1 FROM auth_session WHERE user_id = ${userId}::uuid
                     AND ended_at IS NULL ORDER BY id FOR UPDATE`;
  const count = await tx.authSession.count({
    where: { id, tenantId, userId, endedAt: null, expiresAt: { gt: sharedNow() } },
  });
  // The database ends each login with its tokens (`end_auth_session`), whoever revokes them.
  await tx.session.updateMany({
    where: { tenantId, userId, familyId: id, revokedAt: null },
    data: { revokedAt: sharedNow() },
  });
  return count;
}

/** Forgets logins, tokens and links that have expired: nothing can be done with them any more. */
export async function forgetLogins(services: Pick<Services, 'prisma'>): Promise<void> {
  const before = new Date(sharedNowMs() - KEPT_DAYS * 86_400_000);
  for (const name of ['session', 'auth_session', 'password_reset']) {
    const table = Prisma.raw(name);
    const forgetSome = () =>
      transactAcrossTenants(
        services,
        (tx) => tx.$executeRaw`DELETE FROM ${table} WHERE id IN (
          SELECT id FROM ${table} WHERE expires_at < ${before} LIMIT ${FORGOTTEN_AT_ONCE})`,
      );
    while ((await forgetSome()) === FORGOTTEN_AT_ONCE);
  }
}

/** Holds a member until the transaction ends: their credentials are changed one after the other. */
export async function lockMember(tx: Transaction, { id, tenantId }: Whose): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM app_user WHERE id = ${id}::uuid
                     AND tenant_id = ${tenantId}::uuid FOR NO KEY UPDATE`;
}

/** What is kept of where tokens are taken from: a name of the client and a network, no address. */
function seenFrom({ userAgent, address }: Transport) {
  return {
    userAgent: userAgent?.replace(/\p{C}/gu, '').slice(0, USER_AGENT_LENGTH_MAX) || null,
    network: address === '' ? null : networkOf(address),
  };
}

function refreshEnd(): Date {
  return new Date(sharedNowMs() + REFRESH_TOKEN_SECONDS * 1_000);
}

async function addToken(
  { services }: Ctx,
  tx: Transaction,
  { id: userId, tenantId }: Whose,
  { id: familyId, expiresAt }: { readonly id: string; readonly expiresAt: Date },
): Promise<Tokens> {
  const refreshToken = newToken('gw_rt_');
  await tx.session.create({
    data: {
      id: newId('Session'),
      tenantId,
      userId,
      familyId,
      tokenHash: tokenHash(refreshToken),
      expiresAt,
    },
  });
  const accessToken = await services.tokens.issue({
    userId,
    tenantId,
    sessionFamilyId: familyId,
  });
  return {
    accessToken,
    refreshToken,
    tokenType: 'Bearer',
    expiresInSeconds: ACCESS_TOKEN_SECONDS,
  };
}
