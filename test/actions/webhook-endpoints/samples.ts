import { vi } from 'vitest';
import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const URL = 'https://hooks.example.com/sample';

interface Health {
  readonly failing_since: string | null;
  readonly last_success_at: string | null;
}

async function created(
  app: TestApp,
  { token }: Customer,
  types?: readonly string[],
): Promise<{ readonly id: string }> {
  const options = { credential: token, body: { url: URL, event_types: types } };
  return (await rest<{ id: string }>(app, 'POST', '/v1/gw/webhooks', options)).body;
}

async function tested(app: TestApp, customer: Customer): Promise<string> {
  const { id } = await created(app, customer);
  const path = `/v1/gw/webhooks/${id}/test`;
  const options = { credential: customer.token, body: {} };
  return (await rest<{ id: string }>(app, 'POST', path, options)).body.id;
}

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  const onEndpoint = (mutation: string, rest = '') => {
    return async (customer: Customer) => {
      const text = `mutation($id: ID!) { ${mutation}(id: $id${rest}) { id } }`;
      return graphql(app, text, await created(app, customer), customer.token);
    };
  };
  return {
    webhookEndpointCreate: (customer) => created(app, customer),
    webhookEndpointUpdate: onEndpoint('webhookEndpointUpdate', ', input: { description: "x" }'),
    webhookEndpointSecretRotate: onEndpoint('webhookEndpointSecretRotate'),
    webhookEndpointPause: onEndpoint('webhookEndpointPause'),
    webhookEndpointResume: async (customer) => {
      const { id } = await created(app, customer);
      const text = `mutation($id: ID!) { webhookEndpointPause(id: $id) { id }
        webhookEndpointResume(id: $id) { id } }`;
      return graphql(app, text, { id }, customer.token);
    },
    webhookEndpointRemove: onEndpoint('webhookEndpointRemove'),
    webhookEndpointTest: onEndpoint('webhookEndpointTest'),
    webhookDeliveryReplay: async (customer) => {
      const text = 'mutation($id: ID!) { webhookDeliveryReplay(id: $id) { id } }';
      return graphql(app, text, { id: await tested(app, customer) }, customer.token);
    },
    webhookDeliveriesReplay: async (customer) => {
      const text = `mutation($id: ID!) {
        webhookDeliveriesReplay(id: $id, since: "2026-01-01T00:00:00Z") { replayed } }`;
      return graphql(app, text, await created(app, customer), customer.token);
    },
  };
}

/**
 * One of each thing of the module: its id by the name of its type. The delivery has ended, and its
 * endpoint asks for nothing that happens, so that neither changes by itself.
 */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { id } = await created(app, customer, ['webhook_endpoint.disabled']);
  const path = `/v1/gw/webhooks/${id}`;
  const credential = customer.token;
  const tested = await rest<{ id: string }>(app, 'POST', `${path}/test`, { credential, body: {} });
  const hasEnded = async () => {
    const { body } = await rest<Health>(app, 'GET', path, { credential });
    if ((body.failing_since ?? body.last_success_at) === null) throw new Error('not tested yet');
  };
  await vi.waitFor(hasEnded, { timeout: 20_000 });
  return { WebhookEndpoint: id, WebhookDelivery: tested.body.id };
}
