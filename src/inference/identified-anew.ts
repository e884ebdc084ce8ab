import { fromAddress } from '../access/auth/allowed-address.js';
import type { AuthorizedCtx, Ctx } from '../graph/ctx.js';
import { authorized, caller } from '../graph/database.js';
import { refusal } from '../graph/node.js';

/**
 * True where a key was looked at before the controls changed under which its request is decided:
 * what is remembered of it, such as its limits and rights, may have changed with them.
 */
export function isBehind({ who }: AuthorizedCtx, controls: string): boolean {
  const { controls: seen } = who;
  if (seen === undefined || seen === controls) return false;
  return seen.length === controls.length ? seen < controls : seen.length < controls.length;
}

/**
 * The same request with its caller as the database knows it now.
 * @throws whatever a credential is refused with, permission_denied
 */
export async function identifiedAnew(ctx: AuthorizedCtx): Promise<AuthorizedCtx> {
  const { authorization, services, transport, origin } = ctx;
  if (authorization === undefined) return ctx;
  const found = await services.authenticator.identify(authorization, true);
  // Requests of the gateway to itself come from its own address.
  const identified = origin === 'cockpit' ? found : fromAddress(found, transport.address);
  // It may inherit what it is made of, as a request under a key does: a copy would lack that.
  const own: Ctx = Object.create(ctx, {
    who: { value: identified.who },
    whoFailure: { value: identified.whoFailure },
  });
  const who = caller(own);
  if (!who.permissions.has('inference.run')) throw refusal(own, 'inference.run');
  return authorized(own);
}
