import type { User } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { fail, GatewayError } from '../../kernel/errors/fail.js';
import { tenantDatabase } from '../../platform/database/tenant.js';
import { change, type Done } from '../../records/change.js';
import { requireAnother, requireGrantable } from '../auth/members.js';
import { placeOfSecret, recoveryHash, refusedCode } from '../auth/second-factor.js';
import {
  newRecoveryCode,
  newSecret,
  shownSecret,
  stepOf,
  typedCode,
} from '../auth/second-factor.rules.js';
import { endSessions, lockMember } from '../auth/sessions.js';
import { takePasswordTry } from '../auth/throttle.js';
import { requireMemberWithin } from '../workspaces/boundary.js';
import type { Ended } from './own-sessions.js';
import { requirePassword } from './password.js';

/** So many recovery codes a member gets at once. */
const RECOVERY_CODES = 10;

/** How the second factor of a member stands. */
export interface SecondFactorState {
  readonly enabled: boolean;
  readonly confirmedAt: Date | null;
  readonly recoveryCodesLeft: number;
  readonly required: boolean;
}

/** How the second factor of the member who asks stands. */
export async function secondFactorState(ctx: AuthorizedCtx): Promise<SecondFactorState> {
  const { tenantId, id: userId } = ctx.who;
  const database = tenantDatabase(ctx.services.prisma, tenantId);
  const factor = await database.secondFactor.findFirst({ where: { userId } });
  const confirmedAt = factor?.confirmedAt ?? null;
  const tenant = await database.tenant.findFirstOrThrow({ where: { id: tenantId } });
  return {
    enabled: confirmedAt !== null,
    confirmedAt,
    recoveryCodesLeft: await database.recoveryCode.count({ where: { userId, usedAt: null } }),
    required: tenant.secondFactorRequired,
  };
}

/** A secret as an authenticator takes it; shown this once. */
export interface Enrollment {
  readonly secret: string;
  readonly uri: string;
}

/**
 * Makes a secret for the member who asks. It counts when a code of it is confirmed; one that was
 * not confirmed is replaced.
 * @throws invalid_request for a wrong password, login_throttled, second_factor_exists
 */
export async function enrollSecondFactor(
  ctx: AuthorizedCtx,
  password: string,
): Promise<Enrollment> {
  await requirePassword(ctx, 'password', password);
  const { who, services } = ctx;
  const { tenantId, id: userId } = who;
  return change(ctx, named('authSecondFactorEnroll'), async (tx) => {
    const { member, factor } = await lockedFactor(ctx, tx, userId);
    if (factor?.confirmedAt) fail('second_factor_exists');
    const secret = newSecret();
    const secretSealed = new Uint8Array(services.keyring.seal(placeOfSecret(who), secret));
    await tx.secondFactor.deleteMany({ where: { userId } });
    await tx.secondFactor.create({ data: { userId, tenantId, secretSealed } });
    const result = shownSecret(secret, services.config.GW_OPERATOR_NAME, member.email);
    return { result, id: userId, after: { enabled: false } };
  });
}

/** Recovery codes, which are shown this once. */
export interface RecoveryCodes extends Ended {
  readonly recoveryCodes: readonly string[];
}

/**
 * Turns the second factor on by a code of its secret. The other sessions of the member end: they
 * were opened without it.
 * @throws second_factor_missing, invalid_second_factor, login_throttled
 */
export async function confirmSecondFactor(
  ctx: AuthorizedCtx,
  code: string,
): Promise<RecoveryCodes> {
  await takePasswordTry(ctx);
  const { who, services } = ctx;
  return change(ctx, named('authSecondFactorConfirm'), async (tx) => {
    const { factor } = await lockedFactor(ctx, tx, who.id);
    if (!factor || factor.confirmedAt) return fail('second_factor_missing');
    const bytes = services.keyring.open(placeOfSecret(who), factor.secretSealed);
    const lastStep = stepOf(bytes, typedCode(code).code, factor.lastStep, sharedNowMs());
    if (lastStep === undefined) return fail('invalid_second_factor', { param: 'code' });
    await tx.secondFactor.updateMany({
      where: { userId: who.id },
      data: { confirmedAt: sharedNow(), lastStep },
    });
    const recoveryCodes = await writeRecoveryCodes(ctx, tx);
    const endedSessions = await endSessions(tx, who, { except: who.sessionId });
    const result = { recoveryCodes, endedSessions };
    return { result, id: who.id, before: { enabled: false }, after: { enabled: true } };
  });
}

/**
 * Gives the member other recovery codes in the place of those before.
 * @throws second_factor_missing, invalid_second_factor, second_factor_locked, login_throttled
 */
export async function renewRecoveryCodes(ctx: AuthorizedCtx, code: string): Promise<RecoveryCodes> {
  await takePasswordTry(ctx);
  return withCode(ctx, 'authRecoveryCodesRenew', code, async (tx) => {
    const recoveryCodes = await writeRecoveryCodes(ctx, tx);
    const result = { recoveryCodes, endedSessions: 0 };
    return { result, id: ctx.who.id, after: { recovery_codes: recoveryCodes.length } };
  });
}

/**
 * Turns the second factor of the member who asks off. Their other sessions end.
 * @throws invalid_request for a wrong password, second_factor_missing, invalid_second_factor,
 * second_factor_locked, login_throttled
 */
export async function removeOwnSecondFactor(
  ctx: AuthorizedCtx,
  { password, code }: { readonly password: string; readonly code: string },
): Promise<Ended> {
  await requirePassword(ctx, 'password', password);
  const { who } = ctx;
  return withCode(ctx, 'authSecondFactorRemove', code, async (tx) => {
    await tx.secondFactor.deleteMany({ where: { userId: who.id } });
    const endedSessions = await endSessions(tx, who, { except: who.sessionId });
    const result = { endedSessions };
    return { result, id: who.id, before: { enabled: true }, after: { enabled: false } };
  });
}

/**
 * Takes away the second factor of a member who has lost it. All sessions of the member end.
 * @throws not_found, permission_denied for a member of a role above, workspace_caller_bound,
 * invalid_request for oneself, second_factor_missing
 */
export function removeSecondFactorOf(ctx: AuthorizedCtx, userId: string): Promise<User> {
  requireAnother(ctx, userId);
  return change(ctx, named('memberSecondFactorRemove'), async (tx) => {
    const { member, factor } = await lockedFactor(ctx, tx, userId);
    requireGrantable(ctx, member.role);
    await requireMemberWithin(ctx, tx, member);
    if (!factor) fail('second_factor_missing');
    await tx.secondFactor.deleteMany({ where: { userId } });
    await endSessions(tx, member);
    return { result: member, id: userId, before: { enabled: true }, after: { enabled: false } };
  });
}

function named(action: string) {
  return { action, subject: 'User' };
}

/** A change that takes a code first. A wrong code is counted, although nothing else changes. */
async function withCode<T>(
  ctx: AuthorizedCtx,
  action: string,
  code: string,
  work: (tx: Transaction) => Promise<Done<T>>,
): Promise<T> {
  const done = await change<T | GatewayError>(ctx, named(action), async (tx) => {
    const { factor } = await lockedFactor(ctx, tx, ctx.who.id);
    if (!factor?.confirmedAt) return fail('second_factor_missing');
    const refusal = await refusedCode(ctx, tx, ctx.who, code);
    return refusal ? { result: refusal } : work(tx);
  });
  if (done instanceof GatewayError) throw done;
  return done;
}

async function lockedFactor(ctx: AuthorizedCtx, tx: Transaction, userId: string) {
  const { tenantId } = ctx.who;
  await lockMember(tx, { id: userId, tenantId });
  const member = await tx.user.findFirst({ where: { id: userId, tenantId, status: 'active' } });
  if (!member) {
    return fail('not_found', { values: { subject: 'member', id: userId }, param: 'id' });
  }
  return { member, factor: await tx.secondFactor.findFirst({ where: { userId, tenantId } }) };
}

async function writeRecoveryCodes(
  { who, services }: AuthorizedCtx,
  tx: Transaction,
): Promise<readonly string[]> {
  const { id: userId, tenantId } = who;
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await tx.recoveryCode.deleteMany({ where: { userId } });
  await tx.recoveryCode.createMany({
    data: codes.map((code) => ({
      userId,
      tenantId,
      codeHash: recoveryHash(services.keyring, who, code),
    })),
  });
  return codes;
}
