import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { selfSignedCertificate } from '../../support/certificate.js';
import { startTlsFront, type TlsFront } from '../../support/tls-front.js';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';

const certificate = selfSignedCertificate('localhost');
const folder = mkdtempSync(join(tmpdir(), 'gw-sber-'));
const logins: string[] = [];
const login = createServer((request, response) => {
  logins.push(String(request.headers.authorization));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ access_token: 'sber', expires_at: Date.now() + 1_800_000 }));
});
let double: UpstreamDouble;
let fronts: TlsFront[] = [];
let app: TestApp;
let customer: Customer;

beforeAll(async () => {
  double = await startUpstreamDouble();
  await new Promise<void>((resolve) => login.listen(0, '127.0.0.1', resolve));
  const { port } = login.address() as AddressInfo;
  const loginOrigin = `http://127.0.0.1:${port}`;
  const [api, oauth] = await Promise.all(
    [double.origin, loginOrigin].map((origin) => startTlsFront(origin, certificate)),
  );
  if (!api || !oauth) throw new Error('no front was started');
  fronts = [api, oauth];
  writeFileSync(join(folder, 'ca.pem'), certificate.cert);
  vi.stubEnv('GIGACHAT_BASE_URL', `${api.origin}/sber/api/v1`);
  vi.stubEnv('GIGACHAT_AUTH_URL', `${oauth.origin}/api/v2/oauth`);
  vi.stubEnv('GIGACHAT_CREDENTIALS', 'aWQ6c2VjcmV0');
  vi.stubEnv('GIGACHAT_CA_FILE', join(folder, 'ca.pem'));
  app = await startApp();
  customer = await newCustomer(app, 500);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await app.stop();
  await Promise.all(fronts.map((front) => front.close()));
  login.closeAllConnections();
  login.close();
  await double.close();
  rmSync(folder, { recursive: true, force: true });
});

const CHAT = {
  model: 'sber/gigachat-2-lite',
  messages: [{ role: 'user', content: 'Привет' }],
};

describe('the route of Sber', () => {
  it('answers over REST and GraphQL, whole and streamed, and embeds, after one login', async () => {
    const credential = customer.key;
    const whole = await rest(app, 'POST', '/v1/chat/completions', { credential, body: CHAT });
    expect([whole.status, whole.body.model]).toEqual([200, 'sber/gigachat-2-lite']);
    const stream = { ...CHAT, stream: true };
    const streamed = await rest<string>(app, 'POST', '/v1/chat/completions', {
      credential,
      body: stream,
    });
    expect(streamed.status).toBe(200);
    expect(String(streamed.body).trimEnd()).toMatch(/data: \[DONE\]$/);
    const asked = await graphql(
      app,
      'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }',
      { input: CHAT },
      credential,
    );
    expect(asked.errors).toBeUndefined();
    const embedded = await rest(app, 'POST', '/v1/embeddings', {
      credential,
      body: { model: 'sber/gigachat-embeddings', input: ['Привет', 'мир'] },
    });
    expect([embedded.status, (embedded.body.data as unknown[]).length]).toEqual([200, 2]);
    expect(logins).toEqual(['Basic aWQ6c2VjcmV0']);
    const received = double.received('sber');
    expect(received.map(({ path }) => path)).toEqual([
      '/api/v1/chat/completions',
      '/api/v1/chat/completions',
      '/api/v1/chat/completions',
      '/api/v1/embeddings',
    ]);
    expect(new Set(received.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer sber']),
    );
  });

  it('refuses tools, which it takes in a format that is on the roadmap', async () => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];
    const { status, body } = await rest<{ error: { code: string } }>(
      app,
      'POST',
      '/v1/chat/completions',
      { credential: customer.key, body: { ...CHAT, tools } },
    );
    expect([status, body.error.code]).toEqual([400, 'capability_unsupported']);
  });
});
