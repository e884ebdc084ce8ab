import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';
import { existedSince } from '../../support/owner.js';

const CLOSE = 'mutation { monthCloseSeal(input: {}) { id } }';

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    monthCloseSeal: async (customer) => {
      await existedSince(app, customer.tenantId);
      return graphql(app, CLOSE, {}, customer.token);
    },
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  await existedSince(app, customer.tenantId);
  const closed = await rest<{ id: string }>(app, 'POST', '/v1/gw/billing/month-closes', {
    credential: customer.token,
    body: { month: '2026-01' },
  });
  return { MonthClose: closed.body.id };
}
