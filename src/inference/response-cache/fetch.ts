import type { Bill, Prepared } from '../bill.js';
import { call } from '../stages/call.js';
import { type CacheTurn, turnOf } from './response-cache.js';

/**
 * The answer to a prepared request: a kept one where its workload contract allows, else that of a
 * provider.
 * @throws whatever the call of a provider throws
 */
export async function fetchAnswer(prepared: Prepared): Promise<CacheTurn> {
  const { ctx, request, inspected, route, cache } = prepared;
  const fromProvider = () => call(ctx, request, inspected, route);
  if (cache === undefined) return turnOf(await fromProvider());
  return ctx.services.responseCache.answer(ctx, cache, route, fromProvider);
}

/** Whether an answer that was charged is worth keeping: one that has ended by itself. */
export function isKeepable({ request }: Prepared, { outcome, overrun }: Bill): boolean {
  return outcome.finishReason === 'stop' && request.choices === 1 && overrun === undefined;
}
