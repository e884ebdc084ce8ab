import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, rest, startApp, type TestApp } from '../support/app.js';
import { freshEmail, outcome, PASSWORD } from './people.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

type Json = Record<string, unknown>;

/** What a customer can say in two ways; each answers in the words of REST. */
interface Voice {
  register(email: string): Promise<Json>;
  invite(token: string, email: string, role: string): Promise<string>;
  join(invitation: string): Promise<Json>;
  createKey(token: string): Promise<Json>;
  topUp(token: string, rub: string): Promise<Json>;
  createPolicy(token: string): Promise<Json>;
  chat(key: string, content: string): Promise<Json>;
  stream(key: string, content: string): Promise<readonly Json[]>;
  embed(key: string, input: string): Promise<Json>;
  usage(token: string): Promise<readonly Json[]>;
  ledger(token: string): Promise<readonly Json[]>;
  balance(token: string): Promise<Json>;
  revoke(token: string, id: string): Promise<Json>;
}

async function ok(method: string, path: string, credential?: string, body?: Json): Promise<Json> {
  const answer = await rest<Json>(app, method, path, { credential, body });
  expect([method, path, answer.status, answer.status === 200 ? '' : answer.body]).toEqual([
    method,
    path,
    200,
    '',
  ]);
  return answer.body;
}

async function ask(text: string, variables: Json, credential?: string): Promise<Json> {
  const { data, errors } = await graphql<Json>(app, text, variables, credential);
  expect(errors).toBeUndefined();
  const [value] = Object.values(data);
  return value as Json;
}

function message(content: string, more: Json = {}): Json {
  return { model: 'gw:auto', messages: [{ role: 'user', content }], ...more };
}

const INVITE = `mutation($email: String!, $role: Role!) {
  inviteCreate(email: $email, role: $role) { token }
}`;
const POLICY = {
  name: 'first hour',
  budgets: { daily_rub: 10 },
  limits: { rpm: 100 },
  firewall: { card: 'mask' },
};

/** Members are invited in GraphQL alone. */
async function invited(token: string, email: string, role: string): Promise<string> {
  return String((await ask(INVITE, { email, role }, token)).token);
}

const throughRest: Voice = {
  register: (email) =>
    ok('POST', '/auth/register', undefined, { email, password: PASSWORD, organization: 'Ромашка' }),
  invite: invited,
  join: (token) => ok('POST', '/auth/accept-invite', undefined, { token, password: PASSWORD }),
  createKey: (token) => ok('POST', '/api-keys', token, { keyType: 'service', name: 'first' }),
  topUp: (token, rub) => ok('POST', '/billing/top-up/manual', token, { amount_rub: rub }),
  createPolicy: (token) => ok('POST', '/v1/gw/policies', token, POLICY),
  chat: (key, content) => ok('POST', '/v1/chat/completions', key, message(content)),
  stream: async (key, content) => {
    const body = message(content, { stream: true });
    return eventsOf(String(await ok('POST', '/v1/chat/completions', key, body)));
  },
  embed: (key, input) => ok('POST', '/v1/embeddings', key, { model: 'sandbox/gw-embed', input }),
  usage: async (token) => (await ok('GET', '/usage', token)).data as Json[],
  ledger: async (token) => (await ok('GET', '/billing/ledger', token)).data as Json[],
  balance: (token) => ok('GET', '/billing/balance', token),
  revoke: (token, id) => ok('DELETE', `/api-keys/${id}`, token),
};

function eventsOf(text: string): Json[] {
  const events = text.split('\n\n').filter((event) => event.startsWith('data: '));
  expect(events.pop()).toBe('data: [DONE]');
  return events.map((event) => JSON.parse(event.slice('data: '.length)));
}

const USER =
  'user { id email role } accessToken refreshToken tokenType expiresIn: expiresInSeconds';
const BALANCE = `{ account_id: accountId currency balance_rub: postedRub held_rub: heldRub
  available_rub: availableRub plan sla_class: slaClass commit_rub: commitRub }`;
const KEY = `{ id name keyType status project_id: projectId prefix last_four: lastFour
  created_at: createdAt expires_at: expiresAt revoked_at: revokedAt
  allowed_models: allowedModels allowed_addresses: allowedAddresses limits { rpm tpm }
  data_class_min: dataClassMin workspace_id: workspaceId
  budgets { daily_rub: dailyRub monthly_rub: monthlyRub total_rub: totalRub }
  secrets { prefix last_four: lastFour made_at: madeAt made_by: madeBy ends_at: endsAt
    last_used_at: lastUsedAt is_current: isCurrent } }`;
const LINE = `{ id sequence type amount_rub: amountRub posted_after_rub: postedAfterRub
  request_id: requestId model }`;
const USED = `{ request_id: id operation model status streamed amount_rub: amountRub
  tokens { input_uncached: inputUncached output_text: outputText } }`;

const throughGraphql: Voice = {
  register: (email) =>
    ask(
      `mutation($email: String!, $password: String!) {
        authRegister(email: $email, password: $password, organization: "Ромашка") {
          tenant { id name plan } project { id name } account { id currency } ${USER}
        }
      }`,
      { email, password: PASSWORD },
    ),
  invite: invited,
  join: (token) =>
    ask(
      `mutation($token: String!, $password: String!) {
        inviteAccept(token: $token, password: $password) { ${USER} }
      }`,
      { token, password: PASSWORD },
    ),
  createKey: (token) =>
    ask(
      `mutation { apiKeyCreate(input: { keyType: service, name: "first" }) {
        id: apiKeyId key details: apiKey ${KEY}
      } }`,
      {},
      token,
    ),
  topUp: async (token, rub) => {
    const text = `mutation($rub: Rub!) { billingTopUp(amount: $rub) {
      request_id: requestId amount_rub: amountRub balance ${BALANCE}
    } }`;
    return numbers(await ask(text, { rub }, token));
  },
  createPolicy: async (token) =>
    numbers(
      await ask(
        `mutation { policyCreate(input: {
          name: "first hour", budgets: { dailyRub: "10" }, limits: { rpm: 100 },
          firewall: { card: mask }
        }) {
          id name project_id: projectId enabled version
          budgets { daily_rub: dailyRub monthly_rub: monthlyRub }
          allowed_models: allowedModels
          limits { rpm tpm concurrency max_output_tokens: maxOutputTokens }
          hybrid data_class_min: dataClassMin firewall created_at: createdAt updated_at: updatedAt
          firewall_custom: firewallCustom { name words patterns mode data_class: dataClass }
          firewall_unread: firewallUnread { audio file image sealed tokens video }
        } }`,
        {},
        token,
      ),
    ),
  chat: (key, content) =>
    ask(
      'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }',
      { input: message(content) },
      key,
    ),
  stream: (key, content) => followed(key, message(content, { stream: true })),
  embed: (key, input) =>
    ask(
      'mutation($input: EmbeddingsRequest!) { embeddingsCreate(input: $input) }',
      { input: { model: 'sandbox/gw-embed', input } },
      key,
    ),
  usage: (token) => nodes(`{ usage { nodes ${USED} } }`, token),
  ledger: (token) => nodes(`{ ledger { nodes ${LINE} } }`, token),
  balance: async (token) => numbers(await ask(`{ balance ${BALANCE} }`, {}, token)),
  revoke: (token, id) => ask(`mutation($id: ID!) { apiKeyRevoke(id: $id) ${KEY} }`, { id }, token),
};

async function nodes(text: string, token: string): Promise<readonly Json[]> {
  return numbers((await ask(text, {}, token)).nodes as Json[]);
}

/** REST writes amounts and large integers as numbers, GraphQL as decimal texts. */
function numbers<T>(value: T): T {
  const text = JSON.stringify(value).replace(
    /"((?:\w+_)?rub|sequence)":"(-?[\d.]+)"/g,
    (_, name: string, amount: string) => `"${name}":${Number(amount)}`,
  );
  return JSON.parse(text) as T;
}

/** The events of a subscription over server-sent events. */
async function followed(key: string, input: Json): Promise<readonly Json[]> {
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${key}`,
    },
    body: JSON.stringify({
      query: 'subscription($input: ChatCompletionRequest!) { chatCompletionStream(input: $input) }',
      variables: { input },
    }),
  });
  return (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as { data: Json; errors?: unknown })
    .map(({ data, errors }) => {
      expect(errors).toBeUndefined();
      return data.chatCompletionStream as Json;
    });
}

/** Everything that a customer saw, with what differs between any two customers left out. */
async function firstHour(voice: Voice): Promise<Json> {
  const owner = await voice.register(freshEmail());
  const token = String(owner.accessToken);
  const colleague = await voice.join(await voice.invite(token, freshEmail(), 'finance'));
  const key = await voice.createKey(token);
  const value = String(key.key);
  const topUp = await voice.topUp(token, '500');
  const policy = await voice.createPolicy(token);
  const chat = await voice.chat(value, 'Карта 4111 1111 1111 1111');
  const stream = await voice.stream(value, 'Здравствуйте');
  const embeddings = await voice.embed(value, 'Договор поставки');
  // A member of finance reads the money, and may not change keys.
  const reader = String(colleague.accessToken);
  const usage = await voice.usage(reader);
  const ledger = await voice.ledger(reader);
  const balance = await voice.balance(reader);
  const denied = await rest(app, 'DELETE', `/api-keys/${key.id}`, { credential: reader });
  const revoked = await voice.revoke(token, String(key.id));
  const after = await rest(app, 'GET', '/v1/models', { credential: value });
  const { nodes: trail } = await ask('{ auditEvents { nodes { action subject } } }', {}, token);
  return stable({
    owner,
    colleague,
    apiKey: key,
    topUp,
    policy,
    chat,
    stream,
    embeddings,
    usage: usage.map((line) => picked(line, PICKED_USAGE)),
    ledger: ledger.map((line) => picked(line, PICKED_LEDGER)),
    balance,
    denied: outcome(denied),
    revoked,
    after: outcome(after),
    trail,
  });
}

const PICKED_USAGE = ['operation', 'model', 'status', 'streamed', 'amount_rub'];
const PICKED_LEDGER = ['sequence', 'type', 'amount_rub', 'posted_after_rub', 'model'];

function picked(line: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, line[name]]));
}

const VARYING =
  /^(.*_)?(id|ids|ms|at|email|by|key|prefix|four|token|created|met|accessToken|refreshToken)$/;

/** The same structure with ids, secrets and times blotted out. */
function stable(value: Json): Json {
  const text = JSON.stringify(value, (name, each: unknown) =>
    VARYING.test(name) && each !== null ? '~' : each,
  );
  return JSON.parse(text) as Json;
}

describe("a customer's first hour", () => {
  it('is the same story through REST and through GraphQL', async () => {
    const told = await firstHour(throughRest);
    expect(await firstHour(throughGraphql)).toEqual(told);
    expect(told).toMatchObject({
      owner: { user: { role: 'owner' }, tenant: { name: 'Ромашка', plan: 'prepaid' } },
      colleague: { user: { role: 'finance' } },
      apiKey: { details: { keyType: 'service', status: 'active' } },
      topUp: { amount_rub: 500 },
      policy: { ...POLICY, version: 1 },
      chat: { gw_firewall: { verdict: 'masked' } },
      denied: '403 permission_denied',
      revoked: { status: 'revoked' },
      after: '401 api_key_revoked',
    });
    expect((told.usage as Json[]).map(({ operation, streamed }) => [operation, streamed])).toEqual([
      ['embeddings', false],
      ['chat', true],
      ['chat', false],
    ]);
    expect((told.ledger as Json[]).map(({ type }) => type)).toEqual([
      'finalize',
      'hold',
      'finalize',
      'hold',
      'finalize',
      'hold',
      'top_up',
    ]);
    expect(told.trail).toEqual(
      [
        ['apiKeyRevoke', 'ApiKey'],
        ['policyCreate', 'Policy'],
        ['billingTopUp', 'Account'],
        ['apiKeyCreate', 'ApiKey'],
        ['inviteAccept', 'Invite'],
        ['inviteCreate', 'Invite'],
        ['authRegister', 'Tenant'],
      ].map(([action, subject]) => ({ action, subject })),
    );
  });

  it('ends with money that adds up to the micro-ruble', async () => {
    const owner = await throughRest.register(freshEmail());
    const token = String(owner.accessToken);
    const key = String((await throughRest.createKey(token)).key);
    await throughRest.topUp(token, '100');
    const answers = [
      await throughRest.chat(key, 'Здравствуйте'),
      await throughGraphql.chat(key, 'Здравствуйте'),
    ];
    const costs = answers.map(({ gw_routing }) => Number((gw_routing as Json).cost_rub));
    const { balance_rub, held_rub } = await throughRest.balance(token);
    const spent = Math.round((100 - Number(balance_rub)) * 1e6);
    expect([spent, held_rub]).toEqual([Math.round(costs.reduce((a, b) => a + b, 0) * 1e6), 0]);
    expect(costs[0]).toBe(costs[1]);
  });
});
