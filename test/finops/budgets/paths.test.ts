import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { waiting } from '../../access/budgets/ruble-app.js';
import { type Customer, graphql, newCustomer } from '../../support/app.js';
import { type ProvidedApp, startProvided } from '../../support/provided-app.js';
import { check, setBudget } from './budget-app.js';

const PRICE = { effective_from: '2025-01-01' };
const EMBEDDINGS = {
  operation: 'embeddings',
  capabilities: ['text', 'embeddings'],
  context_window: 8_000,
  max_output_tokens: 1,
};
const CHAT = {
  capabilities: ['text', 'streaming'],
  context_window: 8_000,
  max_output_tokens: 100,
};

function provider(origin: string) {
  const chat = (name: string, output: number) => ({
    ...CHAT,
    ...{ upstream_name: name, name, prices: [{ ...PRICE, input: 0, output }] },
  });
  const embeddings = (name: string, input: number) => ({
    ...EMBEDDINGS,
    ...{ upstream_name: name, name, prices: [{ ...PRICE, input }] },
  });
  return {
    ...{ id: 'own', name: 'A provider', operator: 'A vendor', jurisdiction: 'rf' },
    base_url: `${origin}/own/v1`,
    models: [
      ...[chat('dear', 1_000), chat('cheap', 1)],
      ...[embeddings('dear-embed', 1_000), embeddings('cheap-embed', 1)],
    ],
  };
}

let app: ProvidedApp;
beforeAll(async () => {
  app = await startProvided((origin) => [provider(origin)], { GW_SANDBOX: 'off' });
});
afterAll(async () => {
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
  await app.stop();
});

/** Asks once. @returns `answered`, or the code of the refusal */
type Path = (who: Customer) => Promise<string>;

const TYPED = {
  model: 'own/dear',
  messages: [{ role: 'user', parts: [{ text: 'Да?' }] }],
  maxTokens: 10,
  metadata: { feature: 'support', clientId: 'c-1', more: { session_id: 's-1' } },
};
const WIRE = { feature: 'support', client_id: 'c-1', session_id: 's-1' };

const PATHS: Readonly<Record<string, Path>> = {
  async embeddings({ key }) {
    const { errors } = await graphql(
      app,
      'mutation($input: EmbeddingsRequest!) { embeddingsCreate(input: $input) }',
      { input: { model: 'own/dear-embed', input: 'Да?', metadata: WIRE } },
      key,
    );
    return String(errors?.[0]?.extensions.code ?? 'answered');
  },
  async chatComplete({ key }) {
    const { errors } = await graphql(
      app,
      'mutation($input: ChatInput!) { chatComplete(input: $input) { model } }',
      { input: TYPED },
      key,
    );
    return String(errors?.[0]?.extensions.code ?? 'answered');
  },
  async chatStream({ key }) {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
      },
      body: JSON.stringify({
        query: 'subscription($input: ChatInput!) { chatStream(input: $input) { model } }',
        variables: { input: TYPED },
      }),
    });
    const text = await response.text();
    return /"code":"(\w+)"/.exec(text)?.[1] ?? 'answered';
  },
};
const SCOPES = [
  ['use_case', 'support'],
  ['partner_client', 'c-1'],
  ['agent_session', 's-1'],
  ['route', '*'],
] as const;
const CASES = Object.keys(PATHS).flatMap((path) =>
  SCOPES.map(([scope, scope_ref]) => ({ path, scope, scope_ref })),
);

function ask(path: string, who: Customer): Promise<string> {
  return PATHS[path]?.(who) ?? Promise.reject(new Error(`no path is called ${path}`));
}

async function modelsOf({ tenantId }: Customer) {
  const { rows } = await app.owner.pool.query<{ model: string; to: string | null }>(
    `SELECT model, metadata -> 'gw_degraded' ->> 'to' AS "to" FROM usage_event
     WHERE tenant_id = $1 AND status = 'complete'`,
    [tenantId],
  );
  return rows;
}

describe.each(CASES)('$path under a budget of its $scope', ({ path, ...scope }) => {
  it('is refused by block, and costs and holds nothing', async () => {
    const [customer, other] = [await newCustomer(app, 10), await newCustomer(app, 10)];
    const { body } = await setBudget(app, customer.token, { ...scope, hard_cap: 0 });
    expect(await ask(path, customer)).toBe('budget_exhausted');
    expect(await check(app, customer, body.id)).toMatchObject({ spent_rub: 0, held_rub: 0 });
    expect(await modelsOf(customer)).toEqual([]);
    expect(await ask(path, other)).toBe('answered');
  });

  it('takes the cheaper route of degrade, and is counted beyond the cap', async () => {
    const customer = await newCustomer(app, 10);
    const cheap = path === 'embeddings' ? 'own/cheap-embed' : 'own/cheap';
    const terms = { ...scope, on_cap_reached: 'degrade', degrade_to: cheap, hard_cap: 0 };
    const { body } = await setBudget(app, customer.token, terms);
    expect(await ask(path, customer)).toBe('answered');
    expect(await modelsOf(customer)).toEqual([{ model: cheap, to: cheap }]);
    const { spent_rub: spent } = await check(app, customer, body.id);
    expect(Number(spent)).toBeGreaterThan(0);
  });

  it('waits for an approval where the budget requires one, and is not sent', async () => {
    const customer = await newCustomer(app, 10);
    const terms = { ...scope, on_cap_reached: 'require_approval', hard_cap: 0 };
    await setBudget(app, customer.token, terms);
    expect(await ask(path, customer)).toBe('budget_approval_required');
    expect(await waiting(app, customer.token)).toHaveLength(1);
    expect(await modelsOf(customer)).toEqual([]);
  });
});
