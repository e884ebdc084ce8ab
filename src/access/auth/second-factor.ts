import type { SecondFactor } from '../../generated/prisma/client.js';
import type { Ctx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import type { Keyring } from '../../platform/keyring.js';
import type { SealedPlace } from '../../platform/secrets.js';
import { afterWrongCode, stepOf, typedCode } from './second-factor.rules.js';
import type { Whose } from './sessions.js';

/** Where the secret of a member's second factor is sealed for. */
export function placeOfSecret({ id: row, tenantId }: Whose): SealedPlace {
  return { tenantId, table: 'second_factor', field: 'secret_sealed', row };
}

/** The keyed hash under which a recovery code is stored. */
export function recoveryHash(keyring: Keyring, whose: Whose, code: string): Buffer<ArrayBuffer> {
  return keyring.hmac('recovery code', recoveryText(whose, code)) as Buffer<ArrayBuffer>;
}

function recoveryText({ id }: Whose, code: string): string {
  return `${id} ${typedCode(code).code}`;
}

/**
 * Takes a code of a member's second factor, each once, in a transaction that holds the lock of the
 * member (`lockMember`): of requests that show one code at once, on whatever nodes, one is let in.
 * What it writes of a wrong code counts, so the transaction has to commit either way.
 * @returns why the member is not let in; undefined where the code was taken, or none is needed
 */
export async function refusedCode(
  ctx: Ctx,
  tx: Transaction,
  member: Whose,
  code: string | null | undefined,
): Promise<GatewayError | undefined> {
  const factor = await tx.secondFactor.findFirst({
    where: { userId: member.id, tenantId: member.tenantId, confirmedAt: { not: null } },
  });
  if (!factor) return undefined;
  if (!code) return new GatewayError('second_factor_required', { param: 'code' });
  const now = sharedNow();
  const isTaken = await takeCode(ctx, tx, { factor, member, code, now });
  if (isTaken) return undefined;
  const lockedMs = factor.lockedUntil ? factor.lockedUntil.getTime() - now.getTime() : 0;
  if (lockedMs > 0) {
    const values = { seconds: Math.ceil(lockedMs / 1_000) };
    return new GatewayError('second_factor_locked', { values, retryAfterMs: lockedMs });
  }
  await write(tx, member, afterWrongCode(factor.failures, now));
  return new GatewayError('invalid_second_factor', { param: 'code' });
}

interface Shown {
  readonly factor: SecondFactor;
  readonly member: Whose;
  readonly code: string;
  readonly now: Date;
}

async function takeCode({ services }: Ctx, tx: Transaction, shown: Shown): Promise<boolean> {
  const { factor, member, code, now } = shown;
  const { keyring } = services;
  const typed = typedCode(code);
  if (typed.kind === 'recovery') {
    const hashes = [...keyring.hmacs('recovery code', recoveryText(member, typed.code))];
    const { count } = await tx.recoveryCode.updateMany({
      where: {
        userId: member.id,
        tenantId: member.tenantId,
        codeHash: { in: hashes as Buffer<ArrayBuffer>[] },
        usedAt: null,
      },
      data: { usedAt: now },
    });
    // Whoever has one is the member: what was guessed before does not lock them out.
    if (count > 0) await write(tx, member, { failures: 0, lockedUntil: null });
    return count > 0;
  }
  if (factor.lockedUntil && factor.lockedUntil > now) return false;
  const bytes = keyring.open(placeOfSecret(member), factor.secretSealed);
  const step = stepOf(bytes, typed.code, factor.lastStep, now.getTime());
  if (step === undefined) return false;
  await write(tx, member, { failures: 0, lockedUntil: null, lastStep: step });
  return true;
}

async function write(
  tx: Transaction,
  { id: userId, tenantId }: Whose,
  data: { failures?: number; lockedUntil?: Date | null; lastStep?: bigint },
): Promise<void> {
  await tx.secondFactor.updateMany({ where: { userId, tenantId }, data });
}
