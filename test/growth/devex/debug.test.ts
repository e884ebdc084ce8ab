import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../../src/kernel/errors/catalogue.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { englishWords } from '../../support/english-words.js';
import { apply, type Debugged, debugAt, MODEL, SAID } from './debugging.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 1_000, 'standard');
});
afterAll(() => app?.stop());

const debug = (body: object, credential?: string) => debugAt(app, body, credential);

describe('the normalised request', () => {
  it('is what the stages read, without a text', async () => {
    const request = {
      model: 'gw:auto',
      messages: SAID,
      stream: true,
      max_completion_tokens: 40,
      n: 2,
      tools: [{ type: 'function', function: { name: 'weather' } }],
      metadata: { feature: 'chat', client_id: 'acme', ticket: 'Привет' },
      temprature: 1,
    };
    const { verdict, normalized, warnings } = await debug({ request });
    expect(verdict).toBe('passes');
    expect(normalized).toEqual({
      operation: 'chat',
      model: 'gw:auto',
      resolved_model: 'gw:auto',
      automatic: true,
      stream: true,
      messages: 1,
      tools: 1,
      needs: ['tools', 'streaming'],
      prompt_tokens_about: expect.any(Number),
      output_tokens_max: 40,
      choices: 2,
      feature: 'chat',
      environment: null,
      client_id: 'acme',
      other_metadata: ['ticket'],
      members_unread: ['temprature'],
    });
    expect(JSON.stringify(normalized)).not.toContain('Привет');
    expect(warnings.map(({ code, path }) => [code, path])).toEqual([
      ['parameter_unread', 'temprature'],
      ['missing_metadata', 'metadata.environment'],
    ]);
  });

  it('may be of metadata alone: texts are stood for, and it says so', async () => {
    const { verdict, warnings } = await debug({ model: MODEL, metadata: { feature: 'x' } });
    expect(verdict).toBe('passes');
    expect(warnings.map(({ code }) => code)).toContain('texts_left_out');
  });

  it.each([
    { request: { model: 'sandbox/gw-mni', messages: SAID, max_tokens: 'много', stram: true } },
    { request: { model: MODEL }, error: 'no_such_code' },
    { error: { code: 'insufficient_balance' }, status: 401 },
    { request: { gw_prompt: { key: 'support.reply' } }, status: 404 },
    { model: MODEL, metadata: { feature: 'x' } },
  ])('is told in Russian: %#', async (body) => {
    const answer = await rest<Debugged>(app, 'POST', '/v1/gw/devex/debug', {
      body,
      headers: { 'accept-language': 'ru' },
    });
    const { reason, warnings, explanations } = answer.body;
    const texts = [
      reason,
      ...warnings.map(({ message }) => message),
      ...explanations.flatMap(({ cause, fix }) => [cause, ...fix]),
    ];
    expect([answer.status, answer.headers.get('content-language')]).toEqual([200, 'ru']);
    expect(
      texts.filter(
        (text) => englishWords(text, ['messages', 'stram', 'stream', 'alias', 'target']).length > 0,
      ),
    ).toEqual([]);
    expect(texts.length).toBeGreaterThan(1);
  });

  it('says what it cannot judge without a credential', async () => {
    const request = { gw_prompt: { key: 'support.reply' } };
    const { warnings } = await debug({ request });
    expect(warnings.map(({ code }) => code)).toContain('needs_credential');
    expect((await debug({ request }, customer.token)).explanations[0]?.code).toBe(
      'prompt_not_found',
    );
  });

  it('is of embeddings too', async () => {
    const request = { model: 'sandbox/gw-embd', input: 'Договор', dimensions: 0 };
    const { verdict, patch } = await debug({ operation: 'embeddings', request });
    expect(verdict).toBe('patched');
    const answer = await rest(app, 'POST', '/v1/embeddings', {
      credential: customer.key,
      body: apply(request, patch),
    });
    expect(answer.status).toBe(200);
  });
});

describe('the explanation', () => {
  it.each(['insufficient_balance', 'rate_limit_requests', 'idempotency_key_reused'] as const)(
    'of %s is the catalogue’s, with the page at the caller’s address',
    async (code) => {
      const { verdict, explanations } = await debug({ error_code: code });
      const { cause, fix, status } = ERRORS[code];
      expect(verdict).toBe('not_judged');
      expect(explanations).toEqual([
        { code, status, stated: true, cause, fix, doc_url: `${app.url}/docs/errors/${code}` },
      ]);
    },
  );

  it('reads codes, envelopes of REST and errors of GraphQL alike', async () => {
    const code = 'insufficient_balance';
    const forms = [
      { error_code: code },
      { code },
      { error: code },
      { error: { error: { code, message: 'x' } } },
      { error: { errors: [{ message: 'x', extensions: { code } }] } },
    ];
    for (const form of forms) expect((await debug(form)).explanations[0]?.code).toBe(code);
  });

  it('of a status alone is every error that has it', async () => {
    const { explanations } = await debug({ status: 402 });
    const known = Object.keys(ERRORS).filter((code) => ERRORS[code as 'not_found'].status === 402);
    expect(explanations.map(({ code }) => code)).toEqual(known);
  });

  it('of an unknown code or a wrong status is a warning with near names', async () => {
    const unknown = await debug({ error_code: 'insufficient_balanc' });
    expect(unknown.warnings[0]).toMatchObject({ code: 'unknown_error_code', path: '' });
    expect(unknown.warnings[0]?.near).toContain('insufficient_balance');
    const mismatch = await debug({ error_code: 'insufficient_balance', status: 500 });
    expect(mismatch.warnings[0]?.code).toBe('status_mismatch');
  });
});

describe('a debugging', () => {
  it('executes nothing, bills nothing and keeps nothing', async () => {
    const own = await newCustomer(app, 100, 'standard');
    const rows = async () => {
      const tables = ['usage_event', 'journal_entry', 'sealed_receipt', 'audit_event'];
      const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
      return (await app.owner.pool.query(`SELECT ${counts.join(', ')}`)).rows[0];
    };
    const balance = () => rest(app, 'GET', '/billing/balance', { credential: own.token });
    const before = [await rows(), (await balance()).body];
    await debug({ request: { model: 'zebra', messages: SAID, temperature: 9 } }, own.key);
    await debug({ request: { model: 'gw:auto', messages: SAID } }, own.key);
    expect([await rows(), (await balance()).body]).toEqual(before);
  });

  it.each([
    ['a list', { request: [] }],
    ['a text', { request: 'x' }],
    [
      'too much',
      { request: { model: MODEL, messages: [{ role: 'user', content: 'x'.repeat(300_000) }] } },
    ],
    ['figures past their range', { status: 99_999, prompt_tokens: -1, error_code: '' }],
  ])('refuses %s with every fault', async (_, body) => {
    const { status, body: answer } = await rest<{ error: { code: string } }>(
      app,
      'POST',
      '/v1/gw/devex/debug',
      { body },
    );
    expect([status, answer.error.code]).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['10,000 levels', `{"request":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
    ['a key of every object', '{"request":{"__proto__":{"a":1},"model":"x"}}'],
    ['half a document', '{"request":{'],
    ['a megabyte', JSON.stringify({ request: { messages: 'x'.repeat(1_048_000) } })],
  ])('survives %s', async (_, text) => {
    const headers = { 'content-type': 'application/json' };
    const address = `${app.url}/v1/gw/devex/debug`;
    const { status } = await fetch(address, { method: 'POST', headers, body: text });
    expect(status).toBe(400);
    expect((await debug({ request: { model: MODEL, messages: SAID } })).verdict).toBe('passes');
  });

  it('takes figures beyond all bounds as what they are', async () => {
    const request = { model: MODEL, messages: SAID, max_tokens: 1e300 };
    const { verdict, patch } = await debug({ request });
    expect(verdict).toBe('patched');
    expect(patch).toEqual([{ op: 'replace', path: '/max_tokens', value: 10_000_000 }]);
  });

  it('says the same in GraphQL', async () => {
    const request = { model: 'zebra', messages: SAID, temperature: 3 };
    const query = `query ($input: RequestDebugInput!) {
      requestDebug(input: $input) { verdict valuesChanged patch { op path value } } }`;
    const { data } = await graphql(app, query, { input: { request } });
    const { verdict, values_changed, patch } = await debug({ request });
    expect(data.requestDebug).toEqual({ verdict, valuesChanged: values_changed, patch });
  });
});
