import { afterAll, beforeAll, expect, it } from 'vitest';
import { chat } from '../journeys/people.js';
import { type Customer, newCustomer } from '../support/app.js';
import { type ProvidedApp, startProvided } from '../support/provided-app.js';

let app: ProvidedApp;
let customer: Customer;
beforeAll(async () => {
  app = await startProvided(
    (origin) => [
      provider(origin, 'cheap', { jurisdiction: 'rf', rub: 10 }),
      provider(origin, 'far', { jurisdiction: 'outside', id: 'shared/model', rub: 20 }),
      provider(origin, 'near', { jurisdiction: 'rf', id: 'shared/model', rub: 20 }),
    ],
    { GW_SANDBOX: 'off' },
  );
  customer = await newCustomer(app, 1_000);
});
afterAll(() => app?.stop());

function provider(
  origin: string,
  name: string,
  { jurisdiction, rub, id }: { jurisdiction: string; rub: number; id?: string },
) {
  return {
    ...{ id: name, name, operator: 'a test', jurisdiction, base_url: `${origin}/${name}/v1` },
    models: [
      {
        ...(id !== undefined && { id }),
        upstream_name: 'model',
        capabilities: ['text', 'streaming'],
        context_window: 100_000,
        max_output_tokens: 4_000,
        prices: [{ effective_from: '2026-01-01', input: rub, output: rub }],
      },
    ],
  };
}

it('a model that stands in for a chosen one is asked in Russia first', async () => {
  app.double.script('cheap', { status: 500 });
  const { body } = await chat(app, customer.key);
  expect(body.gw_routing).toMatchObject({ model: 'shared/model', provider: 'near' });
  expect(app.double.received('cheap').length).toBeGreaterThan(0);
  expect(app.double.received('far')).toEqual([]);
});
