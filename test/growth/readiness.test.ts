import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READINESS_ITEMS } from '../../src/growth/readiness/vocabulary.js';
import { publishContract } from '../../src/records/contracts.js';
import { chat, newPolicy } from '../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../support/app.js';
import { LIVE_EMBEDDINGS, type LiveApp, startLiveApp } from '../support/live-app.js';

let app: LiveApp;
beforeAll(async () => {
  app = await startLiveApp();
});
afterAll(() => app.stop());

interface Readiness {
  readonly percent: number;
  readonly items: readonly { readonly code: string; readonly done: boolean }[];
  readonly remaining: readonly { readonly code: string; readonly closed_by: string }[];
}

async function readiness({ token }: Customer): Promise<Readiness> {
  const { body } = await rest<Readiness>(app, 'GET', '/v1/gw/org/readiness', { credential: token });
  return body;
}

async function done(customer: Customer): Promise<string[]> {
  const { items } = await readiness(customer);
  return items.filter((item) => item.done).map(({ code }) => code);
}

describe('readiness', () => {
  it('begins with every item open, each naming the call that closes it', async () => {
    const customer = await newCustomer(app, 0, 'agent');
    const { percent, items, remaining } = await readiness(customer);
    expect(percent).toBe(0);
    expect(items).toEqual(
      READINESS_ITEMS.map(({ code, title, closedBy }) => ({
        code,
        title,
        done: false,
        simulated: false,
        closed_by: closedBy,
      })),
    );
    expect(remaining).toEqual(items);
  });

  it('closes each item by what the tenant did, and counts it', async () => {
    const customer = await newCustomer(app, 500, 'standard');
    const { token, key } = customer;
    const steps: readonly [code: string, step: () => Promise<unknown>][] = [
      ['first_request', () => chat(app, key)],
      ['streaming', () => chat(app, key, 'Здравствуйте', { stream: true })],
      [
        'embeddings',
        () =>
          rest(app, 'POST', '/v1/embeddings', {
            credential: key,
            body: { model: LIVE_EMBEDDINGS, input: 'Договор' },
          }),
      ],
      ['policy', () => newPolicy(app, token, { name: 'without budgets' })],
      ['budget_limit', () => newPolicy(app, token, { budgets: { daily_rub: 100 } })],
      [
        'service_account',
        () =>
          rest(app, 'POST', '/api-keys', {
            credential: token,
            body: { keyType: 'service', name: 'production' },
          }),
      ],
      ['webhook', () => registerTool(customer)],
    ];
    const closed: string[] = [];
    for (const [code, step] of steps) {
      await step();
      closed.push(code);
      expect([...(await done(customer))].sort()).toEqual([...closed].sort());
      const { percent, remaining } = await readiness(customer);
      expect(percent).toBe(Math.floor((closed.length * 100) / READINESS_ITEMS.length));
      expect(remaining).toHaveLength(READINESS_ITEMS.length - closed.length);
    }
    expect((await readiness(customer)).percent).toBe(100);
  });

  it('opens an item again when what closed it is gone', async () => {
    const customer = await newCustomer(app, 0, 'service');
    const { id } = await newPolicy(app, customer.token, { budgets: { daily_rub: 100 } });
    expect(await done(customer)).toEqual(['budget_limit', 'policy', 'service_account']);
    await rest(app, 'PATCH', `/v1/gw/policies/${id}`, {
      credential: customer.token,
      body: { enabled: false },
    });
    await rest(app, 'DELETE', `/api-keys/${customer.keyId}`, { credential: customer.token });
    expect(await done(customer)).toEqual([]);
  });

  it('does not count what failed, or what others did', async () => {
    const customer = await newCustomer(app, 500, 'agent');
    app.double.script('live', { status: 400 }, {});
    await chat(app, customer.key);
    await chat(app, (await newCustomer(app, 500)).key);
    expect(await done(customer)).toEqual([]);
  });

  it('is the same in GraphQL', async () => {
    const customer = await newCustomer(app, 0, 'service');
    const { data } = await graphql<{ organizationReadiness: Readiness }>(
      app,
      `{ organizationReadiness { percent items { ...Item } remaining { ...Item } } }
       fragment Item on ReadinessItem { code title done simulated closed_by: closedBy }`,
      {},
      customer.token,
    );
    expect(data.organizationReadiness).toEqual(await readiness(customer));
  });
});

/** A tool contract as the registry of tools publishes it. */
function registerTool({ tenantId, userId }: Customer) {
  const scope = { services: app.server.services, who: { tenantId, id: userId } };
  const body = { tool_key: 'crm', endpoint_url: 'https://crm.example/hook', verbs: [] };
  return publishContract(scope, { kind: 'tool', key: 'crm' }, body);
}
