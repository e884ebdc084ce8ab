import { type CatalogueProvider, listPrice } from './catalogue-entry.js';

/** The sandbox counts images by the published rule of tiles: one of 1,024 pixels a side, or low. */
const SANDBOX_IMAGE_TOKENS = { high: 765, low: 85 } as const;

const FROM = '2026-01-01';

/**
 * The built-in provider. It answers in process, deterministically, and says everywhere that it is
 * simulated. Its prices are small and not zero, so that billing can be seen to work.
 */
export const SANDBOX_PROVIDER: CatalogueProvider = {
  id: 'sandbox',
  name: 'Sandbox (simulated)',
  operator: 'this server',
  protocol: 'in_process',
  jurisdiction: 'rf',
  homepage: '',
  // Nothing leaves the process, and the faults that a request wishes for stand in its metadata.
  forwardMetadata: true,
  models: [
    {
      id: 'sandbox/gw-mini',
      name: 'Sandbox Mini (simulated)',
      upstreamName: 'gw-mini',
      operation: 'chat',
      capabilities: ['text', 'tools', 'json', 'json_schema', 'streaming'],
      contextWindow: 32_768,
      maxOutputTokens: 4_096,
      quality: 'basic',
      russianQuality: 'basic',
      latency: 'fast',
      prices: [listPrice(FROM, { input: 1_000, output: 2_000 }, 'operator')],
      fallbacks: ['sandbox/gw-pro'],
    },
    {
      id: 'sandbox/gw-pro',
      name: 'Sandbox Pro (simulated)',
      upstreamName: 'gw-pro',
      operation: 'chat',
      capabilities: [
        'text',
        'vision',
        'tools',
        'json',
        'json_schema',
        'streaming',
        'reasoning',
        'long_context',
      ],
      contextWindow: 1_048_576,
      maxOutputTokens: 16_384,
      imageTokensMax: SANDBOX_IMAGE_TOKENS.high,
      imageTokensLowMax: SANDBOX_IMAGE_TOKENS.low,
      quality: 'high',
      russianQuality: 'high',
      latency: 'medium',
      prices: [
        {
          effectiveFrom: FROM,
          microRubPerMillion: {
            input_uncached: 40_000_000n,
            input_cached: 10_000_000n,
            cache_write: 40_000_000n,
            output_text: 120_000_000n,
            output_reasoning: 100_000_000n,
          },
          sourceKind: 'operator',
          vatBasis: 'included',
        },
      ],
    },
    {
      id: 'sandbox/gw-embed',
      name: 'Sandbox Embeddings (simulated)',
      upstreamName: 'gw-embed',
      operation: 'embeddings',
      capabilities: ['text', 'embeddings'],
      contextWindow: 8_192,
      maxOutputTokens: 0,
      quality: 'basic',
      russianQuality: 'basic',
      latency: 'fast',
      prices: [listPrice(FROM, { input: 500 }, 'operator')],
    },
  ],
};
