import { type CatalogueModel, type CatalogueProvider, listPrice } from './catalogue-entry.js';
import type { Capability } from './vocabulary.js';

/**
 * The Russian market as known on 2026-11-01: who serves which models by which route at which
 * price, RUB per million tokens. A new price is a new row; a row is never changed. `primary` rows
 * were read in the vendor's own documents, `secondary` ones in a third party's copy. Capabilities
 * and tiers are declared, not measured; a window that no document states is set low on purpose.
 */
const CHAT: readonly Capability[] = ['text', 'json', 'streaming'];
const TOOLS: readonly Capability[] = [...CHAT, 'tools'];
const LONG: readonly Capability[] = [...TOOLS, 'long_context'];

/** What most models of the list have in common; a row states where it differs. */
const COMMON = {
  operation: 'chat',
  capabilities: TOOLS,
  contextWindow: 32_768,
  maxOutputTokens: 8_192,
  quality: 'good',
  russianQuality: 'good',
  latency: 'medium',
} as const satisfies Partial<CatalogueModel>;

const EMBEDDINGS = {
  ...COMMON,
  operation: 'embeddings',
  capabilities: ['text', 'embeddings'],
  contextWindow: 4_096,
  maxOutputTokens: 0,
} as const satisfies Partial<CatalogueModel>;

const SBER_FROM = '2026-02-01';

const SBER: CatalogueProvider = {
  id: 'sber',
  name: 'Sber GigaChat API',
  operator: 'ПАО Сбербанк',
  protocol: 'native',
  jurisdiction: 'rf',
  homepage: 'https://developers.sber.ru/portal/products/gigachat-api',
  roadmap: 'The native adapter (own login, `functions` format) is on the roadmap.',
  models: [
    {
      ...COMMON,
      id: 'sber/gigachat-2-lite',
      name: 'GigaChat 2 Lite',
      upstreamName: 'GigaChat-2',
      contextWindow: 131_072,
      capabilities: LONG,
      russianQuality: 'good',
      latency: 'fast',
      prices: [listPrice(SBER_FROM, { input: 6_500, output: 6_500 }, 'secondary')],
    },
    {
      ...COMMON,
      id: 'sber/gigachat-2-pro',
      name: 'GigaChat 2 Pro',
      upstreamName: 'GigaChat-2-Pro',
      contextWindow: 131_072,
      capabilities: [...LONG, 'vision'],
      russianQuality: 'high',
      prices: [listPrice(SBER_FROM, { input: 50_000, output: 50_000 }, 'secondary')],
    },
    {
      ...COMMON,
      id: 'sber/gigachat-2-max',
      name: 'GigaChat 2 Max',
      upstreamName: 'GigaChat-2-Max',
      contextWindow: 131_072,
      capabilities: [...LONG, 'vision'],
      quality: 'high',
      russianQuality: 'high',
      prices: [listPrice(SBER_FROM, { input: 65_000, output: 65_000 }, 'secondary')],
    },
    {
      ...EMBEDDINGS,
      id: 'sber/gigachat-embeddings',
      name: 'GigaChat Embeddings',
      upstreamName: 'Embeddings',
      contextWindow: 512,
      prices: [listPrice(SBER_FROM, { input: 1_400 }, 'secondary')],
    },
  ],
};

/** The day on which the prices of the list were read, where the vendor dates none. */
const READ_ON = '2026-09-28';

const YANDEX: CatalogueProvider = {
  id: 'yandex',
  name: 'Yandex AI Studio',
  operator: 'ООО «Яндекс.Облако»',
  protocol: 'chat_completions',
  jurisdiction: 'rf',
  homepage: 'https://yandex.cloud/ru/services/ai-studio',
  baseUrl: 'https://llm.api.cloud.yandex.net/v1',
  baseUrlEnv: 'YANDEX_BASE_URL',
  apiKeyEnv: 'YANDEX_API_KEY',
  requiredEnv: ['YANDEX_FOLDER_ID'],
  models: [
    yandex('alice-ai-llm', 'Alice AI LLM', 50_000, 120_000, { russianQuality: 'high' }),
    yandex('yandexgpt-pro-5.1', 'YandexGPT Pro 5.1', 80_000, 80_000, {
      upstreamName: 'gpt://{YANDEX_FOLDER_ID}/yandexgpt/rc',
      russianQuality: 'high',
    }),
    yandex('yandexgpt-pro-5', 'YandexGPT Pro 5', 120_000, 120_000, {
      upstreamName: 'gpt://{YANDEX_FOLDER_ID}/yandexgpt/latest',
      russianQuality: 'high',
    }),
    yandex('yandexgpt-lite', 'YandexGPT Lite', 20_000, 20_000, { latency: 'fast' }),
    yandex('qwen3-235b', 'Qwen3 235B', 50_000, 50_000, {
      upstreamName: 'gpt://{YANDEX_FOLDER_ID}/qwen3-235b-a22b-fp8/latest',
      capabilities: [...LONG, 'reasoning'],
      contextWindow: 262_144,
      quality: 'high',
    }),
    yandex('gpt-oss-120b', 'gpt-oss-120b', 30_000, 30_000, {
      capabilities: [...LONG, 'reasoning'],
      contextWindow: 131_072,
      fallbacks: ['cloudru/gpt-oss-120b'],
    }),
    yandex('gpt-oss-20b', 'gpt-oss-20b', 10_000, 10_000, {
      capabilities: [...LONG, 'reasoning'],
      contextWindow: 131_072,
      latency: 'fast',
    }),
  ],
};

const CLOUDRU: CatalogueProvider = {
  id: 'cloudru',
  name: 'Cloud.ru Evolution Foundation Models',
  operator: 'ООО «Облачные технологии»',
  protocol: 'chat_completions',
  jurisdiction: 'rf',
  homepage: 'https://cloud.ru/products/evolution-foundation-models',
  baseUrl: 'https://foundation-models.api.cloud.ru/v1',
  baseUrlEnv: 'CLOUDRU_BASE_URL',
  apiKeyEnv: 'CLOUDRU_API_KEY',
  models: [
    cloudRu('deepseek-v4-pro', 'deepseek-ai/DeepSeek-V4-Pro', 18_300, 73_200, {
      capabilities: [...LONG, 'reasoning'],
      contextWindow: 1_000_000,
      quality: 'high',
    }),
    cloudRu('kimi-k2.6', 'moonshotai/Kimi-K2.6', 17_568, 72_590, {
      capabilities: [...TOOLS, 'vision'],
      quality: 'high',
    }),
    cloudRu('glm-5.1', 'zai-org/GLM-5.1', 19_886, 82_960, { quality: 'high' }),
    cloudRu('qwen3-coder-next', 'Qwen/Qwen3-Coder-Next', 12_200, 24_400, {}),
    cloudRu('qwen3.6-35b-a3b', 'Qwen/Qwen3.6-35B-A3B', 21_960, 32_940, {}),
    cloudRu('gpt-oss-120b', 'openai/gpt-oss-120b', 1_586, 6_100, {
      capabilities: [...LONG, 'reasoning'],
      contextWindow: 131_072,
      fallbacks: ['yandex/gpt-oss-120b'],
    }),
    cloudRu('gigachat3.5-432b', 'ai-sage/GigaChat3.5-432B-A28B', 9_622, 28_860, {
      quality: 'high',
      russianQuality: 'high',
    }),
    {
      ...COMMON,
      id: 'cloudru/t-pro-it-2.1',
      name: 'T-pro-it-2.1',
      upstreamName: 't-tech/T-pro-it-2.1',
      russianQuality: 'high',
      prices: [listPrice(READ_ON, { input: 3_500, output: 7_000 }, 'secondary', 'unknown')],
    },
    // The same vendor, address and key, but these two routes take the data out of Russia.
    cloudRu('external/deepseek-v4-flash', 'deepseek-ai/DeepSeek-V4-Flash', 4_330, 8_658, {
      jurisdiction: 'outside',
      operator: 'foreign operator behind Cloud.ru «external»',
      latency: 'fast',
    }),
    cloudRu('external/glm-5.2', 'zai-org/GLM-5.2', 17_315, 60_605, {
      jurisdiction: 'outside',
      operator: 'foreign operator behind Cloud.ru «external»',
      quality: 'high',
    }),
  ],
};

const DEEPSEEK: CatalogueProvider = {
  id: 'deepseek',
  name: 'DeepSeek API',
  operator: 'DeepSeek',
  protocol: 'chat_completions',
  jurisdiction: 'outside',
  homepage: 'https://api-docs.deepseek.com',
  baseUrl: 'https://api.deepseek.com/v1',
  baseUrlEnv: 'DEEPSEEK_BASE_URL',
  apiKeyEnv: 'DEEPSEEK_API_KEY',
  models: [],
};

const SELF_HOSTED: CatalogueProvider = {
  id: 'vllm',
  name: 'Self-hosted vLLM',
  operator: 'the customer',
  protocol: 'chat_completions',
  jurisdiction: 'rf',
  homepage: 'https://docs.vllm.ai',
  baseUrlEnv: 'VLLM_BASE_URL',
  models: [],
};

/** The built-in providers in the order in which they are listed. */
export const CATALOGUE: readonly CatalogueProvider[] = [
  SBER,
  YANDEX,
  CLOUDRU,
  DEEPSEEK,
  SELF_HOSTED,
];

function yandex(
  slug: string,
  name: string,
  input: number,
  output: number,
  more: Partial<CatalogueModel>,
): CatalogueModel {
  return {
    ...COMMON,
    id: `yandex/${slug}`,
    name,
    upstreamName: `gpt://{YANDEX_FOLDER_ID}/${slug}/latest`,
    prices: [listPrice(READ_ON, { input, output }, 'primary')],
    ...more,
  };
}

function cloudRu(
  slug: string,
  upstreamName: string,
  input: number,
  output: number,
  more: Partial<CatalogueModel>,
): CatalogueModel {
  return {
    ...COMMON,
    id: `cloudru/${slug}`,
    name: upstreamName.slice(upstreamName.indexOf('/') + 1),
    upstreamName,
    prices: [listPrice(READ_ON, { input, output }, 'secondary')],
    ...more,
  };
}
