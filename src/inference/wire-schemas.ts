import { fieldTable, integer, list, object, text } from '../kernel/fields/field.js';
import type { JsonObject } from '../kernel/json.js';
import { answerSchema } from './answer-schema.js';
import { ANSWER, ANSWER_CHUNK } from './chat/typed/answer.js';
import { FIREWALL, ROUTING, SLO } from './chat/typed/receipts.js';
import { CHAT_REQUEST } from './wire/chat-request.js';
import { EMBEDDINGS_REQUEST } from './wire/embeddings-request.js';

/** What a chat request must have: all that is called, unless a prompt of the house fills it. */
const CHAT_REQUIRED = {
  anyOf: [
    {
      required: ['model', 'messages'],
      properties: {
        model: { type: 'string', minLength: 1 },
        messages: { type: 'array', minItems: 1, items: {} },
      },
    },
    { required: ['gw_prompt'], properties: { gw_prompt: { type: 'object' } } },
    {
      required: ['metadata'],
      properties: {
        metadata: {
          type: 'object',
          required: ['prompt_key'],
          properties: { prompt_key: { type: 'string' } },
        },
      },
    },
  ],
} as const;

/** A chat request, as it is checked. */
export const CHAT_REQUEST_SCHEMA: JsonObject = { ...CHAT_REQUEST.schema, ...CHAT_REQUIRED };

const EMBEDDING = fieldTable('Embedding', 'One vector.', {
  index: integer('The number of the text among those that were sent, from 0.'),
});

const EMBEDDING_USAGE = fieldTable('EmbeddingsUsage', 'Tokens as the wire counts them.', {
  promptTokens: integer('Tokens of the texts.'),
  totalTokens: integer('The same: vectors have no tokens.'),
});

const EMBEDDINGS_ANSWER = fieldTable('Embeddings', 'Vectors, with the receipts.', {
  data: list(object(EMBEDDING, 'A vector.'), 'The vectors, in the order of the texts.'),
  model: text('The model that answered.'),
  usage: object(EMBEDDING_USAGE, 'The tokens of the request as the wire counts them.'),
  gwRouting: object(ROUTING, 'Which model was chosen, why, and what it cost.'),
  gwSlo: object(SLO, 'The latency that was aimed at, and the measured one.'),
  gwFirewall: object(FIREWALL, 'What the firewall found.'),
});

const RECEIPTS = ['gw_routing', 'gw_slo', 'gw_firewall'] as const;

/** Tokens of which others are a part, as providers tell them. */
const USAGE_DETAILS: JsonObject = {
  prompt_tokens_details: {
    type: ['object', 'null'],
    description: 'What the tokens of the prompt are made of.',
    properties: { cached_tokens: { type: ['integer', 'null'], description: 'From a cache.' } },
  },
  completion_tokens_details: {
    type: ['object', 'null'],
    description: 'What the tokens of the answer are made of.',
    properties: { reasoning_tokens: { type: ['integer', 'null'], description: 'Reasoning.' } },
  },
};

/** What clients of the wire rely on in the parts of an answer. */
const PARTS = {
  ChatChoice: { required: ['index', 'message'] },
  ChatChoiceDelta: { required: ['index', 'delta'] },
  ChatUsage: {
    required: ['prompt_tokens', 'completion_tokens', 'total_tokens'],
    members: USAGE_DETAILS,
  },
} as const;

/** A whole chat completion. */
export const CHAT_COMPLETION_SCHEMA = answerSchema(ANSWER, {
  ...PARTS,
  [ANSWER.name]: {
    required: ['id', 'object', 'created', 'model', 'choices', 'usage', ...RECEIPTS],
    members: { object: { type: 'string', const: 'chat.completion' } },
  },
});

/** A chunk of a stream. */
export const CHAT_CHUNK_SCHEMA = answerSchema(ANSWER_CHUNK, {
  ...PARTS,
  [ANSWER_CHUNK.name]: {
    required: ['object', 'choices'],
    members: { object: { type: 'string', const: 'chat.completion.chunk' } },
  },
});

/** An embeddings request, as it is checked. */
export const EMBEDDINGS_REQUEST_SCHEMA = EMBEDDINGS_REQUEST.schema;

/** A list of embeddings. */
export const EMBEDDINGS_SCHEMA = answerSchema(EMBEDDINGS_ANSWER, {
  [EMBEDDINGS_ANSWER.name]: {
    required: ['object', 'data', 'model', 'usage', ...RECEIPTS],
    members: { object: { type: 'string', const: 'list' } },
  },
  [EMBEDDING.name]: {
    required: ['index'],
    members: {
      object: { type: 'string', const: 'embedding' },
      embedding: {
        description: 'The vector; with `encoding_format: "base64"` its bytes as a text.',
        anyOf: [{ type: 'array', items: { type: 'number' } }, { type: 'string' }],
      },
    },
  },
  [EMBEDDING_USAGE.name]: { required: ['prompt_tokens', 'total_tokens'] },
});
