import { afterAll, beforeAll, expect, it } from 'vitest';
import { issue } from '../access/abuse/samples.js';
import { newWorkspace } from '../access/workspaces/samples.js';
import { outcome } from '../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 100);
});
afterAll(() => app?.stop());

interface Listed {
  readonly data: readonly { readonly id: string; readonly kind: string }[];
}

const list = (credential: string, headers: Record<string, string> = {}) =>
  rest<Listed>(app, 'GET', '/v1/models', { credential, headers });
const modelsIn = ({ data }: Listed): string[] =>
  data.filter(({ id }) => !id.startsWith('gw:')).map(({ id }) => id);

it('lists under a workspace the models that a request under it may name', async () => {
  const { body: workspace } = await newWorkspace(app, customer, { approved_routes: ['document'] });
  const headers = { 'x-gw-workspace': workspace.id };
  const everywhere = modelsIn((await list(customer.key)).body);
  const approved = new Set(modelsIn((await list(customer.key, headers)).body));
  const left = everywhere.filter((id) => !approved.has(id));
  expect([approved.size > 0, left.length > 0]).toEqual([true, true]);
  const { models } = app.server.services.registry;
  for (const id of everywhere.filter((each) => models.get(each)?.operation === 'chat')) {
    const body = { model: id, messages: [{ role: 'user', content: 'x' }], max_tokens: 1 };
    const asked = { credential: customer.key, headers, body };
    const answer = outcome(await rest(app, 'POST', '/v1/chat/completions', asked));
    expect([id, answer]).toEqual([id, approved.has(id) ? '200' : '403 model_not_allowed']);
  }
});

it('lists nothing under a workspace that is unknown or of another organization', async () => {
  const stranger = await newCustomer(app);
  const { body: workspace } = await newWorkspace(app, stranger);
  for (const id of [workspace.id, '01939a3e-0c00-7049-8000-5e1f00000001', '']) {
    expect(outcome(await list(customer.key, { 'x-gw-workspace': id }))).toBe(
      '404 workspace_not_found',
    );
  }
});

it('lists to a token the models of the operations of its scope', async () => {
  const { models } = app.server.services.registry;
  const of = async (scope: string) => {
    const { token } = (await issue(app, customer.key, { scope })).body;
    const listed = modelsIn((await list(token)).body);
    return [...new Set(listed.map((id) => models.get(id)?.operation))].sort();
  };
  expect(await of('demo')).toEqual(['chat']);
  expect(await of('mobile')).toEqual(['chat', 'embeddings']);
});
