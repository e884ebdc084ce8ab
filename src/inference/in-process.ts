import type { AuthorizedCtx } from '../graph/ctx.js';
import { newId } from '../kernel/ids.js';
import { asObject, type JsonObject } from '../kernel/json.js';
import type { RequestOrigin } from '../kernel/origin.js';
import { keyedPart } from '../records/keyed-ids.js';
import { completeChat } from './chat/complete.js';

/** An answer to a chat request that the gateway made for its caller. */
export interface OwnChat {
  /** The id under which usage and ledger name this request. */
  readonly requestId: string;
  /** The completion as a client would read it, receipts included. */
  readonly answer: JsonObject;
}

/**
 * Makes a chat request for the caller through every stage, as if the caller had sent it: policy,
 * firewall, routing, hold and settlement apply, and the caller is billed for it. Each call is a
 * request of its own in usage and ledger, and its usage names its origin.
 * @param label tells the requests of one operation apart: under a key each has an id that follows
 * from the key and its label, so that an attempt finds what an earlier one was answered
 * @param promptVariant the variant of the prompt that serves it, whichever its model would choose
 * @throws whatever a stage refuses with; then nothing is charged
 */
export async function chatForCaller(
  ctx: AuthorizedCtx,
  origin: RequestOrigin,
  body: JsonObject,
  label = 'chat',
  promptVariant?: string,
): Promise<OwnChat> {
  const { address, baseUrl, workspace, trace, idles } = ctx.transport;
  const keyed = keyedPart(ctx, label);
  const requestId = keyed?.effectId ?? newId('Request');
  const own: AuthorizedCtx = {
    requestId,
    origin,
    promptVariant,
    keyed,
    startedMs: performance.now(),
    who: ctx.who,
    ...(ctx.authorization !== undefined && { authorization: ctx.authorization }),
    services: ctx.services,
    signal: ctx.signal,
    transport: { kind: 'internal', address, baseUrl, workspace, trace, idles, headers: {} },
  };
  const answer = (await completeChat(own, body)).toJSON() as JsonObject;
  // Under a key it may have been an earlier or a later attempt that was answered.
  const answered = asObject(answer.gw_routing)?.request_id;
  return { requestId: typeof answered === 'string' ? answered : requestId, answer };
}
