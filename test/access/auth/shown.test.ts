import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
let own: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  [own, other] = [await newCustomer(app), await newCustomer(app)];
});
afterAll(() => app?.stop());

type Sent = Record<string, string>;
interface Refused {
  readonly error?: { readonly code: string; readonly message: string };
  readonly account_id?: string;
}

const overRest = (headers: Sent) => rest<Refused>(app, 'GET', '/billing/balance', { headers });

async function overGraphql(headers: Sent, more: Sent = {}) {
  const { body } = await rest<{
    data?: { balance: { accountId: string } };
    errors?: { message: string; extensions: { code: string } }[];
  }>(app, 'POST', '/graphql', {
    headers: { ...headers, ...more },
    body: { query: '{ balance { accountId } }' },
  });
  return body;
}

describe('a key in the headers of other services', () => {
  it.each([
    ['x-api-key', () => ({ 'x-api-key': own.key })],
    ['api-key', () => ({ 'api-key': own.key })],
    ['a member in x-api-key', () => ({ 'x-api-key': own.token })],
    ['both', () => ({ 'x-api-key': own.key, 'api-key': own.key })],
    ['the same as bearer', () => ({ 'x-api-key': own.key, authorization: `Bearer ${own.key}` })],
    ['with the word', () => ({ 'x-api-key': `Bearer ${own.key}` })],
  ])('is the same credential: %s', async (_name, sent: () => Sent) => {
    expect((await overRest(sent())).body.account_id).toBe(own.accountId);
    expect((await overGraphql(sent())).data?.balance.accountId).toBe(own.accountId);
    const keyed = await overGraphql(sent(), { 'idempotency-key': crypto.randomUUID() });
    expect(keyed.data?.balance.accountId).toBe(own.accountId);
  });

  it.each([
    ['bearer', () => ({ 'x-api-key': own.key, authorization: `Bearer ${other.key}` })],
    ['each other', () => ({ 'x-api-key': own.key, 'api-key': other.key })],
    ['Basic', () => ({ 'x-api-key': own.key, authorization: 'Basic eDp5' })],
  ])('that differs from %s is refused, whichever is valid', async (_name, sent: () => Sent) => {
    const { status, body } = await overRest(sent());
    expect([status, body.error?.code]).toEqual([400, 'conflicting_credentials']);
    expect((await overGraphql(sent())).errors?.[0]?.extensions.code).toBe(
      'conflicting_credentials',
    );
    const keyed = await overGraphql(sent(), { 'idempotency-key': crypto.randomUUID() });
    expect(keyed.errors?.[0]?.extensions.code).toBe('conflicting_credentials');
  });
});

describe('what is no credential of this gateway', () => {
  const SECRET = 'Zx81Qw';
  it.each([
    [{ authorization: `gw_sk_${SECRET}` }, 'without "Bearer"', 'нет слова «Bearer»'],
    [{ authorization: 'Basic eDp5' }, 'HTTP Basic', 'HTTP Basic'],
    [{ authorization: `Bearer sk-ant-api03-${SECRET}` }, 'Anthropic', 'это ключ Anthropic'],
    [{ authorization: `Bearer sk-proj-${SECRET}` }, 'OpenAI', 'это ключ OpenAI'],
    [{ 'x-api-key': `sk-ant-api03-${SECRET}` }, 'Anthropic', 'это ключ Anthropic'],
    [{ authorization: `sk-proj-${SECRET}` }, 'OpenAI', 'это ключ OpenAI'],
    [{ authorization: `Digest username=${SECRET}` }, 'scheme Digest', 'схема Digest'],
    [{ authorization: 'Bearer' }, 'nothing stands behind', 'ничего нет'],
    [{ authorization: `Bearer "gw_sk_${SECRET}"` }, 'quotes', 'кавычки'],
    [{ authorization: ['Bearer $', '{OPENAI_API_KEY}'].join('') }, 'placeholder', 'подстановка'],
  ] as const)('%o: 401 says what was sent, in both voices and languages', async (sent, en, ru) => {
    const headers = { ...sent } as Sent;
    const { status, body } = await overRest(headers);
    expect([status, body.error?.code]).toEqual([401, 'unusable_credential']);
    expect(body.error?.message).toContain(en);
    const russian = await overRest({ ...headers, 'accept-language': 'ru' });
    expect(russian.body.error?.message).toContain(ru);
    const [error] = (await overGraphql(headers)).errors ?? [];
    expect(error?.extensions.code).toBe('unusable_credential');
    expect(error?.message).toBe(body.error?.message);
    expect(JSON.stringify([body, russian.body, error])).not.toContain(SECRET);
  });

  it('is no hindrance where no credential is needed', async () => {
    const headers = { authorization: 'Basic eDp5' };
    expect((await rest(app, 'GET', '/v1/gw/price-book/reference', { headers })).status).toBe(200);
  });
});
