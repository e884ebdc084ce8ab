import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const CREATE = 'mutation { contextPolicyCreate(input: { name: "sample" }) { id } }';

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    contextPolicyCreate: (customer) => graphql(app, CREATE, {}, customer.token),
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const created = await rest<{ id: string }>(app, 'POST', '/v1/gw/context-policies', {
    credential: customer.token,
    body: { name: 'sample' },
  });
  return { ContextPolicy: created.body.id };
}
