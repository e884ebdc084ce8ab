import type { AuthorizedCtx, Ctx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import type { Limit } from '../../platform/counters/counters.js';
import { limitedAddress } from '../../platform/network/client-address.js';

/**
 * Failed logins a minute before further ones are refused: for an e-mail from one address, for an
 * address, and for an e-mail from everywhere. The last is far higher than anybody mistypes: one
 * guesser does not keep the owner out, and 40 addresses that guess without a pause do.
 */
const FAILED_LOGINS_PER_MINUTE = { pair: 5, address: 20, email: 200 } as const;

/**
 * Takes a try before the password is looked at, so that guesses that run at the same time cannot
 * pass together. A login that works gives its try back.
 * @throws login_throttled
 */
export function takeLoginTry(ctx: Ctx, email: string): Promise<void> {
  return take(ctx, Object.values(limits(ctx, email)));
}

/**
 * A login that worked clears the failures of its e-mail from this address; those of the address and
 * those from elsewhere stay.
 */
export function clearLoginFailures(ctx: Ctx, email: string): void {
  const { pair, address, email: ofEmail } = limits(ctx, email);
  const { counters } = ctx.services;
  counters.adjust(pair.key, pair.perMinute, pair.perMinute);
  for (const { key, perMinute } of [address, ofEmail]) counters.adjust(key, perMinute, 1);
}

/** So many tries a minute to name the present password, by member. */
const PASSWORD_TRIES_PER_MINUTE = 10;
/** Links for a new password that a minute may ask for, by e-mail and by address. */
const RESETS_PER_MINUTE = { email: 2, address: 20 } as const;

/**
 * Takes a try of a member who is logged in to name the present password.
 * @throws login_throttled
 */
export function takePasswordTry(ctx: AuthorizedCtx): Promise<void> {
  const key = `password:member:${ctx.who.id}`;
  return take(ctx, [{ kind: 'rate', key, perMinute: PASSWORD_TRIES_PER_MINUTE, points: 1 }]);
}

/**
 * Takes a try of whoever asks for a link for a new password, whether there is such a member or not.
 * @throws login_throttled
 */
export function takeResetTry(ctx: Ctx, email: string): Promise<void> {
  const { email: perEmail, address: perAddress } = RESETS_PER_MINUTE;
  const address = `reset:address:${limitedAddress(ctx.transport.address)}`;
  return take(ctx, [
    { kind: 'rate', key: `reset:email:${email}`, perMinute: perEmail, points: 1 },
    { kind: 'rate', key: address, perMinute: perAddress, points: 1 },
  ]);
}

async function take({ services }: Ctx, limits: readonly Limit[]): Promise<void> {
  const admission = await services.counters.take(limits);
  if (admission.refused === undefined) return;
  const seconds = Math.ceil(admission.retryAfterMs / 1_000);
  fail('login_throttled', { values: { seconds }, retryAfterMs: admission.retryAfterMs });
}

type RateLimit = Extract<Limit, { readonly kind: 'rate' }>;

function limits(ctx: Ctx, email: string) {
  const address = limitedAddress(ctx.transport.address);
  const { pair, address: ofAddress, email: ofEmail } = FAILED_LOGINS_PER_MINUTE;
  return {
    pair: perMinute(`login:pair:${address} ${email}`, pair),
    address: perMinute(`login:address:${address}`, ofAddress),
    email: perMinute(`login:email:${email}`, ofEmail),
  };
}

function perMinute(key: string, times: number): RateLimit {
  return { kind: 'rate', key, perMinute: times, points: 1 };
}

/**
 * Takes a registration or the acceptance of an invite, whether it will work or not: each hashes a
 * password.
 * @throws registration_throttled
 */
export async function takeRegistration(ctx: Ctx): Promise<void> {
  const { counters, config } = ctx.services;
  const key = `registration:address:${limitedAddress(ctx.transport.address)}`;
  const admission = await counters.take([perMinute(key, config.GW_REGISTRATIONS_PER_MINUTE)]);
  if (admission.refused === undefined) return;
  const { retryAfterMs } = admission;
  fail('registration_throttled', {
    values: { seconds: Math.ceil(retryAfterMs / 1_000) },
    retryAfterMs,
  });
}
