import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { InferenceRequest } from '../request.js';
import { type GivenBody, prompt } from '../stages/prompt.js';
import { statedOutside } from '../stated-outside.js';
import { readChatRequest } from './request.js';

/**
 * The request that a body asks for, filled by its prompt where it names one.
 * @throws invalid_request, and whatever the stage of prompts refuses with
 */
export function askedRequest(
  caller: AuthorizedCtx,
  body: unknown,
): InferenceRequest | Promise<InferenceRequest> {
  const given = prompt(caller, body);
  const read = (filled: GivenBody): InferenceRequest => {
    const outside = statedOutside(caller.transport, body);
    const request = readChatRequest(filled.body, filled.bodyBytes, filled.prompt, outside);
    if (!filled.prompt) return request;
    return { ...request, filledAnew: async (ctx) => askedRequest(ctx, body) };
  };
  return given instanceof Promise ? given.then(read) : read(given);
}
