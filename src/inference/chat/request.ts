import type { Capability } from '../../catalog/providers/vocabulary.js';
import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { approvalWaitFaults, readApprovalWait } from '../approval-request.js';
import { type InferenceRequest, readMetadata, type UsedPrompt } from '../request.js';
import { chatSize, type RequestSize } from '../request-size.js';

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
const CHOICES_MAX = 16;

/**
 * Reads a chat request. Only what the gateway itself relies on is checked; every other field is
 * kept and forwarded.
 * @throws invalid_request with every fault
 */
export function readChatRequest(
  body: unknown,
  bodyBytes: number,
  prompt?: UsedPrompt,
): InferenceRequest {
  const given = asObject(body);
  if (!given) {
    const message = 'The body must be a JSON object.';
    failOnFaults([{ path: '', code: 'wrong_type', message }]);
    throw new TypeError(message);
  }
  failOnFaults(chatFaults(given, prompt?.messages ?? 0));
  const size = chatSize(given, bodyBytes);
  const forwarded = withoutOwnMembers(given);
  return {
    operation: 'chat',
    body: forwarded,
    stripped: forwarded !== given || prompt !== undefined,
    prompt,
    approvalWait: readApprovalWait(given.gw_approval),
    bodyBytes,
    model: given.model as string,
    stream: given.stream === true,
    includeUsage: asObject(given.stream_options)?.include_usage === true,
    needs: chatNeeds(given, size),
    size,
    outputTokensMax: largest(given.max_completion_tokens, given.max_tokens),
    choices: (given.n as number | null | undefined) ?? 1,
    metadata: readMetadata(given),
  };
}

/** Members that speak to the gateway itself: no provider gets to see them. */
const OWN_MEMBERS = ['gw_approval', 'gw_prompt'] as const;

/** The body for providers: the same object where the client sent no such member. */
function withoutOwnMembers(body: JsonObject): JsonObject {
  if (!OWN_MEMBERS.some((name) => name in body)) return body;
  const rest = { ...body };
  for (const name of OWN_MEMBERS) delete rest[name];
  return rest;
}

/** A provider may obey either name of the limit, so the larger one bounds the answer. */
function largest(...stated: unknown[]): number | undefined {
  const limits = stated.filter((limit): limit is number => typeof limit === 'number');
  return limits.length === 0 ? undefined : Math.max(...limits);
}

/** What a model must be able to do for this request. */
function chatNeeds(body: JsonObject, size: RequestSize): Capability[] {
  const needs: Capability[] = [];
  const format = asObject(body.response_format)?.type;
  if (Array.isArray(body.tools) && body.tools.length > 0) needs.push('tools');
  if (format === 'json_object') needs.push('json');
  if (format === 'json_schema') needs.push('json_schema');
  if (size.images + size.imagesLow > 0) needs.push('vision');
  if (countParts(body, 'input_audio') > 0) needs.push('audio');
  if (body.stream === true) needs.push('streaming');
  return needs;
}

function countParts(body: JsonObject, type: string): number {
  let count = 0;
  for (const message of body.messages as JsonObject[]) {
    if (!Array.isArray(message.content)) continue;
    for (const part of message.content) if (asObject(part)?.type === type) count += 1;
  }
  return count;
}

/** `added` messages at the beginning are not the client's, which counts its own from 0. */
function chatFaults(body: JsonObject, added: number): Fault[] {
  const faults: Fault[] = [];
  if (typeof body.model !== 'string' || body.model === '') {
    faults.push(missing('model', 'model must name a model, such as "gw:auto".'));
  }
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    faults.push(missing('messages', 'messages must be a list with at least one message.'));
  } else {
    body.messages.forEach((message, index) => {
      messageFaults(message, `messages.${index - added}`, faults);
    });
  }
  range(body, 'temperature', 0, 2, faults);
  range(body, 'top_p', 0, 1, faults);
  range(body, 'presence_penalty', -2, 2, faults);
  range(body, 'frequency_penalty', -2, 2, faults);
  whole(body, 'max_tokens', 1, 10_000_000, faults);
  whole(body, 'max_completion_tokens', 1, 10_000_000, faults);
  whole(body, 'n', 1, CHOICES_MAX, faults);
  whole(body, 'top_logprobs', 0, 20, faults);
  optional(body, 'stream', 'boolean', faults);
  if (body.tools != null && !Array.isArray(body.tools)) {
    faults.push(wrongType('tools', 'tools must be a list.'));
  }
  if (body.gw_approval != null) faults.push(...approvalWaitFaults(body.gw_approval));
  return faults;
}

function messageFaults(message: unknown, path: string, faults: Fault[]): void {
  const given = asObject(message);
  if (!given) {
    faults.push(wrongType(path, `${path} must be an object with role and content.`));
    return;
  }
  if (typeof given.role !== 'string' || !ROLES.has(given.role)) {
    const roles = [...ROLES].join(', ');
    faults.push({
      path: `${path}.role`,
      code: 'unknown_value',
      message: `${path}.role must be one of ${roles}.`,
    });
  }
  const { content } = given;
  const fits = content == null || typeof content === 'string' || Array.isArray(content);
  const mayLack = given.role === 'assistant' || content !== undefined;
  if (fits && mayLack) return;
  const at = `${path}.content`;
  faults.push(wrongType(at, `${at} must be a text or a list of content parts.`));
}

function missing(path: string, message: string): Fault {
  return { path, code: 'missing', message };
}

function wrongType(path: string, message: string): Fault {
  return { path, code: 'wrong_type', message };
}

function range(body: JsonObject, name: string, min: number, max: number, faults: Fault[]): void {
  const value = body[name];
  if (value == null) return;
  if (typeof value === 'number' && value >= min && value <= max) return;
  const message = `${name} must be a number from ${min} to ${max}.`;
  faults.push({ path: name, code: 'out_of_range', message });
}

function whole(body: JsonObject, name: string, min: number, max: number, faults: Fault[]): void {
  const value = body[name];
  if (value == null) return;
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return;
  const message = `${name} must be a whole number from ${min} to ${max}.`;
  faults.push({ path: name, code: 'out_of_range', message });
}

function optional(body: JsonObject, name: string, type: 'boolean', faults: Fault[]): void {
  const value = body[name];
  if (value == null || typeof value === type) return;
  faults.push(wrongType(name, `${name} must be a ${type}.`));
}
