import type { AuthSession } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import { change } from '../../records/change.js';
import { endSessions, lockMember } from '../auth/sessions.js';

/** What of the logins a member sees: their own that can still be used. */
export function ownOpenSessions({ who }: AuthorizedCtx) {
  return { userId: who.id, endedAt: null, expiresAt: { gt: sharedNow() } };
}

/** Ends the login of this request. */
export function logOut(ctx: AuthorizedCtx): Promise<AuthSession> {
  return endOwnSession(ctx, 'authLogout', ctx.who.sessionId ?? '');
}

/**
 * Ends one of the member's own logins.
 * @throws not_found, also for a login of somebody else and for one that has ended
 */
export function endSession(ctx: AuthorizedCtx, id: string): Promise<AuthSession> {
  return endOwnSession(ctx, 'authSessionEnd', id);
}

/** How many logins something has ended. */
export interface Ended {
  readonly endedSessions: number;
}

/** Ends all logins of the member, or all but the one of this request. */
export function logOutEverywhere(ctx: AuthorizedCtx, keepThis: boolean): Promise<Ended> {
  const { who } = ctx;
  const name = { action: 'authLogoutEverywhere', subject: 'User' };
  return change(ctx, name, async (tx) => {
    await lockMember(tx, who);
    const endedSessions = await endSessions(tx, who, keepThis ? { except: who.sessionId } : {});
    return { result: { endedSessions }, id: who.id, after: { ended: endedSessions } };
  });
}

function endOwnSession(ctx: AuthorizedCtx, action: string, id: string): Promise<AuthSession> {
  const { who } = ctx;
  return change(ctx, { action, subject: 'AuthSession' }, async (tx) => {
    await lockMember(tx, who);
    const open = await tx.authSession.findFirst({ where: { id, ...ownOpenSessions(ctx) } });
    if (!open) return fail('not_found', { values: { subject: 'session', id }, param: 'id' });
    await endSessions(tx, who, { only: id });
    const result = await tx.authSession.findFirstOrThrow({ where: { id } });
    return { result, id, before: { open: true }, after: { open: false } };
  });
}
