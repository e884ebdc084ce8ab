import { type Customer, graphql, type TestApp } from '../../support/app.js';

interface Ran {
  readonly migrationCheckRun: { readonly id: string };
}

async function runOf(app: Pick<TestApp, 'url'>, { token }: Customer): Promise<string> {
  const { data } = await graphql<Ran>(app, 'mutation { migrationCheckRun { id } }', {}, token);
  return data.migrationCheckRun.id;
}

/** One successful call of each mutation of the module, by the member. */
export function callsOf(
  app: Pick<TestApp, 'url'>,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return { migrationCheckRun: (customer) => runOf(app, customer) };
}

/** One of each thing of the module: ids by type. */
export async function belongingsOf(
  app: Pick<TestApp, 'url'>,
  customer: Customer,
): Promise<Record<string, string>> {
  return { MigrationCheckRun: await runOf(app, customer) };
}
