import { EXCEPTION_BOUNDS } from '../access/budgets/vocabulary.js';
import { APPROVAL_WAIT } from './approval-request.js';

/** The receipts, as members of an answer. Only what the gateway reads or adds is spelled here. */
const RECEIPTS = {
  gw_routing: { type: 'object', description: 'Which model was chosen, why, and what it cost.' },
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

const METADATA = {
  type: 'object',
  description: 'Reports group by feature, environment and client_id.',
  properties: {
    feature: { type: 'string' },
    environment: { type: 'string' },
    client_id: { type: 'string' },
    prompt_key: { type: 'string', description: 'In chat: the prompt that fills the request.' },
    prompt_version: { description: 'In chat: the version of that prompt, if not production.' },
  },
  additionalProperties: true,
} as const;

const APPROVAL = {
  type: 'object',
  description:
    'Where a budget is exhausted, ask for an exception and wait for the decision instead of ' +
    'being refused. The answer begins when a member approves; no provider sees this member. The ' +
    'request keeps its place among the concurrent ones while it waits, and the time that it ' +
    'waited is no part of its latency.',
  required: ['wait_seconds'],
  properties: {
    wait_seconds: {
      type: 'integer',
      minimum: APPROVAL_WAIT.secondsMin,
      maximum: APPROVAL_WAIT.secondsMax,
      description: 'How long to wait at most.',
    },
    reason: {
      type: 'string',
      maxLength: EXCEPTION_BOUNDS.reason.lengthMax,
      description: 'What the decider reads; by default, that a chat request waits.',
    },
  },
} as const;

const PROMPT = {
  type: 'object',
  description:
    'Fills the request by a prompt of the organization: its messages stand before `messages`, ' +
    'and model, temperature, max_tokens and response_format are filled where they are left out. ' +
    'No provider sees this member. Instead, metadata.prompt_key and metadata.prompt_version may ' +
    'name a prompt whose variables all have defaults.',
  required: ['key'],
  properties: {
    key: { type: 'string', description: 'The prompt_key of the package.' },
    version: {
      type: 'integer',
      minimum: 1,
      description:
        'A version of the package in any state but retired; one that a later version superseded ' +
        'still serves. Left out, the version in production.',
    },
    variables: {
      type: 'object',
      description: 'The values of the variables, by their names.',
      additionalProperties: true,
    },
  },
} as const;

/** A chat request. */
export const CHAT_REQUEST_SCHEMA = {
  type: 'object',
  anyOf: [
    { required: ['model', 'messages'] },
    { required: ['gw_prompt'] },
    { required: ['metadata'] },
  ],
  additionalProperties: true,
  properties: {
    model: {
      type: 'string',
      description: 'A model id or gw:auto. It may be left out where a prompt has model variants.',
    },
    messages: {
      type: 'array',
      description: 'The conversation; it may be empty or left out where a prompt is used.',
      items: {
        type: 'object',
        required: ['role'],
        additionalProperties: true,
        properties: {
          role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
          content: { description: 'A text or a list of content parts.' },
        },
      },
    },
    stream: { type: 'boolean', description: 'True for server-sent events.' },
    stream_options: { type: 'object', properties: { include_usage: { type: 'boolean' } } },
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    top_p: { type: 'number', minimum: 0, maximum: 1 },
    n: { type: 'integer', minimum: 1, maximum: 16 },
    max_tokens: { type: 'integer', minimum: 1 },
    max_completion_tokens: { type: 'integer', minimum: 1 },
    tools: { type: 'array', items: { type: 'object' } },
    tool_choice: {},
    response_format: { type: 'object' },
    metadata: METADATA,
    gw_approval: APPROVAL,
    gw_prompt: PROMPT,
  },
} as const;

/** A whole chat completion. */
export const CHAT_COMPLETION_SCHEMA = {
  type: 'object',
  required: ['id', 'object', 'model', 'choices', 'usage', ...Object.keys(RECEIPTS)],
  additionalProperties: true,
  properties: {
    id: { type: 'string' },
    object: { const: 'chat.completion' },
    created: { type: 'integer' },
    model: { type: 'string' },
    choices: { type: 'array', items: { type: 'object' } },
    usage: { type: 'object' },
    ...RECEIPTS,
    ...PROMPT_RECEIPT,
  },
} as const;

/** A chunk of a stream. */
export const CHAT_CHUNK_SCHEMA = {
  type: 'object',
  required: ['object', 'choices'],
  additionalProperties: true,
  properties: {
    id: { type: 'string' },
    object: { const: 'chat.completion.chunk' },
    created: { type: 'integer' },
    model: { type: 'string' },
    choices: { type: 'array', items: { type: 'object' } },
    usage: { type: ['object', 'null'] },
    ...RECEIPTS,
    ...PROMPT_RECEIPT,
  },
} as const;

/** An embeddings request. */
export const EMBEDDINGS_REQUEST_SCHEMA = {
  type: 'object',
  required: ['model', 'input'],
  additionalProperties: true,
  properties: {
    model: { type: 'string' },
    input: { description: 'A text, texts, a token array or token arrays.' },
    encoding_format: { enum: ['float', 'base64'] },
    dimensions: { type: 'integer', minimum: 1 },
    metadata: METADATA,
  },
} as const;

/** A list of embeddings. */
export const EMBEDDINGS_SCHEMA = {
  type: 'object',
  required: ['object', 'data', 'model', 'usage', ...Object.keys(RECEIPTS)],
  additionalProperties: true,
  properties: {
    object: { const: 'list' },
    data: { type: 'array', items: { type: 'object' } },
    model: { type: 'string' },
    usage: { type: 'object' },
    ...RECEIPTS,
  },
} as const;
