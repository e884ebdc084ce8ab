import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import type { Deployment, Model, Registry } from '../../src/catalog/providers/model.js';
import { listPrice } from '../../src/catalog/providers/price.js';
import type { OutcomeMemory } from '../../src/routing/memory/outcome-memory.js';
import type { RoutingMemory } from '../../src/routing/memory/routing-memory.js';
import { type KnownSituation, Situations } from '../../src/routing/memory/situations.js';
import { stateOf } from '../../src/routing/memory/state.js';
import type { UsageMemory } from '../../src/routing/memory/usage-memory.js';

type Override = Deployment['health']['override'];

const PRICE = listPrice('2026-01-01', { input: 1_000_000n, output: 1_000_000n }, 'primary');
const DAY = '2026-06-01';

function modelOf(id: string, operation: 'chat' | 'embeddings', override: Override): Model {
  const facts = { id, operation, simulated: false, jurisdiction: 'rf', prices: [PRICE] };
  const tiers = { quality: 'good', russianQuality: 'good', latency: 'medium' };
  const limits = { contextWindow: 1_000, maxOutputTokens: 100, imageTokensMax: 1 };
  const own = { key: `provider:${id}`, providerId: 'provider', imageTokensLowMax: 1 };
  const health = { override, reason: '' };
  const deployment = { ...facts, ...tiers, ...limits, ...own, capabilities: ['text'], health };
  return { ...facts, ...tiers, deployments: [deployment] } as unknown as Model;
}

/** Situations over three models; `shut` holds the deployments whose breaker is open. */
function situationsWith(shut: readonly string[]) {
  const list = [
    modelOf('chat', 'chat', 'auto'),
    modelOf('forced', 'chat', 'forced_up'),
    modelOf('vectors', 'embeddings', 'auto'),
  ];
  const deployments = list.flatMap((model) => model.deployments);
  const registry = {
    models: new Map(list.map((model) => [model.id, model])),
    deploymentsByKey: new Map(deployments.map((each) => [each.key, each])),
  };
  const state = stateOf([], []);
  const outcomes = new Map();
  let asked = 0;
  const situations = new Situations({
    pool: { query: async () => ({ rows: [] }) } as unknown as Pool,
    registry: registry as unknown as Registry,
    routing: { forTenant: () => state } as unknown as RoutingMemory,
    outcomes: { forTenant: () => outcomes } as unknown as OutcomeMemory,
    usage: { forTenant: () => outcomes } as unknown as UsageMemory,
    healthy: ({ key, health }) => {
      asked += 1;
      return health.override === 'forced_up' || !shut.includes(key);
    },
    shut: () => shut,
  });
  /** The situation of a tenant's chats now, and whether any health was asked for it. */
  return (tenantId = 'tenant') => {
    const before = asked;
    const question = { tenantId, operation: 'chat', useCase: 'default', day: DAY } as const;
    const known = situations.now({ ...question, policyKey: undefined }) as KnownSituation;
    const models = known.situation.models.map(({ model, deployments: [one] }) => [
      model,
      one?.isHealthy,
    ]);
    return { models: Object.fromEntries(models), sha256: known.sha256, isAnew: asked > before };
  };
}

const WELL = { chat: true, forced: true };

it('is made once, and anew for each tenant when a breaker of its operation opens or closes', () => {
  const shut: string[] = [];
  const now = situationsWith(shut);
  const first = now();
  expect(first).toMatchObject({ models: WELL, isAnew: true });
  expect(now()).toEqual({ ...first, isAnew: false });
  shut.push('provider:chat');
  const second = now();
  expect(second).toMatchObject({ models: { chat: false, forced: true }, isAnew: true });
  expect(second.sha256).not.toBe(first.sha256);
  expect(now('other')).toEqual(second);
  shut.pop();
  expect(now()).toEqual(first);
});

it.each([
  ['of another operation', 'provider:vectors'],
  ['that an operator has overruled', 'provider:forced'],
  ['of a deployment that was withdrawn', 'provider:gone'],
])('is not made anew for a breaker %s', (_, key) => {
  const shut: string[] = [];
  const now = situationsWith(shut);
  const first = now();
  shut.push(key);
  expect(now()).toEqual({ ...first, isAnew: false });
});
