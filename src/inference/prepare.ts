import type { AuthorizedCtx } from '../graph/ctx.js';
import { isAutomatic } from '../routing/automatic.js';
import { aliased } from './alias.js';
import { automaticRoute } from './automatic-route.js';
import type { Prepared } from './bill.js';
import { Claim } from './claim.js';
import type { InferenceRequest } from './request.js';
import { cacheWay } from './response-cache/way.js';
import { admit } from './stages/admit.js';
import { context, withAllBlocks } from './stages/context.js';
import { firewallIn } from './stages/firewall-in.js';
import { hold } from './stages/hold.js';
import { namedRoute, requireWindow } from './stages/route.js';
import { release } from './stages/settle.js';

/**
 * Everything that happens before a provider is called. When it resolves, funds are held; when it
 * throws, nothing is.
 * @throws whatever a stage refuses with
 */
export async function prepare(ctx: AuthorizedCtx, given: InferenceRequest): Promise<Prepared> {
  const resolving = aliased(ctx, given);
  const asked = resolving instanceof Promise ? await resolving : resolving;
  requireWindow(ctx, asked);
  const admission = await admit(ctx, withAllBlocks(asked));
  const claim = new Claim(ctx, admission);
  try {
    const filling = context(ctx, asked, admission);
    const request = filling instanceof Promise ? await filling : filling;
    const inspected = firewallIn(request, admission.policy);
    const chosen = isAutomatic(request.model)
      ? await automaticRoute(ctx, request, admission, inspected)
      : namedRoute(ctx, request, admission, inspected);
    const held = await hold(ctx, request, admission, inspected, chosen);
    const startedMs = ctx.startedMs + held.waitedMs;
    const { route: paid } = held;
    const paidFor = { ctx, request, admission, inspected, route: paid, claim, startedMs };
    return await withCache(paidFor);
  } catch (thrown) {
    claim.close(0);
    claim.settled();
    throw thrown;
  }
}

/** With what the response cache may do. Funds are held by now: a fault gives them back. */
async function withCache(paidFor: Omit<Prepared, 'cache'>): Promise<Prepared> {
  const { ctx, request, admission, inspected, route } = paidFor;
  try {
    const looking = cacheWay(ctx, request, admission, inspected, route);
    return { ...paidFor, cache: looking instanceof Promise ? await looking : looking };
  } catch (thrown) {
    await release({ ...paidFor, cache: undefined }, thrown);
    throw thrown;
  }
}
