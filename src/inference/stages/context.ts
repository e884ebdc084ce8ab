import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import type { JsonObject } from '../../kernel/json.js';
import { moscowDay } from '../../kernel/time.js';
import { compileContext, withBlocks } from '../context/compile-context.js';
import { windowOf } from '../context/window.rules.js';
import type { CompiledContext, ContextWish } from '../context/wish.js';
import type { InferenceRequest } from '../request.js';
import { chatSize } from '../request-size.js';
import { lower, outputCapOf } from '../workload/contract.js';
import { prunedByContract } from '../workload/prune.js';
import type { Admission } from './admit.js';
import { requireWindow } from './route.js';

/** The request as limits take it: what is given counts, though not all of it may be sent. */
export function withAllBlocks(request: InferenceRequest): InferenceRequest {
  const { context, size } = request;
  if (!context) return request;
  return { ...request, size: { ...size, textBytes: size.textBytes + context.bytes } };
}

/**
 * Drops the turns that the contract of the workload leaves out, chooses the blocks of `gw_context`
 * and places those that are kept into the request; one without either passes untouched. Every stage
 * after this one, the firewall first, sees the request as it will be sent, and what was dropped
 * nowhere.
 * @throws context_length_exceeded, context_cannot_compile
 */
export function context(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  admission: Admission,
): InferenceRequest | Promise<InferenceRequest> {
  const pruning = prunedByContract(request);
  const fill = (kept: InferenceRequest) => {
    if (kept.pruned) requireWindow(ctx, kept);
    return kept.context ? filled(ctx, kept, kept.context, admission) : kept;
  };
  return pruning instanceof Promise ? pruning.then(fill) : fill(pruning);
}

async function filled(
  { services }: AuthorizedCtx,
  request: InferenceRequest,
  wish: ContextWish,
  { policy }: Admission,
): Promise<InferenceRequest> {
  const model = windowOf(services.registry, { request, policy, day: moscowDay(sharedNowMs()) });
  // Where no model could be meant, the route says so: nothing is sent.
  if (!model) return request;
  const tokensMax = lower(wish.tokensMax, request.workload?.terms.retrievalTokensMax);
  const outputTokensCap = outputCapOf(request, policy);
  const found = await compileContext(request, { ...wish, tokensMax }, model, outputTokensCap);
  const sent = withKept(request, wish, new Set(found.compiled.kept));
  const counted = { windowTokens: tokensNeeded(found), textTokens: textsOf(found) };
  const size = { ...sent.size, ...counted };
  return { ...sent, size, compiled: found };
}

/** The request as it is sent with some of its blocks, which is what is charged. */
function withKept(
  request: InferenceRequest,
  wish: ContextWish,
  kept: ReadonlySet<string>,
): InferenceRequest {
  const messages = withBlocks(request.body.messages as readonly JsonObject[], wish, kept);
  const body = { ...request.body, messages };
  return { ...request, body, size: chatSize(body, Buffer.byteLength(JSON.stringify(body))) };
}

/** The least that can be sent of a request: of its blocks only those that are never dropped. */
export function withMustBlocks(request: InferenceRequest): InferenceRequest {
  const { context: wish } = request;
  if (!wish) return request;
  const must = wish.blocks.filter(({ priority }) => priority === 'MUST');
  return withKept(request, wish, new Set(must.map(({ id }) => id)));
}

/** Tokens of all texts that are sent, those of the kept blocks included. */
function textsOf({ compiled, promptTokens, mediaTokens }: CompiledContext) {
  return promptTokens - mediaTokens + compiled.usedTokens;
}

/** What the window of any model that answers must hold. */
function tokensNeeded({ compiled, promptTokens, outputTokens, safetyTokens }: CompiledContext) {
  return promptTokens + compiled.usedTokens + outputTokens + safetyTokens;
}
