import type { JsonObject } from '../kernel/json.js';
import { CHAT_REQUEST } from './wire/chat-request.js';
import { EMBEDDINGS_REQUEST } from './wire/embeddings-request.js';

/** The receipts, as members of an answer. Only what the gateway reads or adds is spelled here. */
const RECEIPTS = {
  gw_routing: {
    type: 'object',
    description:
      'Which model was chosen, why, and what it cost. Where the funds or a budget did not cover ' +
      'the longest answer, `output_limit` says to how many tokens it was lowered. `alias` says ' +
      'what an alias of the organization stood for.',
  },
  gw_slo: { type: 'object', description: 'Target and measured latency.' },
  gw_firewall: { type: 'object', description: 'What the firewall found and masked, by class.' },
} as const;

/** The receipt of requests that use a prompt. */
const PROMPT_RECEIPT = {
  gw_prompt: {
    type: 'object',
    description:
      'The version of the prompt that filled the request, its variant, and whether the answer ' +
      'is by the output schema; null where that was not measured, as in a stream.',
  },
} as const;

/** The receipt of requests with blocks. */
const CONTEXT_RECEIPT = {
  gw_context: {
    type: 'object',
    description:
      'What was sent of the blocks of gw_context: the ids that were kept and dropped, each of ' +
      'the latter with its reason, the tokens before and after, and the window that they were ' +
      'chosen for.',
  },
} as const;

/** What a chat request must have: all that is called, unless a prompt of the house fills it. */
const CHAT_REQUIRED = {
  anyOf: [
    {
      required: ['model', 'messages'],
      properties: {
        model: { type: 'string', minLength: 1 },
        messages: { type: 'array', minItems: 1 },
      },
    },
    { required: ['gw_prompt'], properties: { gw_prompt: { type: 'object' } } },
    {
      required: ['metadata'],
      properties: { metadata: { type: 'object', required: ['prompt_key'] } },
    },
  ],
} as const;

/** A chat request, as it is checked. */
export const CHAT_REQUEST_SCHEMA: JsonObject = { ...CHAT_REQUEST.schema, ...CHAT_REQUIRED };

const CHAT_ANSWER = {
  id: { type: 'string' },
  created: { type: 'integer' },
  model: { type: 'string' },
  choices: { type: 'array', items: { type: 'object' } },
  ...RECEIPTS,
  ...PROMPT_RECEIPT,
  ...CONTEXT_RECEIPT,
};

/** A whole chat completion. */
export const CHAT_COMPLETION_SCHEMA = answer(
  ['id', 'object', 'model', 'choices', 'usage', ...Object.keys(RECEIPTS)],
  { object: { const: 'chat.completion' }, ...CHAT_ANSWER, usage: { type: 'object' } },
);

/** A chunk of a stream. */
export const CHAT_CHUNK_SCHEMA = answer(['object', 'choices'], {
  object: { const: 'chat.completion.chunk' },
  ...CHAT_ANSWER,
  usage: { type: ['object', 'null'] },
});

/** An embeddings request, as it is checked. */
export const EMBEDDINGS_REQUEST_SCHEMA = EMBEDDINGS_REQUEST.schema;

/** A list of embeddings. */
export const EMBEDDINGS_SCHEMA = answer(
  ['object', 'data', 'model', 'usage', ...Object.keys(RECEIPTS)],
  {
    object: { const: 'list' },
    data: { type: 'array', items: { type: 'object' } },
    model: { type: 'string' },
    usage: { type: 'object' },
    ...RECEIPTS,
  },
);

function answer(required: readonly string[], properties: JsonObject): JsonObject {
  return { type: 'object', required, additionalProperties: true, properties };
}
