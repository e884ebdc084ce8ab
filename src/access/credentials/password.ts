import type { AuthorizedCtx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { tenantDatabase } from '../../platform/database/tenant.js';
import { change } from '../../records/change.js';
import { hashPassword, passwordFits } from '../auth/passwords.js';
import { passwordFaults } from '../auth/rules.js';
import { endSessions, lockMember } from '../auth/sessions.js';
import { takePasswordTry } from '../auth/throttle.js';
import type { Ended } from './own-sessions.js';
import { closeResets } from './password-reset.js';

/**
 * Requires that a member who is logged in knows the present password: a token in the wrong hands is
 * not enough to change how the member logs in.
 * @returns its hash, by which a change that ran meanwhile is told
 * @throws invalid_request, login_throttled
 */
export async function requirePassword(
  ctx: AuthorizedCtx,
  path: string,
  password: string,
): Promise<string> {
  await takePasswordTry(ctx);
  const { passwordHash } = await memberOf(ctx);
  const isRight = await passwordFits(ctx, passwordHash, password);
  failOnFaults(fits(path, isRight, NOT_THE_PASSWORD));
  return passwordHash;
}

const NOT_THE_PASSWORD = 'is not the password of the member';

/** A change of the password by the member. */
export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/**
 * Gives the member who asks another password. All other sessions of theirs end, and a link for a
 * new one that is still open: somebody else may have it.
 * @throws invalid_request with every fault, login_throttled
 */
export async function changePassword(ctx: AuthorizedCtx, input: PasswordChange): Promise<Ended> {
  const { currentPassword, newPassword } = input;
  const isOther = newPassword !== currentPassword;
  failOnFaults([
    ...passwordFaults(newPassword, 'newPassword'),
    ...fits('newPassword', isOther, 'is the present password'),
  ]);
  const before = await requirePassword(ctx, 'currentPassword', currentPassword);
  const passwordHash = await hashPassword(ctx, newPassword);
  const { who } = ctx;
  return change(ctx, { action: 'authPasswordChange', subject: 'User' }, async (tx) => {
    await lockMember(tx, who);
    const now = await tx.user.findFirstOrThrow({ where: { id: who.id } });
    const isStill = now.passwordHash === before && now.status === 'active';
    failOnFaults(fits('currentPassword', isStill, NOT_THE_PASSWORD));
    await tx.user.update({
      where: { id: who.id, tenantId: who.tenantId },
      data: { passwordHash },
    });
    await closeResets(tx, who);
    const endedSessions = await endSessions(tx, who, { except: who.sessionId });
    return { result: { endedSessions }, id: who.id, after: { ended: endedSessions } };
  });
}

function memberOf({ services, who }: AuthorizedCtx) {
  return tenantDatabase(services.prisma, who.tenantId).user.findFirstOrThrow({
    where: { id: who.id },
  });
}
