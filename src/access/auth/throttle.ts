import type { Ctx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import type { Limit } from '../../platform/counters/counters.js';

/** Failed logins a minute, by e-mail and by address, before further ones are refused. */
const FAILED_LOGINS_PER_MINUTE = { email: 5, address: 20 } as const;

/**
 * Takes a try of the e-mail and of the address before the password is looked at, so that guesses
 * that run at the same time cannot pass together. A login that works gives its try back.
 * @throws login_throttled
 */
export async function takeLoginTry(ctx: Ctx, email: string): Promise<void> {
  const admission = await ctx.services.counters.take(limits(ctx, email));
  if (admission.refused === undefined) return;
  const seconds = Math.ceil(admission.retryAfterMs / 1_000);
  fail('login_throttled', { values: { seconds }, retryAfterMs: admission.retryAfterMs });
}

/** A login that worked clears the failures of its e-mail; those of the address stay. */
export function clearLoginFailures(ctx: Ctx, email: string): void {
  const [byEmail, byAddress] = limits(ctx, email);
  const { counters } = ctx.services;
  counters.adjust(byEmail.key, byEmail.perMinute, byEmail.perMinute);
  counters.adjust(byAddress.key, byAddress.perMinute, 1);
}

type RateLimit = Extract<Limit, { readonly kind: 'rate' }>;

function limits(ctx: Ctx, email: string): readonly [RateLimit, RateLimit] {
  const { email: perEmail, address: perAddress } = FAILED_LOGINS_PER_MINUTE;
  const address = `login:address:${ctx.transport.address}`;
  return [
    { kind: 'rate', key: `login:email:${email}`, perMinute: perEmail, points: 1 },
    { kind: 'rate', key: address, perMinute: perAddress, points: 1 },
  ];
}
