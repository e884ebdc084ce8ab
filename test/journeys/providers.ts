import { type ProvidedApp, startProvided } from '../support/provided-app.js';

/** A gateway with one provider inside Russia and a cheaper one outside, both doubles. */
export type RoutedApp = ProvidedApp;

/** The model of each lane of the double. */
export const INSIDE = 'inside/model';
export const OUTSIDE = 'outside/model';

/** Starts it; the sandbox is off, so that answers come from the doubles alone. */
export function startRoutedApp(environment: NodeJS.ProcessEnv = {}): Promise<RoutedApp> {
  return startProvided(providers, { GW_SANDBOX: 'off', ...environment });
}

function providers(origin: string) {
  const model = (upstreamName: string, rub: number) => ({
    upstream_name: upstreamName,
    capabilities: ['text', 'tools', 'json', 'streaming'],
    context_window: 100_000,
    max_output_tokens: 4_000,
    prices: [{ effective_from: '2026-01-01', input: rub, output: rub }],
  });
  return (['inside', 'outside'] as const).map((id) => ({
    id,
    name: `The provider ${id}`,
    operator: 'a test',
    base_url: `${origin}/${id}/v1`,
    jurisdiction: id === 'inside' ? 'rf' : 'outside',
    models: [model('model', id === 'inside' ? 100 : 10)],
  }));
}
