import { type Customer, rest } from '../../support/app.js';
import { type ProvidedApp, startProvided } from '../../support/provided-app.js';
import { type Body, routingOf, type Told } from '../money/world.js';

/** A model that cannot reason, and one that can; each is a lane of the double. */
export const PLAIN = 'plain/chat';
export const THINKER = 'thinker/chat';
/** Models that take the limit of an answer under one name only, the newer or the older one. */
export const NEWER = 'newer/chat';
export const OLDER = 'older/chat';

/** A gateway in front of all. Prices: 100 in, 1,000 out. */
export function startWorkloadWorld(): Promise<ProvidedApp> {
  const provider = (origin: string, id: string, more: readonly string[], member?: string) => ({
    id,
    name: `The provider ${id}`,
    operator: 'a test',
    base_url: `${origin}/${id}/v1`,
    jurisdiction: 'rf',
    models: [
      {
        id: `${id}/chat`,
        upstream_name: 'chat',
        capabilities: ['text', 'tools', 'vision', 'streaming', ...more],
        context_window: 16_000,
        max_output_tokens: 1_000,
        output_limit_member: member,
        prices: [{ effective_from: '2026-01-01', input: 100, output: 1_000 }],
      },
    ],
  });
  return startProvided(
    (origin) => [
      provider(origin, 'plain', []),
      provider(origin, 'thinker', ['reasoning']),
      provider(origin, 'newer', [], 'max_completion_tokens'),
      provider(origin, 'older', [], 'max_tokens'),
    ],
    { GW_SANDBOX: 'off' },
  );
}

/** Publishes the next version of a contract; it is `default` and has no cache unless stated. */
export async function publish(app: ProvidedApp, who: Customer, terms: Body): Promise<void> {
  const body = { contract_key: 'default', exact_cache_enabled: false, ...terms };
  const path = '/v1/gw/workloads/contracts';
  const answer = await rest<Body>(app, 'POST', path, { credential: who.token, body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

/** The last body that a provider got. */
export function lastSent(app: ProvidedApp, lane = 'plain'): Body & { readonly messages: Body[] } {
  return JSON.parse(app.double.received(lane).at(-1)?.body ?? '{}');
}

/** What an answer says of its contract, each part by its name; undefined where none held. */
export function effectsOf(told: Told): Readonly<Record<string, Body>> | undefined {
  const { workload } = routingOf(told) as { workload?: { effects: (Body & { part: string })[] } };
  return workload && Object.fromEntries(workload.effects.map(({ part, ...each }) => [part, each]));
}
