import type { SourceProvider } from '../migration/vocabulary.js';

/** By what a provider is recognised. */
export interface ProviderSigns {
  readonly code: SourceProvider;
  /** Hosts that it serves at, subdomains included. */
  readonly hosts: readonly string[];
  /** How names of its environment variables and credentials begin, in words: `open_router`. */
  readonly names: RegExp;
  /** Modules, classes and node types that call it, in words. */
  readonly modules: RegExp;
  /** Models that only it makes. */
  readonly models?: RegExp;
  /** The prefix that routers put before its models: `openai/gpt-4o`. */
  readonly prefixes: readonly string[];
  /** Why another address and key are not enough; absent where they are. */
  readonly caution?: string;
}

/** The providers that are recognised; of equal evidence, the earlier one wins. */
export const PROVIDER_SIGNS: readonly ProviderSigns[] = [
  {
    code: 'openrouter',
    hosts: ['openrouter.ai'],
    names: /^(?:open_?router|or_(?:api_)?key)/,
    modules: /open_?router/,
    prefixes: ['openrouter'],
  },
  {
    code: 'azure_openai',
    hosts: ['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com'],
    names: /^azure(?:_?open_?ai|_api|_ai)/,
    modules: /azure_?(?:chat_?)?_?open_?ai|azure_ai_inference/,
    prefixes: ['azure', 'azure_ai'],
    caution:
      'An Azure client builds addresses of its own and sends the key in another header: use the ' +
      'plain client of the same library (OpenAI, ChatOpenAI).',
  },
  {
    code: 'anthropic',
    hosts: ['anthropic.com'],
    names: /^(?:anthropic|claude)/,
    modules: /anthropic|claude/,
    models: /^claude-/,
    prefixes: ['anthropic'],
    caution:
      'The provider has a message format of its own: requests must be rewritten for the ' +
      'chat-completions wire, not only sent to another address.',
  },
  {
    code: 'gigachat',
    hosts: ['gigachat.devices.sberbank.ru', 'ngw.devices.sberbank.ru', 'gigachat.ru'],
    names: /^(?:giga_?chat|sber)/,
    modules: /giga_?chat/,
    models: /^gigachat/i,
    prefixes: ['gigachat', 'sber'],
    caution:
      'A GigaChat client exchanges its credentials for tokens: use a client of the ' +
      'chat-completions wire (OpenAI, ChatOpenAI).',
  },
  {
    code: 'yandex',
    hosts: ['yandex.net', 'yandexcloud.net'],
    names: /^(?:yandex|yc)_/,
    modules: /yandex|yandex_?gpt/,
    models: /^(?:yandexgpt|gpt:\/\/|emb:\/\/)/i,
    prefixes: ['yandex'],
  },
  {
    code: 'vllm',
    hosts: [],
    names: /^vllm/,
    modules: /vllm/,
    prefixes: ['hosted_vllm', 'vllm'],
  },
  {
    code: 'litellm',
    hosts: [],
    names: /^lite_?llm_(?:api|base|proxy|master|virtual|url|key|host)/,
    modules: /lite_?llm/,
    prefixes: ['litellm_proxy'],
  },
  {
    code: 'other',
    hosts: [
      ...['googleapis.com', 'deepseek.com', 'mistral.ai', 'groq.com', 'together.xyz', 'x.ai'],
      ...['fireworks.ai', 'cohere.com', 'cohere.ai', 'perplexity.ai', 'amazonaws.com'],
      ...['vsegpt.ru', 'proxyapi.ru', 'bothub.chat', 'cloud.ru'],
    ],
    names:
      /^(?:google|gemini|deep_?seek|mistral|groq|together|xai|fireworks|cohere|perplexity|ollama)_/,
    modules:
      /^(?:.*_)?(?:google_(?:generativeai|genai)|gemini|deep_?seek|mistral|groq|together|cohere)/,
    models: /^(?:gemini-|deepseek-|mistral-|mixtral|llama-?\d|qwen|command-r|grok-|sonar)/,
    prefixes: ['gemini', 'deepseek', 'mistral', 'groq', 'together_ai', 'bedrock', 'ollama', 'xai'],
  },
  {
    code: 'openai',
    hosts: ['openai.com'],
    names: /^(?:open_?ai|gpt_)/,
    modules: /open_?ai/,
    models: /^(?:gpt-\d|chatgpt|o[134](?:-|$)|text-embedding-|whisper-|tts-|dall-e|ft:gpt)/,
    prefixes: ['openai', 'text-completion-openai'],
  },
];

/** The provider that serves at a host, or undefined for hosts of the customer's own. */
export function providerOfHost(host: string): ProviderSigns | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  return PROVIDER_SIGNS.find(({ hosts }) =>
    hosts.some((known) => name === known || name.endsWith(`.${known}`)),
  );
}

/** The part of a host that names its provider; undefined for hosts of the customer's own. */
export function suffixOfHost(host: string): string | undefined {
  const name = host.toLowerCase();
  const hosts = providerOfHost(name)?.hosts ?? [];
  return hosts.find((known) => name === known || name.endsWith(`.${known}`));
}

/** The provider that a router's prefix or the name of a model means. */
export function providerOfModel(model: string): ProviderSigns | undefined {
  const [prefix = '', ...rest] = model.toLowerCase().split('/');
  const byPrefix =
    rest.length > 0 ? PROVIDER_SIGNS.find(({ prefixes }) => prefixes.includes(prefix)) : undefined;
  const name = rest.at(-1) ?? prefix;
  return byPrefix ?? PROVIDER_SIGNS.find(({ models }) => models?.test(name) ?? false);
}

const MODEL_NAME = new RegExp(
  [
    '^(?:[\\w.-]{1,40}/){0,3}(?:',
    'gpt-\\d|chatgpt-|o[134](?:-mini|-preview|-pro)?(?:-|$)|text-embedding-|whisper-|tts-1|dall-e|',
    'claude-|gemini-|deepseek-|mistral-|mixtral|llama-?\\d|qwen|command-r|grok-|sonar|',
    'gigachat(?:-|$)|yandexgpt(?:-|/|$)|bge-|e5-|multilingual-e5',
    ')[\\w.:-]{0,80}$',
  ].join(''),
  'i',
);

/** True for texts that are the name of a well-known model wherever they stand. */
export function isModelName(text: string): boolean {
  return text.length <= 160 && MODEL_NAME.test(text);
}
