import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CatalogueProvider } from '../../src/catalog/providers/catalogue-entry.js';
import type { ModelFacts } from '../../src/catalog/providers/model.js';
import { priceOn, upperEstimate } from '../../src/catalog/providers/price.js';
import { buildRegistry } from '../../src/catalog/providers/registry.js';
import type { Capability, Jurisdiction } from '../../src/catalog/providers/vocabulary.js';
import { type Candidate, chooseRoute, type RouteQuestion } from '../../src/routing/choose.js';

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

const question: fc.Arbitrary<RouteQuestion> = fc
  .record({
    requested: fc.constantFrom('gw:auto', 'gw:auto', ...IDS),
    needs: fc.subarray([...NEEDS], { maxLength: 2 }),
    tokens: fc.constantFrom(10, 1_000),
    allowed: fc.option(fc.subarray(IDS), { nil: undefined }),
    jurisdictionsAllowed: fc.constantFrom<Jurisdiction[]>(['rf'], ['rf', 'outside']),
    ill: fc.subarray(['p0', 'p1', 'p2', 'p3', 'p4', 'p5']),
  })
  .map(({ allowed, ill, tokens, ...rest }) => ({
    ...rest,
    operation: 'chat' as const,
    windowTokensMin: () => tokens,
    tokenBounds: ({ contextWindow, maxOutputTokens }: ModelFacts) => ({
      inputTokensMax: Math.min(tokens * 2, contextWindow),
      outputTokensMax: maxOutputTokens,
    }),
    allowedModels: allowed && new Set(allowed),
    day: DAY,
    healthy: (deployment) => !ill.includes(deployment.providerId),
  }));

function shown({ model, rejection, detail, estimateMicro }: Candidate) {
  return { model: model.id, rejection, detail, estimateMicro };
}

describe('a route', () => {
  it('never leads to a deployment that the question forbids, fallbacks included', () => {
    fc.assert(
      fc.property(providers, question, (drafts, asked) => {
        const { chain } = chooseRoute(registryOf(drafts), asked);
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

  it('leads somewhere exactly when a model is chosen, and begins with that model', () => {
    fc.assert(
      fc.property(providers, question, (drafts, asked) => {
        const { chosen, chain } = chooseRoute(registryOf(drafts), asked);
        expect(chain[0]?.id).toBe(chosen?.id);
      }),
      { numRuns: 500 },
    );
  });

  it('holds enough for every deployment of the chain', () => {
    fc.assert(
      fc.property(providers, question, (drafts, asked) => {
        const { chain, estimateMicro } = chooseRoute(registryOf(drafts), asked);
        for (const deployment of chain) {
          const price = priceOn(deployment.prices, asked.day);
          const { inputTokensMax, outputTokensMax } = asked.tokenBounds(deployment);
          const most = price && upperEstimate(inputTokensMax, outputTokensMax, price);
          expect(estimateMicro).toBeGreaterThanOrEqual(most ?? 0n);
        }
      }),
    );
  });

  it('is the same for the same question, and does not depend on the order of providers', () => {
    const distinct = fc.uniqueArray(draft, {
      selector: (model) => model.id,
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(distinct, question, (drafts, asked) => {
        const wellAsked = { ...asked, healthy: () => true };
        const one = chooseRoute(registryOf(drafts), wellAsked);
        const other = chooseRoute(registryOf([...drafts].reverse()), wellAsked);
        const costOf = (route: typeof one) =>
          route.candidates.find(({ model }) => model.id === route.chosen?.id)?.estimateMicro;
        expect(costOf(one)).toBe(costOf(other));
        expect(chooseRoute(registryOf(drafts), wellAsked).candidates.map(shown)).toEqual(
          one.candidates.map(shown),
        );
      }),
    );
  });
});

describe('gw:auto', () => {
  const automatic = question.map((asked) => ({ ...asked, requested: 'gw:auto' }));

  it('takes the cheapest of those that could answer', () => {
    fc.assert(
      fc.property(providers, automatic, (drafts, asked) => {
        const { chosen, candidates } = chooseRoute(registryOf(drafts), asked);
        const able = candidates.filter(({ rejection }) => !rejection || rejection === 'dearer');
        const cheapest = able.map(({ estimateMicro }) => estimateMicro ?? 0n).sort(ascending)[0];
        const best = candidates.find(({ model }) => model.id === chosen?.id);
        expect(best?.estimateMicro).toBe(cheapest);
      }),
      { numRuns: 500 },
    );
  });

  it('looks at every model and says of each but the chosen one why it was not taken', () => {
    fc.assert(
      fc.property(providers, automatic, (drafts, asked) => {
        const registry = registryOf(drafts);
        const { chosen, candidates } = chooseRoute(registry, asked);
        expect(candidates.map(({ model }) => model.id)).toEqual([...registry.models.keys()]);
        for (const { model, rejection, detail } of candidates) {
          const isChosen = model.id === chosen?.id;
          expect({ rejected: rejection !== undefined, explained: detail !== '' }).toEqual({
            rejected: !isChosen,
            explained: !isChosen,
          });
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives up only when no model could answer', () => {
    fc.assert(
      fc.property(providers, automatic, (drafts, asked) => {
        const registry = registryOf(drafts);
        const { chosen } = chooseRoute(registry, asked);
        const could = [...registry.deploymentsByKey.values()].some(
          (deployment) =>
            asked.jurisdictionsAllowed.includes(deployment.jurisdiction) &&
            asked.needs.every((need) => deployment.capabilities.includes(need)) &&
            (asked.allowedModels?.has(deployment.id) ?? true) &&
            deployment.contextWindow >= asked.windowTokensMin(deployment) &&
            priceOn(deployment.prices, asked.day) !== undefined &&
            asked.healthy(deployment),
        );
        expect(chosen !== undefined).toBe(could);
      }),
      { numRuns: 500 },
    );
  });
});

function ascending(left: bigint, right: bigint): number {
  return left < right ? -1 : Number(left > right);
}
