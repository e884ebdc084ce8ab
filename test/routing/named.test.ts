import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CatalogueProvider } from '../../src/catalog/providers/catalogue-entry.js';
import type { ModelFacts } from '../../src/catalog/providers/model.js';
import { priceOn, upperEstimate } from '../../src/catalog/providers/price.js';
import { buildRegistry } from '../../src/catalog/providers/registry.js';
import type { Capability, Jurisdiction } from '../../src/catalog/providers/vocabulary.js';
import { chainOf, judgeNamed, type RouteQuestion } from '../../src/routing/named.js';

const CONFIG = {
  GW_SANDBOX: false,
  GW_PROVIDERS_FILE: undefined,
  GW_FIRST_BYTE_TIMEOUT_MS: 30_000,
  GW_CHUNK_GAP_TIMEOUT_MS: 30_000,
};
const DAY = '2026-06-01';
const NEEDS: readonly Capability[] = ['tools', 'json', 'vision', 'streaming'];
const IDS = ['m/a', 'm/b', 'm/c', 'm/d'];

/** A model of one provider, drawn small so that clashes and ties are frequent. */
interface Draft {
  readonly id: string;
  readonly capabilities: readonly Capability[];
  readonly window: number;
  readonly rub: number;
  readonly from: string;
  readonly jurisdiction: Jurisdiction;
  readonly fallback: string;
}

const draft: fc.Arbitrary<Draft> = fc.record({
  id: fc.constantFrom(...IDS),
  capabilities: fc.subarray([...NEEDS]),
  window: fc.constantFrom(100, 10_000),
  rub: fc.integer({ min: 1, max: 4 }),
  from: fc.constantFrom('2026-01-01', '2027-01-01'),
  jurisdiction: fc.constantFrom('rf', 'outside'),
  fallback: fc.constantFrom(...IDS),
});

/** Providers of one model each: two that share a model id are two deployments of it. */
const providers = fc.array(draft, { minLength: 1, maxLength: 6 });

function entry(model: Draft, index: number, ids: ReadonlySet<string>): CatalogueProvider {
  const micro = BigInt(model.rub) * 1_000_000n;
  const fallbacks = ids.has(model.fallback) && model.fallback !== model.id ? [model.fallback] : [];
  return {
    id: `p${index}`,
    name: `Provider ${index}`,
    operator: 'someone',
    protocol: 'chat_completions',
    jurisdiction: model.jurisdiction,
    homepage: '',
    baseUrl: 'http://127.0.0.1:9',
    models: [
      {
        id: model.id,
        name: model.id,
        upstreamName: model.id,
        operation: 'chat',
        capabilities: ['text', ...model.capabilities],
        contextWindow: model.window,
        maxOutputTokens: 100,
        quality: 'good',
        russianQuality: 'good',
        latency: 'fast',
        prices: [
          {
            effectiveFrom: model.from,
            microRubPerMillion: {
              input_uncached: micro,
              input_cached: micro,
              cache_write: micro,
              output_text: micro,
              output_reasoning: micro,
            },
            sourceKind: 'operator',
            vatBasis: 'included',
          },
        ],
        fallbacks,
      },
    ],
  };
}

function registryOf(drafts: readonly Draft[]) {
  const ids = new Set(drafts.map(({ id }) => id));
  return buildRegistry(
    drafts.map((model, index) => entry(model, index, ids)),
    CONFIG,
    {},
  );
}

/** A question, and the model that is named. */
type Asked = RouteQuestion & { readonly requested: string };

const question: fc.Arbitrary<Asked> = fc
  .record({
    requested: fc.constantFrom(...IDS),
    needs: fc.subarray([...NEEDS], { maxLength: 2 }),
    tokens: fc.constantFrom(10, 1_000),
    allowed: fc.option(fc.subarray(IDS), { nil: undefined }),
    jurisdictionsAllowed: fc.constantFrom<Jurisdiction[]>(['rf'], ['rf', 'outside']),
  })
  .map(({ allowed, tokens, ...rest }) => ({
    ...rest,
    operation: 'chat' as const,
    windowTokensMin: () => tokens,
    tokenBounds: ({ contextWindow, maxOutputTokens }: ModelFacts) => ({
      inputTokensMax: Math.min(tokens * 2, contextWindow),
      outputTokensMax: maxOutputTokens,
    }),
    allowedModels: allowed && new Set(allowed),
    day: DAY,
  }));

function routeOf(drafts: readonly Draft[], asked: Asked) {
  const registry = registryOf(drafts);
  const model = registry.models.get(asked.requested);
  const candidate = model && judgeNamed(model, asked);
  return { model, candidate, ...(model ? chainOf(registry, model, asked) : NOWHERE) };
}

const NOWHERE = { chain: [], estimateMicro: 0n };

describe('a route', () => {
  it('never leads to a deployment that the question forbids, fallbacks included', () => {
    fc.assert(
      fc.property(providers, question, (drafts, asked) => {
        const { chain } = routeOf(drafts, asked);
        for (const deployment of chain) {
          expect(asked.jurisdictionsAllowed).toContain(deployment.jurisdiction);
          expect(asked.needs.filter((need) => !deployment.capabilities.includes(need))).toEqual([]);
          expect(asked.allowedModels?.has(deployment.id) ?? true).toBe(true);
          expect(deployment.contextWindow).toBeGreaterThanOrEqual(
            asked.windowTokensMin(deployment),
          );
          expect(priceOn(deployment.prices, asked.day)).toBeDefined();
        }
      }),
      { numRuns: 500 },
    );
  });

  it('begins with the named model exactly where that may answer', () => {
    fc.assert(
      fc.property(providers, question, (drafts, asked) => {
        const { model, candidate, chain } = routeOf(drafts, asked);
        const answers = candidate !== undefined && candidate.rejection === undefined;
        expect(chain[0]?.id === model?.id && chain.length > 0).toBe(answers);
      }),
      { numRuns: 500 },
    );
  });

  it('says of a model that may not answer why', () => {
    fc.assert(
      fc.property(providers, question, (drafts, asked) => {
        const { candidate } = routeOf(drafts, asked);
        fc.pre(candidate !== undefined);
        expect(candidate.detail === '').toBe(candidate.rejection === undefined);
      }),
    );
  });

  it('holds enough for every deployment of the chain', () => {
    fc.assert(
      fc.property(providers, question, (drafts, asked) => {
        const { chain, estimateMicro } = routeOf(drafts, asked);
        for (const deployment of chain) {
          const price = priceOn(deployment.prices, asked.day);
          const { inputTokensMax, outputTokensMax } = asked.tokenBounds(deployment);
          const most = price && upperEstimate(inputTokensMax, outputTokensMax, price);
          expect(estimateMicro).toBeGreaterThanOrEqual(most ?? 0n);
        }
      }),
    );
  });
});
