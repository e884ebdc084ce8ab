import { type ProvidedApp, startProvided } from './provided-app.js';

/** A chat and an embeddings model of each side of the border. */
export const CHAT = { inside: 'inside/chat', outside: 'outside/chat' } as const;
export const EMBED = { inside: 'inside/embed', outside: 'outside/embed' } as const;

/** A gateway with a provider inside Russia and a cheaper one outside that take all media. */
export function startMediaApp(): Promise<ProvidedApp> {
  return startProvided(providers, { GW_SANDBOX: 'off' });
}

function providers(origin: string) {
  return (['inside', 'outside'] as const).map((id) => {
    const input = id === 'inside' ? 100 : 10;
    return {
      id,
      name: `The provider ${id}`,
      operator: 'a test',
      base_url: `${origin}/${id}/v1`,
      jurisdiction: id === 'inside' ? 'rf' : 'outside',
      models: [
        {
          upstream_name: 'chat',
          capabilities: ['text', 'tools', 'json', 'streaming', 'vision', 'audio'],
          context_window: 100_000,
          max_output_tokens: 4_000,
          prices: [{ effective_from: '2026-01-01', input, output: input }],
        },
        {
          upstream_name: 'embed',
          operation: 'embeddings',
          capabilities: ['text', 'embeddings'],
          context_window: 32_000,
          prices: [{ effective_from: '2026-01-01', input }],
        },
      ],
    };
  });
}
