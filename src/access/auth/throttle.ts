import type { Ctx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import type { Limit } from '../../platform/counters/counters.js';

/** Failed logins a minute, by e-mail and by address, before further ones are refused. */
export const FAILED_LOGINS_PER_MINUTE = { email: 5, address: 20 } as const;

/**
 * Refuses a login while too many have failed. Nothing is counted: only failures are.
 * @throws login_throttled
 */
export async function requireLoginAllowed(ctx: Ctx, email: string): Promise<void> {
  await refuseWhenFull(ctx, limits(ctx, email, 1));
  for (const limit of limits(ctx, email, 1)) {
    if (limit.kind === 'rate') ctx.services.counters.adjust(limit.key, limit.perMinute, 1);
  }
}

/** Counts a failed login against the e-mail and the address. */
export async function countLoginFailure(ctx: Ctx, email: string): Promise<void> {
  await ctx.services.counters.take(limits(ctx, email, 1));
}

/** A login that worked clears the e-mail's failures; those of the address stay. */
export function clearLoginFailures(ctx: Ctx, email: string): void {
  const perMinute = FAILED_LOGINS_PER_MINUTE.email;
  ctx.services.counters.adjust(`login:email:${email}`, perMinute, perMinute);
}

function limits(ctx: Ctx, email: string, points: number): Limit[] {
  const { email: perEmail, address: perAddress } = FAILED_LOGINS_PER_MINUTE;
  return [
    { kind: 'rate', key: `login:email:${email}`, perMinute: perEmail, points },
    {
      kind: 'rate',
      key: `login:address:${ctx.transport.address}`,
      perMinute: perAddress,
      points,
    },
  ];
}

async function refuseWhenFull(ctx: Ctx, asked: readonly Limit[]): Promise<void> {
  const admission = await ctx.services.counters.take(asked);
  if (admission.refused === undefined) return;
  const seconds = Math.ceil(admission.retryAfterMs / 1_000);
  fail('login_throttled', { values: { seconds }, retryAfterMs: admission.retryAfterMs });
}
