import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import type { JsonObject } from '../../kernel/json.js';
import { moscowDay } from '../../kernel/time.js';
import { compileContext, withBlocks } from '../context/compile-context.js';
import { windowOf } from '../context/window.rules.js';
import type { CompiledContext, ContextWish } from '../context/wish.js';
import type { InferenceRequest } from '../request.js';
import { chatSize } from '../request-size.js';
import type { Admission } from './admit.js';

/** The request as limits take it: what is given counts, though not all of it may be sent. */
export function withAllBlocks(request: InferenceRequest): InferenceRequest {
  const { context, size } = request;
  if (!context) return request;
  return { ...request, size: { ...size, textBytes: size.textBytes + context.bytes } };
}

/**
 * Chooses the blocks of `gw_context` and places those that are kept into the request; one without
 * blocks passes untouched. Every stage after this one, the firewall first, sees the request as it
 * will be sent, and what was dropped nowhere.
 * @throws context_cannot_compile
 */
export function context(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  admission: Admission,
): InferenceRequest | Promise<InferenceRequest> {
  return request.context ? filled(ctx, request, request.context, admission) : request;
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
  const found = await compileContext(request, wish, model, policy.limits.maxOutputTokens);
  const messages = request.body.messages as readonly JsonObject[];
  const placed = withBlocks(messages, wish, new Set(found.compiled.kept));
  const body = { ...request.body, messages: placed };
  const size = chatSize(body, Buffer.byteLength(JSON.stringify(body)));
  return {
    ...request,
    body,
    size: { ...size, windowTokens: tokensNeeded(found) },
    compiled: found,
  };
}

/** What the window of any model that answers must hold. */
function tokensNeeded({ compiled, promptTokens, outputTokens, safetyTokens }: CompiledContext) {
  return promptTokens + compiled.usedTokens + outputTokens + safetyTokens;
}
