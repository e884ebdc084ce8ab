import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const PATH = '/v1/gw/transparency';

/** Publishes the log of a customer. */
export async function published(app: TestApp, { token }: Customer): Promise<Published> {
  const path = `${PATH}/publications`;
  const { body } = await rest<Published>(app, 'POST', path, { credential: token });
  return body;
}

/** A publication as the API answers it. */
export interface Published {
  readonly id: string;
  readonly name: string;
  readonly origin: string;
  readonly key: string;
  readonly created_at: string;
  readonly ended_at: string | null;
}

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    logPublish: ({ token }) => graphql(app, 'mutation { logPublish { id } }', {}, token),
    logUnpublish: async (customer) => {
      const { id } = await published(app, customer);
      const document = 'mutation($id: ID!) { logUnpublish(id: $id) { id endedAt } }';
      return graphql(app, document, { id }, customer.token);
    },
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const path = `${PATH}/checkpoint`;
  const { body } = await rest<{ id: string }>(app, 'GET', path, { credential: customer.token });
  const { id } = await published(app, customer);
  return { LogCheckpoint: body.id, LogPublication: id };
}
