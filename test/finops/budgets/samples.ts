import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const SET = `mutation { budgetSet(input: {
  scope: agent_session, scopeRef: "sample", hardCapRub: "10" }) { id } }`;

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: Pick<TestApp, 'url'>,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return { budgetSet: (customer) => graphql(app, SET, {}, customer.token) };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: Pick<TestApp, 'url'>,
  customer: Customer,
): Promise<Record<string, string>> {
  const { body } = await rest<{ id: string }>(app, 'POST', '/v1/gw/finops/budgets', {
    credential: customer.token,
    body: { scope: 'use_case', scope_ref: 'own', hard_cap: 100 },
  });
  return { Budget: body.id };
}
