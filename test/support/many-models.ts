import { type ProvidedApp, startProvided } from './provided-app.js';

/** A gateway with models of several qualities and prices, all played by a double. */
export type ManyModelsApp = ProvidedApp;

/** Quality rises with the price; the last one is the cheapest and leads outside Russia. */
export const BASIC = 'basic/model';
export const GOOD = 'good/model';
export const HIGH = 'high/model';
export const ABROAD = 'abroad/model';

/** What tells the lanes of the double apart: the tier, the price in rubles and the route. */
const LANES = [
  { lane: 'basic', quality: 'basic', rub: 20, jurisdiction: 'rf' },
  { lane: 'good', quality: 'good', rub: 100, jurisdiction: 'rf' },
  { lane: 'high', quality: 'high', rub: 800, jurisdiction: 'rf' },
  { lane: 'abroad', quality: 'high', rub: 10, jurisdiction: 'outside' },
] as const;

/** Starts it; the sandbox is off, so that answers come from the double alone. */
export function startManyModels(environment: NodeJS.ProcessEnv = {}): Promise<ManyModelsApp> {
  return startProvided(providers, { GW_SANDBOX: 'off', ...environment });
}

function providers(origin: string) {
  return LANES.map(({ lane, quality, rub, jurisdiction }) => ({
    id: lane,
    name: `The provider ${lane}`,
    operator: 'a test',
    base_url: `${origin}/${lane}/v1`,
    jurisdiction,
    models: [
      {
        upstream_name: 'model',
        capabilities: ['text', 'tools', 'json', 'json_schema', 'streaming'],
        context_window: 100_000,
        max_output_tokens: 4_000,
        quality,
        russian_quality: quality,
        prices: [{ effective_from: '2026-01-01', input: rub, output: rub }],
      },
    ],
  }));
}
