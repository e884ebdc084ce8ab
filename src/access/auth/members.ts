import type { Invite, User } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Ctx, Transaction } from '../../graph/ctx.js';
import type { Role } from '../../graph/permissions.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { newId } from '../../kernel/ids.js';
import { everyTenant } from '../../platform/database/tenant.js';
import { audit } from '../../records/audit-trail.js';
import { change, despiteOthers } from '../../records/change.js';
import { requireOwn } from '../../records/own.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { revokeDescendants } from '../keys/descendants.js';
import { revokeAllOf } from '../keys/issued-tokens.js';
import { lockMakers, shareMakers } from '../keys/makers-lock.js';
import { tellOutliving } from '../keys/outliving.js';
import type { Descendants } from '../keys/vocabulary.js';
import { workspaceOfInviter } from '../workspaces/belonging.js';
import { requireMemberWithin } from '../workspaces/boundary.js';
import { emailFaults, normalEmail } from './email.rules.js';
import { requireOwnerOutside } from './last-owner.js';
import { hashPassword } from './passwords.js';
import { isDuplicate, type LoggedIn } from './registration.js';
import { grantableRoles, passwordFaults } from './rules.js';
import { endSessions, newToken, openSession, tokenHash, type Whose } from './sessions.js';
import { takeRegistration } from './throttle.js';

const INVITE_DAYS = 7;

/** An invite with its token, which is shown this once. */
export interface CreatedInvite {
  readonly invite: Invite;
  readonly token: string;
}

/**
 * Invites a person by e-mail to a role.
 * @throws invalid_request, permission_denied for a role above the inviter's
 */
export async function createInvite(
  ctx: AuthorizedCtx,
  email: string,
  role: Role,
): Promise<CreatedInvite> {
  failOnFaults(emailFaults(email));
  requireGrantable(ctx, role);
  const token = newToken('gw_in_');
  const data = {
    id: newId('Invite'),
    tenantId: ctx.who.tenantId,
    email: normalEmail(email),
    role,
    tokenHash: tokenHash(token),
    invitedBy: ctx.who.id,
    expiresAt: new Date(sharedNowMs() + INVITE_DAYS * 86_400_000),
  };
  const name = { action: 'inviteCreate', subject: 'Invite' };
  return change(ctx, name, async (tx) => {
    const invite = await tx.invite.create({ data });
    const after = { email: invite.email, role };
    return { result: { invite, token }, id: invite.id, after };
  });
}

/**
 * Withdraws an open invite.
 * @throws not_found, workspace_caller_bound for one of another workspace
 */
export function revokeInvite(ctx: AuthorizedCtx, id: string): Promise<Invite> {
  return change(ctx, { action: 'inviteRevoke', subject: 'Invite' }, async (tx) => {
    const { count } = await tx.invite.updateMany({
      where: { id, tenantId: ctx.who.tenantId, acceptedAt: null, revokedAt: null },
      data: { revokedAt: sharedNow() },
    });
    if (count === 0) fail('not_found', { values: { subject: 'open invite', id }, param: 'id' });
    const invite = await requireOwn(ctx, 'Invite', id, { tx });
    await requireMemberWithin(ctx, tx, { workspaceId: await workspaceOfInviter(tx, invite) });
    return { result: invite, id };
  });
}

/** What a person states who accepts an invite; the e-mail, where given, must be the invited one. */
export interface Acceptance {
  readonly token: string;
  readonly password: string;
  readonly email?: string | null;
}

/**
 * Joins the organization of an invite. The invite works once, also when two requests race, and for
 * as long as whoever has sent it may give its role: not once they are removed or have a lesser one.
 * Who was removed joins as a new member; what they did before stays with the former one.
 * A member of a workspace invites into that workspace.
 * @throws invalid_invite, email_taken, invalid_request, registration_throttled, overloaded
 */
export async function acceptInvite(ctx: Ctx, input: Acceptance): Promise<LoggedIn> {
  failOnFaults([
    ...passwordFaults(input.password),
    ...(input.email ? emailFaults(input.email) : []),
  ]);
  await takeRegistration(ctx);
  const hash = tokenHash(input.token);
  const where = { tokenHash: hash };
  // Asked for before the password is hashed, which is the work that an invite has to be shown for.
  const shown = requireUsable(
    await everyTenant(ctx.services.prisma).invite.findUnique({ where }),
    input,
  );
  const passwordHash = await hashPassword(ctx, input.password);
  try {
    const accept = async (tx: Transaction) => {
      await shareMakers(tx, shown.tenantId);
      await tx.$queryRaw`SELECT 1 FROM invite WHERE token_hash = ${hash} FOR UPDATE`;
      const invite = requireUsable(await tx.invite.findUnique({ where }), input);
      const inviter = { id: invite.invitedBy, tenantId: invite.tenantId };
      if (!(await mayGrant(tx, inviter, invite.role))) fail('invalid_invite', { param: 'token' });
      await tx.invite.update({ where: { id: invite.id }, data: { acceptedAt: sharedNow() } });
      const { tenantId, email, role } = invite;
      const workspaceId = await workspaceOfInviter(tx, invite);
      const user = await tx.user.create({
        data: { id: newId('User'), tenantId, email, passwordHash, role, workspaceId },
      });
      await audit(ctx, tx, {
        action: 'inviteAccept',
        subject: 'Invite',
        subjectId: invite.id,
        after: { user: user.id, role },
        actor: { kind: 'user', id: user.id, tenantId },
      });
      return { user, ...(await openSession(ctx, tx, user)) };
    };
    return await despiteOthers(() => transactAcrossTenants(ctx.services, accept));
  } catch (error) {
    if (isDuplicate(error)) fail('email_taken', { param: 'token' });
    throw error;
  }
}

/** The invite, where it stands open for whoever accepts it. @throws invalid_invite */
function requireUsable(invite: Invite | null, { email }: Acceptance): Invite {
  const stated = email ? normalEmail(email) : invite?.email;
  const isUsable =
    invite &&
    !invite.acceptedAt &&
    !invite.revokedAt &&
    invite.expiresAt > sharedNow() &&
    invite.email === stated;
  return isUsable ? invite : fail('invalid_invite', { param: 'token' });
}

/** Whether a member, who may have been removed since, can give and take a role now. */
export async function mayGrant(
  tx: Transaction,
  { id, tenantId }: Whose,
  role: string,
): Promise<boolean> {
  const member = await tx.user.findFirst({ where: { id, tenantId, status: 'active' } });
  return member !== null && grantableRoles(member.role).some((grantable) => grantable === role);
}

/**
 * Gives a member another role. The last owner keeps the role.
 * @throws not_found, permission_denied, workspace_caller_bound, invalid_request
 */
export async function changeRole(ctx: AuthorizedCtx, id: string, role: Role): Promise<User> {
  requireGrantable(ctx, role);
  return changeMember(ctx, id, 'memberChangeRole', { role });
}

/**
 * Removes a member: every login of theirs ends at once, and so do all tokens and keys that they
 * have made, at any distance. Their e-mail is free.
 * @param descendants `keep` lets keys of the type `service`, and what these have made, go on
 * @throws not_found, permission_denied, workspace_caller_bound, invalid_request
 */
export async function removeMember(
  ctx: AuthorizedCtx,
  id: string,
  descendants: Descendants | null,
): Promise<User> {
  return changeMember(ctx, id, 'memberRemove', { status: 'removed' }, descendants);
}

async function changeMember(
  ctx: AuthorizedCtx,
  id: string,
  action: string,
  data: { readonly role?: Role; readonly status?: 'removed' },
  descendants: Descendants | null = null,
): Promise<User> {
  const { tenantId } = ctx.who;
  const work = async (tx: Transaction) => {
    await lockMakers(tx, tenantId);
    const member = await tx.user.findFirst({ where: { id, tenantId, status: 'active' } });
    if (!member) return fail('not_found', { values: { subject: 'member', id }, param: 'id' });
    requireGrantable(ctx, member.role);
    await requireMemberWithin(ctx, tx, member);
    const updated = await tx.user.update({ where: { id, tenantId }, data });
    await requireOwnerOutside(tx, tenantId);
    if (data.status) {
      await endSessions(tx, member);
      await revokeAllOf(tx, { tenantId, id });
      if (descendants !== 'keep') await revokeDescendants(tx, { tenantId, id });
      await tellOutliving(tx, tenantId);
    }
    const shown = ({ role, status }: User) => ({ role, status });
    return { result: updated, id, before: shown(member), after: shown(updated) };
  };
  return change(ctx, { action, subject: 'User' }, work);
}

/**
 * Lets nobody act on a member of a role above their own.
 * @throws permission_denied
 */
export function requireGrantable(ctx: AuthorizedCtx, role: string): void {
  if (grantableRoles(ctx.who.role).some((grantable) => grantable === role)) return;
  fail('permission_denied', {
    values: { principal: `Role ${ctx.who.role}`, permission: `to give or take the role ${role}` },
  });
}

/**
 * Lets nobody pass by their own password or second factor: a token in the wrong hands is not
 * enough.
 * @throws invalid_request
 */
export function requireAnother({ who }: AuthorizedCtx, id: string): void {
  failOnFaults(fits('id', id !== who.id, 'is the member who asks'));
}
