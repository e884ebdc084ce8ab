import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const PUBLISH =
  'mutation { modelAliasPublish(input: { alias: "sample", target: "gw:auto" }) { id } }';

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return { modelAliasPublish: (customer) => graphql(app, PUBLISH, {}, customer.token) };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  { token: credential }: Customer,
): Promise<Record<string, string>> {
  const body = { alias: 'own', target: 'gw:auto' };
  const made = await rest<{ id: string }>(app, 'POST', '/v1/gw/model-aliases', {
    credential,
    body,
  });
  return { ModelAlias: made.body.id };
}
