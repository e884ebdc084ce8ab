import type { Capability } from '../../catalog/providers/vocabulary.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { readApprovalWait } from '../approval-request.js';
import { readContextWish } from '../context/wish.js';
import {
  type InferenceRequest,
  readMetadata,
  readStated,
  type UsedPrompt,
  withoutOwnMembers,
} from '../request.js';
import { chatSize, type RequestSize } from '../request-size.js';
import { NOTHING_OUTSIDE } from '../stated-outside.js';
import { chatFaults } from '../wire/chat-request.js';

/**
 * Reads a chat request, with what is stated outside of its body. What the wire has is held to the
 * wire; every other field is kept and forwarded.
 * @throws invalid_request with every fault
 */
export function readChatRequest(
  body: unknown,
  bodyBytes: number,
  prompt?: UsedPrompt,
  outside = NOTHING_OUTSIDE,
): InferenceRequest {
  const given = asObject(body);
  if (!given) {
    const message = 'The body must be a JSON object.';
    failOnFaults([{ path: '', code: 'wrong_type', message }]);
    throw new TypeError(message);
  }
  failOnFaults([...outside.faults, ...chatFaults(given, prompt?.messages ?? 0)]);
  const forwarded = withoutOwnMembers(given);
  const contextBytes = given.gw_context == null ? 0 : bytesOf(given.gw_context);
  const size = chatSize(given, bodyBytes - contextBytes);
  return {
    operation: 'chat',
    body: forwarded,
    stripped: forwarded !== given || prompt !== undefined,
    prompt,
    approvalWait: readApprovalWait(given.gw_approval),
    context: readContextWish(given.gw_context, contextBytes),
    model: given.model as string,
    stream: given.stream === true,
    includeUsage: asObject(given.stream_options)?.include_usage === true,
    needs: chatNeeds(given, size),
    size,
    outputTokensMax: largest(given.max_completion_tokens, given.max_tokens),
    choices: (given.n as number | null | undefined) ?? 1,
    metadata: readMetadata(given),
    ...readStated(given, outside),
  };
}

/** The least that a member takes of a body, however its JSON was written. */
function bytesOf(member: unknown): number {
  return Buffer.byteLength(JSON.stringify(member));
}

/** A provider may obey either name of the limit, so the larger one bounds the answer. */
function largest(...stated: unknown[]): number | undefined {
  const limits = stated.filter((limit): limit is number => typeof limit === 'number');
  return limits.length === 0 ? undefined : Math.max(...limits);
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

/** What a model must be able to do for this request. `functions` is the older name of `tools`. */
function chatNeeds(body: JsonObject, size: RequestSize): Capability[] {
  const needs: Capability[] = [];
  const format = asObject(body.response_format)?.type;
  if (isFilled(body.tools) || isFilled(body.functions)) needs.push('tools');
  if (format === 'json_object') needs.push('json');
  if (format === 'json_schema') needs.push('json_schema');
  if (size.images + size.imagesLow > 0) needs.push('vision');
  if (size.audioBytes > 0) needs.push('audio');
  if (body.stream === true) needs.push('streaming');
  return needs;
}
