import type { AuthorizedCtx } from '../graph/ctx.js';
import type { InferenceRequest } from './request.js';
import { admit, giveBack } from './stages/admit.js';
import { firewallIn } from './stages/firewall-in.js';
import { hold } from './stages/hold.js';
import { route } from './stages/route.js';
import { type Prepared, release } from './stages/settle.js';

/**
 * Everything that happens before a provider is called. When it resolves, funds are held; when it
 * throws, nothing is.
 * @throws whatever a stage refuses with
 */
export async function prepare(ctx: AuthorizedCtx, request: InferenceRequest): Promise<Prepared> {
  const admission = await admit(ctx, request);
  try {
    const inspected = firewallIn(request, admission.policy);
    const chosen = route(ctx, request, admission, inspected);
    const waitedMs = await hold(ctx, request, admission, chosen);
    const startedMs = ctx.startedMs + waitedMs;
    return { ctx, request, admission, inspected, route: chosen, startedMs };
  } catch (thrown) {
    giveBack(ctx, admission, 0);
    throw thrown;
  }
}

/** A prepared request whose call failed: the hold, the slot and the tokens go back. */
export async function abandon(prepared: Prepared, thrown: unknown): Promise<void> {
  giveBack(prepared.ctx, prepared.admission, 0);
  await release(prepared, thrown);
}
