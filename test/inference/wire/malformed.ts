/** A body that the wire does not allow, and the fields that must be named for it. */
export interface Malformed {
  readonly name: string;
  readonly body: Record<string, unknown>;
  readonly faults: readonly string[];
}

const HELLO = { role: 'user', content: 'Hello' };
const CALL = { id: 'call-1', type: 'function', function: { name: 'f', arguments: '{}' } };

function chat(more: Record<string, unknown>, ...faults: string[]): Omit<Malformed, 'name'> {
  return { body: { model: 'main/chat', messages: [HELLO], ...more }, faults };
}

function saying(message: unknown, ...faults: string[]): Omit<Malformed, 'name'> {
  return { body: { model: 'main/chat', messages: [HELLO, message] }, faults };
}

function parts(content: unknown[], ...faults: string[]): Omit<Malformed, 'name'> {
  return saying({ role: 'user', content }, ...faults);
}

const TABLE: Readonly<Record<string, Omit<Malformed, 'name'>>> = {
  'no model': chat({ model: undefined }, 'model'),
  'an empty model': chat({ model: '' }, 'model'),
  'a model that is a number': chat({ model: 5 }, 'model'),
  'no messages': chat({ messages: undefined }, 'messages'),
  'messages that are a text': chat({ messages: 'Hello' }, 'messages'),
  'messages that are empty': chat({ messages: [] }, 'messages'),
  'a message that is a text': saying('Hello', 'messages.1'),
  'a message that is null': saying(null, 'messages.1'),
  'a message without a role': saying({ content: 'Hello' }, 'messages.1.role'),
  'a role that nobody has': saying({ role: 'robot', content: 'a' }, 'messages.1.role'),
  'a role that is a number': saying({ role: 1, content: 'a' }, 'messages.1.role'),
  'a user who says nothing': saying({ role: 'user' }, 'messages.1.content'),
  'a user who says null': saying({ role: 'user', content: null }, 'messages.1.content'),
  'a system message that is a number': saying({ role: 'system', content: 5 }, 'messages.1.content'),
  'a developer message that is an object': saying(
    { role: 'developer', content: { text: 'a' } },
    'messages.1.content',
  ),
  'a name that is a number': saying({ ...HELLO, name: 5 }, 'messages.1.name'),
  'an assistant who does nothing': saying({ role: 'assistant' }, 'messages.1'),
  'a refusal that is a number': saying(
    { role: 'assistant', content: 'a', refusal: 5 },
    'messages.1.refusal',
  ),
  'tool calls that are an object': saying(
    { role: 'assistant', tool_calls: CALL },
    'messages.1.tool_calls',
  ),
  'a tool call without an id': saying(
    { role: 'assistant', tool_calls: [{ ...CALL, id: undefined }] },
    'messages.1.tool_calls.0.id',
  ),
  'a tool call without a function': saying(
    { role: 'assistant', tool_calls: [{ id: 'a', type: 'function' }] },
    'messages.1.tool_calls.0.function',
  ),
  'a tool call without a type': saying(
    { role: 'assistant', tool_calls: [{ ...CALL, type: undefined }] },
    'messages.1.tool_calls.0.type',
  ),
  'arguments that are an object': saying(
    { role: 'assistant', tool_calls: [{ ...CALL, function: { name: 'f', arguments: {} } }] },
    'messages.1.tool_calls.0.function.arguments',
  ),
  'a tool message without tool_call_id': saying(
    { role: 'tool', content: 'a' },
    'messages.1.tool_call_id',
  ),
  'a tool message without content': saying(
    { role: 'tool', tool_call_id: 'call-1' },
    'messages.1.content',
  ),
  'a function message without a name': saying(
    { role: 'function', content: 'a' },
    'messages.1.name',
  ),
  'a content without parts': parts([], 'messages.1.content'),
  'a content of null': parts([null], 'messages.1.content.0'),
  'a content of texts': parts(['Hello'], 'messages.1.content.0'),
  'a part without a type': parts([{ text: 'a' }], 'messages.1.content.0.type'),
  'a text part without a text': parts([{ type: 'text' }], 'messages.1.content.0.text'),
  'a text part with a number': parts([{ type: 'text', text: 5 }], 'messages.1.content.0.text'),
  'an image part that is an address': parts(
    [{ type: 'image_url', image_url: 'https://pictures.test/1.png' }],
    'messages.1.content.0.image_url',
  ),
  'an image without an address': parts(
    [{ type: 'image_url', image_url: {} }],
    'messages.1.content.0.image_url.url',
  ),
  'an image of an unknown detail': parts(
    [{ type: 'image_url', image_url: { url: 'https://p.test/1.png', detail: 'best' } }],
    'messages.1.content.0.image_url.detail',
  ),
  'sound without a format': parts(
    [{ type: 'input_audio', input_audio: { data: 'QUJD' } }],
    'messages.1.content.0.input_audio.format',
  ),
  'a file without anything in it': parts(
    [{ type: 'file', file: { filename: 'a.pdf' } }],
    'messages.1.content.0.file',
  ),
  'tools that are texts': chat({ tools: ['a'] }, 'tools.0'),
  'tools that are an object': chat({ tools: {} }, 'tools'),
  'a tool without a type': chat({ tools: [{ function: { name: 'f' } }] }, 'tools.0.type'),
  'a tool without a function': chat({ tools: [{ type: 'function' }] }, 'tools.0.function'),
  'a tool without a name': chat(
    { tools: [{ type: 'function', function: {} }] },
    'tools.0.function.name',
  ),
  'parameters that are a text': chat(
    { tools: [{ type: 'function', function: { name: 'f', parameters: 'x' } }] },
    'tools.0.function.parameters',
  ),
  'a custom tool without a name': chat(
    { tools: [{ type: 'custom', custom: {} }] },
    'tools.0.custom.name',
  ),
  'an unknown tool choice': chat({ tool_choice: 'perhaps' }, 'tool_choice'),
  'a tool choice that is a number': chat({ tool_choice: 5 }, 'tool_choice'),
  'a named choice without a name': chat(
    { tool_choice: { type: 'function', function: {} } },
    'tool_choice.function.name',
  ),
  'parallel calls in words': chat({ parallel_tool_calls: 'yes' }, 'parallel_tool_calls'),
  'a format that is a text': chat({ response_format: 'json' }, 'response_format'),
  'a format of an unknown type': chat({ response_format: { type: 'xml' } }, 'response_format.type'),
  'a schema format without json_schema': chat(
    { response_format: { type: 'json_schema' } },
    'response_format.json_schema',
  ),
  'a json_schema without a schema': chat(
    { response_format: { type: 'json_schema', json_schema: { name: 'a' } } },
    'response_format.json_schema.schema',
  ),
  'a json_schema without a name': chat(
    { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
    'response_format.json_schema.name',
  ),
  'a seed that is a text': chat({ seed: 'a' }, 'seed'),
  'a seed that is no whole number': chat({ seed: 1.5 }, 'seed'),
  'a stop that is a number': chat({ stop: 5 }, 'stop'),
  'stops that are numbers': chat({ stop: [5] }, 'stop.0'),
  'too many stops': chat({ stop: Array.from({ length: 17 }, () => 'a') }, 'stop'),
  'a bias that is a list': chat({ logit_bias: [1] }, 'logit_bias'),
  'a bias beyond its bounds': chat({ logit_bias: { 50256: 101 } }, 'logit_bias.50256'),
  'logprobs that are a number': chat({ logprobs: 5 }, 'logprobs'),
  'too many top_logprobs': chat({ top_logprobs: 21 }, 'top_logprobs'),
  'no choices': chat({ n: 0 }, 'n'),
  'choices in words': chat({ n: 'two' }, 'n'),
  'a temperature beyond its bounds': chat({ temperature: 2.1 }, 'temperature'),
  'a temperature in words': chat({ temperature: 'hot' }, 'temperature'),
  'a share beyond 1': chat({ top_p: 1.1 }, 'top_p'),
  'penalties beyond their bounds': chat(
    { presence_penalty: 3, frequency_penalty: '1' },
    'presence_penalty',
    'frequency_penalty',
  ),
  'limits of nothing': chat(
    { max_tokens: 0, max_completion_tokens: 1.5 },
    'max_tokens',
    'max_completion_tokens',
  ),
  'modalities that are a text': chat({ modalities: 'text' }, 'modalities'),
  'speech without a voice': chat({ audio: { format: 'mp3' } }, 'audio.voice'),
  'a prediction without a content': chat({ prediction: { type: 'content' } }, 'prediction.content'),
  'an effort that is a number': chat({ reasoning_effort: 5 }, 'reasoning_effort'),
  'a tier that is an object': chat({ service_tier: {} }, 'service_tier'),
  'store in words': chat({ store: 'yes' }, 'store'),
  'a user who is a number': chat({ user: 5 }, 'user'),
  'a verbosity that is a number': chat({ verbosity: 5 }, 'verbosity'),
  'stream options that are a flag': chat({ stream_options: true }, 'stream_options'),
  'usage in words': chat(
    { stream_options: { include_usage: 'yes' } },
    'stream_options.include_usage',
  ),
  'metadata that are a text': chat({ metadata: 'a' }, 'metadata'),
  'metadata that are a list': chat({ metadata: ['a'] }, 'metadata'),
  'a feature that is a number': chat({ metadata: { feature: 5 } }, 'metadata.feature'),
  'labels of wrong types': chat(
    { metadata: { environment: true, client_id: { id: 1 } } },
    'metadata.environment',
    'metadata.client_id',
  ),
  'sessions that are no texts': chat(
    { metadata: { session_id: 7, agent_session: ['a'] } },
    'metadata.session_id',
    'metadata.agent_session',
  ),
  'a label that is too long': chat({ metadata: { feature: 'a'.repeat(513) } }, 'metadata.feature'),
  'blocks in words': chat({ gw_context: 'please' }, 'gw_context'),
  'no blocks': chat({ gw_context: { blocks: [] } }, 'gw_context.blocks'),
  'a block without a priority': chat(
    { gw_context: { blocks: [{ id: 'a', text: 'b' }] } },
    'gw_context.blocks.0.priority',
  ),
  'blocks at an unknown place': chat(
    { gw_context: { blocks: [{ id: 'a', text: 'b', priority: 'MUST' }], position: 'middle' } },
    'gw_context.position',
  ),
  'a wait in words': chat({ gw_approval: 'please' }, 'gw_approval'),
  'a search of an unknown size': chat(
    { web_search_options: { search_context_size: 'huge' } },
    'web_search_options.search_context_size',
  ),
  'older functions without a name': chat({ functions: [{}] }, 'functions.0.name'),
};

/** Chat bodies that are refused, each with every field that is at fault. */
export const MALFORMED_CHATS: readonly Malformed[] = Object.entries(TABLE).map(
  ([name, { body, faults }]) => ({ name, body: plain(body), faults }),
);

/** As it is on the wire: what is undefined is not there. */
function plain(body: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
}

/** Embeddings bodies that are refused. */
export const MALFORMED_EMBEDDINGS: readonly Malformed[] = [
  { name: 'no model', body: { input: 'a' }, faults: ['model'] },
  { name: 'no input', body: { model: 'main/embed' }, faults: ['input'] },
  { name: 'an empty input', body: { model: 'main/embed', input: '' }, faults: ['input'] },
  { name: 'a list of nothing', body: { model: 'main/embed', input: [] }, faults: ['input'] },
  { name: 'a number', body: { model: 'main/embed', input: 5 }, faults: ['input'] },
  { name: 'an empty text', body: { model: 'main/embed', input: ['a', ''] }, faults: ['input.1'] },
  {
    name: 'texts and numbers',
    body: { model: 'main/embed', input: ['a', 1] },
    faults: ['input.1'],
  },
  { name: 'half a token', body: { model: 'main/embed', input: [1, 2.5] }, faults: ['input.1'] },
  { name: 'no tokens', body: { model: 'main/embed', input: [[1], []] }, faults: ['input.1'] },
  {
    name: 'a format, a size and labels of wrong types',
    body: {
      model: 'main/embed',
      input: 'a',
      encoding_format: 'hex',
      dimensions: 0,
      metadata: { feature: 5 },
    },
    faults: ['encoding_format', 'dimensions', 'metadata.feature'],
  },
];
