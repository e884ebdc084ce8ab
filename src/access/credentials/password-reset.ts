import type { PasswordReset, User } from '../../generated/prisma/client.js';
import { answeredIn } from '../../graph/answered-in.js';
import type { AuthorizedCtx, Ctx, Transaction } from '../../graph/ctx.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { audit } from '../../records/audit-trail.js';
import { change, despiteOthers } from '../../records/change.js';
import { afterCommit, transactAcrossTenants } from '../../records/scope.js';
import { emailFaults, normalEmail } from '../auth/email.rules.js';
import { mayGrant, requireAnother, requireGrantable } from '../auth/members.js';
import { hashPassword } from '../auth/passwords.js';
import { passwordFaults } from '../auth/rules.js';
import { endSessions, lockMember, newToken, tokenHash, type Whose } from '../auth/sessions.js';
import { takeResetTry } from '../auth/throttle.js';
import { shareMakers } from '../keys/makers-lock.js';
import { requireMemberWithin } from '../workspaces/boundary.js';
import type { Ended } from './own-sessions.js';

/** How long a link works that an owner or admin hands over, in hours. */
const ISSUED_HOURS = 24;

/** What becomes of a wish for a new password. */
export interface ResetRequested {
  readonly byEmail: boolean;
}

/**
 * Takes the wish for a new password. Whether there is such a member is looked up beside the answer:
 * it is the same after the same work, whatever the address.
 * @throws invalid_request, login_throttled
 */
export async function requestReset(ctx: Ctx, email: string): Promise<ResetRequested> {
  failOnFaults(emailFaults(email));
  const address = normalEmail(email);
  await takeResetTry(ctx, address);
  const { resetMails } = ctx.services;
  const language = answeredIn(ctx.transport);
  if (resetMails) afterCommit(ctx, () => resetMails.request(address, language));
  return { byEmail: resetMails !== undefined };
}

/** A link with its token, which is shown this once. */
export interface IssuedReset {
  readonly token: string;
  readonly link: string;
  readonly expiresAt: Date;
}

/**
 * Issues a link by which a member sets a new password, for whoever hands it over.
 * @throws not_found, permission_denied for a member of a role above, invalid_request for oneself
 */
export function issueReset(ctx: AuthorizedCtx, userId: string): Promise<IssuedReset> {
  requireAnother(ctx, userId);
  const { tenantId } = ctx.who;
  const name = { action: 'memberPasswordResetIssue', subject: 'User' };
  return change(ctx, name, async (tx) => {
    await lockMember(tx, { id: userId, tenantId });
    const member = await tx.user.findFirst({
      where: { id: userId, tenantId, status: 'active' },
    });
    if (!member) {
      return fail('not_found', { values: { subject: 'member', id: userId }, param: 'id' });
    }
    requireGrantable(ctx, member.role);
    await requireMemberWithin(ctx, tx, member);
    const { token, row } = await openReset(tx, member, ISSUED_HOURS, ctx.who.id);
    const link = resetLink(ctx.transport.baseUrl, token);
    const after = { expires_at: row.expiresAt.toISOString() };
    return { result: { token, link, expiresAt: row.expiresAt }, id: userId, after };
  });
}

/** Where a link leads to. What stands behind `#` is sent to no server and stands in no log. */
export function resetLink(baseUrl: string, token: string): string {
  return `${baseUrl}/reset-password#${token}`;
}

/**
 * Opens a link in the place of the one that was open. The lock of the member is held. One that was
 * issued takes the place of every other; one that anybody may ask for takes none that was issued.
 */
export async function openReset(
  tx: Transaction,
  { id: userId, tenantId }: Whose,
  hours: number,
  issuedBy: string | null,
): Promise<{ readonly token: string; readonly row: PasswordReset }> {
  const token = newToken('gw_pr_');
  await closeResets(tx, { id: userId, tenantId }, issuedBy === null ? { issuedBy } : {});
  const row = await tx.passwordReset.create({
    data: {
      id: newId('PasswordReset'),
      tenantId,
      userId,
      tokenHash: tokenHash(token),
      issuedBy,
      expiresAt: new Date(sharedNowMs() + hours * 3_600_000),
    },
  });
  return { token, row };
}

/** Closes the links that are open for a member, or some. The lock of the member is held. */
export async function closeResets(
  tx: Transaction,
  { id: userId, tenantId }: Whose,
  which: { readonly issuedBy?: null } = {},
): Promise<void> {
  await tx.passwordReset.updateMany({
    where: { tenantId, userId, usedAt: null, replacedAt: null, ...which },
    data: { replacedAt: sharedNow() },
  });
}

/**
 * Sets the password of the member whom a link is for. The link works once, also when requests race;
 * all sessions of the member end, and so does another link that is open. A second factor stays as
 * it is. A link that a member has issued works for as long as that member could issue it: not once
 * they are removed, or the one whom it is for has a role above theirs.
 * @throws invalid_password_reset, invalid_request
 */
export async function resetPassword(
  ctx: Ctx,
  { token, newPassword }: { readonly token: string; readonly newPassword: string },
): Promise<Ended> {
  failOnFaults(passwordFaults(newPassword, 'newPassword'));
  const hash = tokenHash(token);
  // The heavy work is for those alone who have a link.
  const found = await transactAcrossTenants(ctx.services, (tx) => usable(tx, hash));
  if (!found) return fail('invalid_password_reset', { param: 'token' });
  const passwordHash = await hashPassword(ctx, newPassword);
  const renew = async (tx: Transaction) => {
    await shareMakers(tx, found.tenantId);
    await lockMember(tx, found.user);
    const reset = await usable(tx, hash);
    if (!reset) return undefined;
    const { user } = reset;
    await tx.passwordReset.update({ where: { id: reset.id }, data: { usedAt: sharedNow() } });
    await closeResets(tx, user);
    await tx.user.update({ where: { id: user.id }, data: { passwordHash } });
    const endedSessions = await endSessions(tx, user);
    await audit(ctx, tx, {
      action: 'authPasswordReset',
      subject: 'User',
      subjectId: user.id,
      after: { ended: endedSessions },
      actor: { kind: 'user', id: user.id, tenantId: user.tenantId },
    });
    return { endedSessions };
  };
  const done = await despiteOthers(() => transactAcrossTenants(ctx.services, renew));
  return done ?? fail('invalid_password_reset', { param: 'token' });
}

async function usable(
  tx: Transaction,
  hash: Uint8Array<ArrayBuffer>,
): Promise<(PasswordReset & { readonly user: User }) | undefined> {
  const row = await tx.passwordReset.findUnique({
    where: { tokenHash: hash },
    include: { user: true },
  });
  const isOpen = row && !row.usedAt && !row.replacedAt && row.expiresAt > sharedNow();
  if (!isOpen || row.user.status !== 'active') return undefined;
  const { issuedBy, tenantId, user } = row;
  const isGranted =
    issuedBy === null || (await mayGrant(tx, { id: issuedBy, tenantId }, user.role));
  return isGranted ? row : undefined;
}
