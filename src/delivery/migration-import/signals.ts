import type { UsedCapability } from '../migration/vocabulary.js';
import { type Observation, snakeOf } from './observation.js';

/** An observation in the spelling that rules compare. */
export interface Seen extends Observation {
  /** The name in words: `api_key` for `apiKey`. */
  readonly key: string;
  /** The names around it in words, innermost last. */
  readonly around: readonly string[];
  /** The literal value in lower case, empty without one. */
  readonly lower: string;
  /** The type of a node of an exported workflow, in words; undefined for all other places. */
  readonly nodeType: string | undefined;
}

/** Names of members that hold the value of the member around them. */
const INDIRECT = new Set(['value', 'default', 'cached_result_name', '_value', 'name_or_id']);

/** An observation as rules see it: the name of a wrapper gives way to the name around it. */
export function seen(observation: Observation): Seen {
  const { kind, name, path, text } = observation;
  const own = snakeOf(name);
  const around = path.slice(-AROUND_MAX).map(snakeOf);
  const key = INDIRECT.has(own) ? (around.at(-1) ?? own) : own;
  const isType = NODE_KEYS.has(key) || (key === 'name' && around.at(-1) === 'data');
  const nodeType = kind === 'pair' && isType && text !== undefined ? snakeOf(text) : undefined;
  return { ...observation, key, around, lower: (text ?? '').trim().toLowerCase(), nodeType };
}

const AROUND_MAX = 4;
const NODE_KEYS = new Set(['type', 'module', '_type', 'display_name']);

/** What shows that a client uses a capability. */
interface Signal {
  readonly capability: UsedCapability;
  /** Said of the place, in a sentence. */
  readonly says: string;
  readonly shows: (seen: Seen) => boolean;
}

const LONG_CONTEXT_TOKENS = 128_000;
const WINDOW_NAMES = new Set([
  ...['max_input_tokens', 'context_window', 'context_length', 'max_context'],
  ...['num_ctx', 'n_ctx', 'max_model_len'],
]);

function anyOf(...alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join('|'));
}

const isOn = ({ shape, lower, kind }: Seen) =>
  kind === 'pair' && (shape === 'flag' || shape === 'text') && /^(?:true|1|yes|on)$/.test(lower);
const isGiven = ({ shape, kind, lower }: Seen) =>
  kind === 'pair' && shape !== 'empty' && !/^(?:none|null|undefined|false|0|off)$/.test(lower);
const calls = (name: RegExp) => (place: Seen) => place.kind === 'call' && name.test(place.name);
const addresses = (path: RegExp) => (place: Seen) =>
  (place.kind === 'pair' || place.kind === 'text') &&
  (/^https?:\/\//.test(place.lower) || place.lower.startsWith('/v1/')) &&
  path.test(place.lower.replace(/[?#].*$/, ''));
/** Types of nodes in exported workflows. */
const isNode = (type: RegExp) => (place: Seen) => type.test(place.nodeType ?? '');

/** The signals of each capability, looked for in every kind of text. */
export const SIGNALS: readonly Signal[] = [
  {
    capability: 'chat',
    says: 'calls chat completions',
    shows: calls(/chat\.?completions|messages\.(?:create|stream)|ChatCompletion\.a?create/),
  },
  {
    capability: 'chat',
    says: 'makes a chat model',
    shows: calls(
      anyOf(
        '^(?:Chat[A-Z]\\w*|AzureChat\\w*|GigaChat\\w*|init_chat_model|initChatModel)$',
        '^(?:a?completion|(?:generate|stream)(?:Text|Object))$',
        'litellm\\.a?completion',
        '\\.responses\\.(?:create|parse|stream)',
      ),
    ),
  },
  {
    capability: 'chat',
    says: 'calls the path of chat completions',
    shows: addresses(/\/(?:chat\/completions|messages|responses)$/),
  },
  {
    capability: 'chat',
    says: 'is a node that chats',
    shows: isNode(
      anyOf(
        'lm_chat|chat_open_?_?ai|chat_(?:anthropic|model)|_chat_|language_model',
        'open_?_?ai(?:_gpt_3)?(?:_create_?completion|_model)',
        '^open_ai$',
      ),
    ),
  },
  {
    capability: 'streaming',
    says: 'asks for a stream',
    shows: (place) => isOn(place) && /(?:^|_)stream(?:ing)?$/.test(place.key),
  },
  {
    capability: 'streaming',
    says: 'reads a stream',
    shows: calls(/\.a?stream(?:_events|Events)?$|^stream(?:Text|Object)$|messages\.stream/),
  },
  {
    capability: 'tool_calls',
    says: 'gives the model tools',
    shows: (place) =>
      isGiven(place) &&
      /^(?:tools|functions|tool_choice|function_call|(?:use|enable)_tools)$/.test(place.key),
  },
  {
    capability: 'tool_calls',
    says: 'binds tools',
    shows: calls(
      anyOf(
        'bind_?[tT]ools|bind_functions|AgentExecutor|ToolNode|initialize_agent',
        'create_(?:react|tool_calling|openai_\\w+)_agent',
        'create(?:React|ToolCalling)Agent',
      ),
    ),
  },
  {
    capability: 'tool_calls',
    says: 'is a node that uses tools',
    shows: isNode(/langchain_agent|(?:^|_)tool_?(?:workflow|http|code|agent)|tool_?agent/),
  },
  {
    capability: 'json_schema',
    says: 'asks for answers by a JSON Schema',
    shows: (place) =>
      (place.kind === 'pair' && place.lower === 'json_schema') ||
      (place.kind === 'pair' && /^(?:json_schema|response_schema|output_schema)$/.test(place.key)),
  },
  {
    capability: 'json_schema',
    says: 'asks for structured answers',
    shows: calls(
      anyOf(
        'with_?[sS]tructured_?[oO]utput|StructuredOutputParser',
        '(?:completions|responses)\\.parse',
        'zod(?:Response|Text)Format',
        '^(?:generate|stream)Object$',
      ),
    ),
  },
  {
    capability: 'json_schema',
    says: 'names a class as the form of answers',
    shows: ({ kind, key, shape }) =>
      kind === 'pair' && key === 'response_format' && shape === 'other',
  },
  {
    capability: 'json_schema',
    says: 'is a node that structures answers',
    shows: isNode(/output_parser_structured|structured_output/),
  },
  {
    capability: 'json',
    says: 'asks for JSON objects',
    shows: (place) => place.kind === 'pair' && /^json_(?:object|mode)$/.test(place.lower),
  },
  {
    capability: 'json',
    says: 'asks for JSON objects',
    shows: (place) => isOn(place) && /^json_(?:mode|output)$/.test(place.key),
  },
  {
    capability: 'embeddings',
    says: 'makes embeddings',
    shows: calls(
      /embeddings\.create|Embedding\.create|\w*Embeddings?$|a?embedding$|embedMany|^embed$/,
    ),
  },
  {
    capability: 'embeddings',
    says: 'calls the path of embeddings',
    shows: addresses(/\/embeddings$/),
  },
  {
    capability: 'embeddings',
    says: 'names a model of embeddings',
    shows: ({ key, lower, kind }) =>
      kind !== 'call' &&
      (/^(?:openai\/|azure\/)?text-embedding-|(?:^|[/-])(?:bge|e5)-/.test(lower) ||
        (/embed/.test(key) && /model/.test(key) && lower !== '')),
  },
  {
    capability: 'embeddings',
    says: 'is a node of embeddings',
    shows: isNode(/embeddings?_open_?_?ai|open_?_?ai_?embeddings|(?:^|_)embeddings_/),
  },
  {
    capability: 'vision',
    says: 'sends images',
    shows: ({ kind, key, lower }) =>
      (kind === 'pair' && /^(?:image_url|input_image)$/.test(key)) ||
      (kind !== 'call' && /^(?:image_url|input_image|gpt-4-vision.*)$/.test(lower)),
  },
  {
    capability: 'vision',
    says: 'lets images be uploaded',
    shows: (place) =>
      isOn(place) && /allow_image_uploads|enable_vision|supports_vision/.test(place.key),
  },
  {
    capability: 'audio',
    says: 'works with audio',
    shows: calls(/audio\.(?:transcriptions|translations|speech)|Whisper/),
  },
  {
    capability: 'audio',
    says: 'sends or asks for audio',
    shows: ({ kind, lower }) =>
      kind !== 'call' &&
      /^(?:openai\/)?(?:input_audio|whisper-1|tts-1.*|gpt-4o.*-audio.*)$/.test(lower),
  },
  { capability: 'audio', says: 'calls a path of audio', shows: addresses(/\/audio\/\w+$/) },
  {
    capability: 'batch',
    says: 'makes batches',
    shows: calls(/\.batches\.(?:create|retrieve|list)|messages\.batches/),
  },
  { capability: 'batch', says: 'calls the path of batches', shows: addresses(/\/batches$/) },
  {
    capability: 'long_context',
    says: 'names a model with a long context',
    shows: ({ kind, lower, key }) =>
      kind !== 'call' &&
      /model/.test(key) &&
      /-(?:128|200|256|512|1000)k\b|-1m\b|:extended$|-long\b/.test(lower),
  },
  {
    capability: 'long_context',
    says: 'counts on a long context',
    shows: ({ shape, key, lower }) =>
      (shape === 'number' || shape === 'text') &&
      WINDOW_NAMES.has(key) &&
      Number(lower.replaceAll('_', '')) >= LONG_CONTEXT_TOKENS,
  },
];

/** What the gateway does not serve at all, by what shows it. */
export const UNSERVED: readonly { readonly what: string; readonly shows: (s: Seen) => boolean }[] =
  [
    {
      what: 'The Responses API is not served; use chat completions of the same client.',
      shows: (place) =>
        calls(/\.responses\.(?:create|parse|stream)/)(place) || addresses(/\/responses$/)(place),
    },
    {
      what: 'Making images is not served; keep your provider for it.',
      shows: (place) =>
        calls(/images\.(?:generate|edit)/)(place) || addresses(/\/images\/\w+$/)(place),
    },
    {
      what: 'Assistants, threads and their files are not served; keep state in your own service.',
      shows: (place) =>
        calls(/beta\.(?:assistants|threads)/)(place) || isNode(/openai_assistant/)(place),
    },
    {
      what: 'Fine-tuning is not served; keep your provider for it.',
      shows: calls(/fine_?[tT]uning\./),
    },
    {
      what: 'Moderations are not served; the firewall of a policy inspects requests and answers.',
      shows: calls(/moderations\.create/),
    },
  ];
