import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { Window } from '../../kernel/window.rules.js';
import { usageBy } from './service.js';

/** What the requests of a key have cost in a window, exact at every moment. In micro-rubles. */
export async function keySpend(ctx: AuthorizedCtx, keyId: string, window: Window) {
  const narrowings = [{ dimension: 'key', values: [keyId] }] as const;
  const { groups } = await usageBy(ctx, { dimensions: ['key'], window, narrowings });
  const [group] = groups;
  const { requests, amountMicro } = group?.totals ?? { requests: 0n, amountMicro: 0n };
  return { requests, amountMicro };
}
