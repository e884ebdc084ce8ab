import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newWorkspace } from '../access/workspaces/samples.js';
import { type Customer, newCustomer } from '../support/app.js';
import { killGateways, startGateway } from '../support/gateway-process.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../support/upstream-double.js';
import { embeddedConnection, openBooks } from './books.js';
import { type Folder, newUsedFolder, writeProviders } from './providers.js';

const TEST_MS_MAX = 60_000;

let double: SpawnedDouble;
let folder: Folder;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  double = await spawnUpstreamDouble();
  folder = await newUsedFolder();
  environment = {
    GW_DATA_DIR: folder.path,
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [{ lane: 'own', model: 'own/model' }]),
  };
  await double.script('own', { blackHole: true });
});
afterEach(killGateways);
afterAll(async () => {
  await double.close();
  folder.remove();
});

const BODY = {
  model: 'own/model',
  messages: [{ role: 'user', content: 'Здравствуйте' }],
  metadata: { feature: 'assistant', user_id: 'Ivanova', ticket: '17' },
};

/** Every way to ask, none of which will be answered. */
function askInAllVoices(url: string, { key }: Customer, workspace: string): Promise<unknown> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${key}`,
    'x-gw-workspace': workspace,
  };
  const post = (path: string, body: unknown, accept = 'application/json') =>
    fetch(url + path, {
      method: 'POST',
      headers: { ...headers, accept },
      body: JSON.stringify(body),
    });
  const graphql = (query: string, accept?: string) =>
    post('/graphql', { query, variables: { input: BODY } }, accept);
  return Promise.allSettled([
    post('/v1/chat/completions', BODY),
    post('/v1/chat/completions', { ...BODY, stream: true }),
    graphql('mutation A($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }'),
    graphql(
      'subscription A($input: ChatCompletionRequest!) { chatCompletionStream(input: $input) }',
      'text/event-stream',
    ),
  ]);
}

describe('requests that die with their process', () => {
  it(
    'cost nothing and have a usage row each, with what they were made under, in every voice',
    async () => {
      const gateway = await startGateway(environment);
      const customer = await newCustomer(gateway, 100);
      const { body: workspace } = await newWorkspace(gateway, customer);
      const asked = askInAllVoices(gateway.url, customer, workspace.id);
      await expect.poll(() => double.received('own'), { timeout: 20_000 }).toHaveLength(4);
      await gateway.kill();
      await asked;
      await startGateway(environment);
      const books = openBooks(embeddedConnection(folder.path));
      const { rows } = await books.pool.query(
        `SELECT h.state, u.status, u.error_code, u.amount_micro, u.model, u.requested_model,
                u.provider, u.feature, u.project_id, u.key_id, u.streamed,
                u.metadata
         FROM hold h LEFT JOIN usage_event u ON u.id = h.request_id ORDER BY u.streamed`,
      );
      const row = {
        state: 'released',
        status: 'failed',
        error_code: 'node_lost',
        amount_micro: 0n,
        model: 'own/model',
        requested_model: 'own/model',
        provider: 'own',
        feature: 'assistant',
        project_id: customer.projectId,
        key_id: customer.keyId,
        metadata: {
          ticket: '17',
          user_id: 'Ivanova',
          gw_workspace: { id: workspace.id, version: 1, user: 'Ivanova', department: null },
        },
      };
      const plain = { ...row, streamed: false };
      const streamed = { ...row, streamed: true };
      expect(rows).toEqual([plain, plain, streamed, streamed]);
      expect(await books.violations()).toEqual([]);
      await books.close();
    },
    TEST_MS_MAX,
  );
});
