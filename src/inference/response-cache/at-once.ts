import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { SettleOutcome } from '../../money/ledger/ledger.js';
import type { Bill, Prepared } from '../bill.js';
import type { InferenceRequest } from '../request.js';
import type { Admission } from '../stages/admit.js';
import { holderOf, isBudgeted, refuse, stands } from '../stages/hold.js';
import type { ChosenRoute } from '../stages/route.js';
import { usageRow } from '../usage-row.js';
import type { CacheTurn } from './response-cache.js';
import type { CacheWay } from './way.js';

/**
 * The kept answer to a request, where hold and charge can be one operation of the ledger: its
 * amount is known, it is not sent before it is charged, and no budget has to say yes. Undefined for
 * every other request, which holds before it asks for an answer.
 */
export async function keptAtOnce(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  admission: Admission,
  route: ChosenRoute,
  cache: CacheWay | undefined,
): Promise<CacheTurn | undefined> {
  if (cache?.identity === undefined || request.stream || ctx.keyed) return undefined;
  const known = ctx.services.spendControls.forTenant(ctx.who.tenantId);
  const controls = known instanceof Promise ? await known : known;
  if (isBudgeted(ctx, admission, { request, route }, controls)) return undefined;
  return ctx.services.responseCache.kept(ctx, cache, route);
}

/**
 * Holds and charges the bill of a kept answer.
 * @throws ControlsChanged where the request has to be decided again
 * @throws insufficient_balance, api_key_revoked, invalid_token, tenant_suspended,
 * ledger_unavailable; nothing is charged then
 */
export async function chargeKept(
  prepared: Prepared,
  bill: Bill,
  delivered: boolean,
): Promise<SettleOutcome> {
  const { ctx, admission } = prepared;
  const outcome = await ctx.services.ledger.charge({
    ...holderOf(ctx, admission),
    amountMicro: bill.costMicro,
    usage: usageRow(prepared, bill),
    delivered,
    ...(bill.overrun && { overrun: bill.overrun }),
  });
  if (!stands(outcome)) refuse(ctx, outcome, bill.costMicro);
  const { status } = outcome;
  if (status !== 'ok' && status !== 'duplicate') throw new TypeError(status);
  return { status, chargedMicro: outcome.heldMicro, uncollectedMicro: 0n };
}
