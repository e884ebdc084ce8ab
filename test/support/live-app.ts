import { type ProvidedApp, startProvided } from './provided-app.js';

/** A gateway with the sandbox and a provider that is not simulated, played by a double. */
export type LiveApp = ProvidedApp;

/** The models that are not simulated; the lane of the double is `live`. */
export const LIVE = 'live/model';
export const LIVE_EMBEDDINGS = 'live/embed';

/** Starts it. `gw:auto` takes the live model, since real models come first. */
export function startLiveApp(environment: NodeJS.ProcessEnv = {}): Promise<LiveApp> {
  return startProvided((origin) => [provider(origin)], environment);
}

function provider(origin: string) {
  const prices = [{ effective_from: '2026-01-01', input: 20, output: 20 }];
  return {
    id: 'live',
    name: 'A live provider',
    operator: 'a test',
    base_url: `${origin}/live/v1`,
    jurisdiction: 'rf',
    models: [
      {
        upstream_name: 'model',
        capabilities: ['text', 'tools', 'json', 'json_schema', 'streaming'],
        context_window: 100_000,
        max_output_tokens: 4_000,
        prices,
      },
      {
        upstream_name: 'embed',
        operation: 'embeddings',
        capabilities: ['text', 'embeddings'],
        context_window: 8_000,
        max_output_tokens: 1,
        prices: [{ effective_from: '2026-01-01', input: 1 }],
      },
    ],
  };
}
