import { createHash, randomBytes } from 'node:crypto';
import type { Services, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { ACCESS_TOKEN_SECONDS } from './tokens.js';

/** How long a refresh token can be exchanged, in seconds. */
const REFRESH_TOKEN_SECONDS = 30 * 24 * 3_600;

/** The credentials of one login. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: 'Bearer';
  readonly expiresInSeconds: number;
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
export function openSession(
  services: Services,
  tx: Transaction,
  user: { readonly id: string; readonly tenantId: string },
): Promise<Tokens> {
  return addToken(services, tx, user, newId('Session'));
}

/**
 * Exchanges a refresh token for new tokens. A token that was exchanged before is a copy in two
 * hands: the whole login is closed.
 * @throws invalid_token
 */
export async function rotateSession(services: Services, refreshToken: string): Promise<Tokens> {
  const outcome = await transactAcrossTenants(services, async (tx) => {
    const hash = tokenHash(refreshToken);
    await tx.$queryRaw`SELECT 1 FROM session WHERE token_hash = ${hash} FOR UPDATE`;
    const row = await tx.session.findUnique({
      where: { tokenHash: hash },
      include: { user: true },
    });
    if (!row || row.revokedAt || row.user.status !== 'active' || row.expiresAt < new Date()) {
      return undefined;
    }
    // A login is one of its own organization, whatever the row came from.
    if (row.user.tenantId !== row.tenantId) return undefined;
    if (row.rotatedAt) {
      await closeFamily(tx, row.tenantId, row.familyId);
      return undefined;
    }
    await tx.session.update({ where: { id: row.id }, data: { rotatedAt: new Date() } });
    return addToken(services, tx, row.user, row.familyId);
  });
  return outcome ?? fail('invalid_token', { values: { reason: 'the refresh token is not valid' } });
}

/** Closes every login of a user. */
export async function closeSessions(tx: Transaction, userId: string): Promise<void> {
  await tx.session.updateMany({
    where: { userId, revokedAt: null },
    data: { revokedAt: new Date() },
  });
}

async function closeFamily(tx: Transaction, tenantId: string, familyId: string): Promise<void> {
  await tx.session.updateMany({
    where: { familyId, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  // Sockets that live on an access token of this login are looked at again on every node.
  await tx.$executeRaw`SELECT pg_notify('gw_access', ${tenantId})`;
}

async function addToken(
  services: Services,
  tx: Transaction,
  user: { readonly id: string; readonly tenantId: string },
  familyId: string,
): Promise<Tokens> {
  const refreshToken = newToken('gw_rt_');
  await tx.session.create({
    data: {
      id: newId('Session'),
      tenantId: user.tenantId,
      userId: user.id,
      familyId,
      tokenHash: tokenHash(refreshToken),
      expiresAt: new Date(Date.now() + REFRESH_TOKEN_SECONDS * 1_000),
    },
  });
  const accessToken = await services.tokens.issue({
    userId: user.id,
    tenantId: user.tenantId,
    sessionFamilyId: familyId,
  });
  return {
    accessToken,
    refreshToken,
    tokenType: 'Bearer',
    expiresInSeconds: ACCESS_TOKEN_SECONDS,
  };
}
