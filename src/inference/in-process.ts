import type { AuthorizedCtx } from '../graph/ctx.js';
import { newId } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import type { RequestOrigin } from '../kernel/origin.js';
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
 * @throws whatever a stage refuses with; then nothing is charged
 */
export async function chatForCaller(
  ctx: AuthorizedCtx,
  origin: RequestOrigin,
  body: JsonObject,
): Promise<OwnChat> {
  const { address, baseUrl } = ctx.transport;
  const requestId = newId('Request');
  const own: AuthorizedCtx = {
    requestId,
    origin,
    startedMs: performance.now(),
    who: ctx.who,
    services: ctx.services,
    signal: ctx.signal,
    transport: { kind: 'internal', address, baseUrl, headers: {} },
  };
  const answer = await completeChat(own, body);
  return { requestId, answer: answer.toJSON() as JsonObject };
}
