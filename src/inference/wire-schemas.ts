/** The receipts, as members of an answer. Only what the gateway reads or adds is spelled here. */
const RECEIPTS = {
  gw_routing: { type: 'object', description: 'Which model was chosen, why, and what it cost.' },
  gw_slo: { type: 'object', description: 'Target and measured latency.' },
  gw_firewall: { type: 'object', description: 'What the firewall found and masked, by class.' },
} as const;

const METADATA = {
  type: 'object',
  description: 'Reports group by feature, environment and client_id.',
  properties: {
    feature: { type: 'string' },
    environment: { type: 'string' },
    client_id: { type: 'string' },
  },
  additionalProperties: true,
} as const;

/** A chat request. */
export const CHAT_REQUEST_SCHEMA = {
  type: 'object',
  required: ['model', 'messages'],
  additionalProperties: true,
  properties: {
    model: { type: 'string', description: 'A model id or gw:auto.' },
    messages: {
      type: 'array',
      minItems: 1,
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
