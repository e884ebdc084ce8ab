import type { AuthorizedCtx, Transport } from '../graph/ctx.js';
import { DATA_CLASSES, type DataClass } from '../kernel/firewall/vocabulary.js';
import { newId } from '../kernel/ids.js';
import { asObject, type JsonObject } from '../kernel/json.js';
import type { RequestOrigin } from '../kernel/origin.js';
import { keyedPart } from '../records/keyed-ids.js';
import { completeChat } from './chat/complete.js';

/**
 * The labels of a request that measures what a model answers: no kept answer serves it, and its
 * own is kept for nobody.
 */
export function measuredLabels(feature: string) {
  return { feature, environment: 'evaluation', cache_control: 'no-store' };
}

/** An answer to a chat request that the gateway made for its caller. */
export interface OwnChat {
  /** The id under which usage and ledger name this request. */
  readonly requestId: string;
  /** The completion as a client would read it, receipts included. */
  readonly answer: JsonObject;
  /** The class that held for its data by all sources: what is made of the answer has it too. */
  readonly dataClass: DataClass;
}

/**
 * Makes a chat request for the caller through every stage, as if the caller had sent it: policy,
 * firewall, routing, hold and settlement apply, and the caller is billed for it. What the caller's
 * headers state of data, workspace and cache holds for it too. Each call is a request of its own in
 * usage and ledger, and its usage names its origin.
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
    transport: ownTransport(ctx.transport),
  };
  const answer = (await completeChat(own, body)).toJSON() as JsonObject;
  // Under a key it may have been an earlier or a later attempt that was answered.
  const answered = asObject(answer.gw_routing)?.request_id;
  return {
    requestId: typeof answered === 'string' ? answered : requestId,
    answer,
    dataClass: classOf(answer),
  };
}

/** Where a receipt says no class that is known, the highest one holds. */
function classOf(answer: JsonObject): DataClass {
  const told = asObject(answer.gw_firewall)?.data_class;
  return DATA_CLASSES.find(({ code }) => code === told)?.code ?? 'C4';
}

/** The transport of a request for a caller: what the caller stated of data and cache holds. */
export function ownTransport(of: Transport): Transport {
  const { address, baseUrl, workspace, cacheControl, classHeaders, trace, idles } = of;
  const stated = { workspace, cacheControl, ...(classHeaders && { classHeaders }) };
  return { kind: 'internal', address, baseUrl, ...stated, trace, idles, headers: {} };
}
