import type { Bill, Prepared } from '../bill.js';
import { call } from '../stages/call.js';
import { type CacheTurn, turnOf } from './response-cache.js';

/**
 * The answer to a prepared request: a kept one where its workload contract allows, else that of a
 * provider.
 * @throws whatever the call of a provider throws
 */
export async function fetchAnswer(prepared: Prepared): Promise<CacheTurn> {
  const { ctx, request, inspected, route, admission, cache, kept } = prepared;
  if (kept) return kept;
  const fromProvider = () => call(ctx, request, inspected, route, admission.policy);
  if (cache === undefined) return turnOf(await fromProvider());
  return ctx.services.responseCache.answer(ctx, cache, route, fromProvider);
}

/**
 * Whether an answer that was charged is worth keeping: one that has ended by itself, of the model
 * that was chosen. That of a fallback would be served on when the chosen one is there again.
 */
export function isKeepable({ request, route }: Prepared, { outcome, overrun }: Bill): boolean {
  const hasEnded = outcome.finishReason === 'stop' && request.choices === 1;
  const isBelieved = overrun === undefined && outcome.usageFault === undefined;
  return hasEnded && isBelieved && outcome.deployment.id === route.chosen.id;
}
