import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../../src/kernel/errors/catalogue.js';
import { newPolicy } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

interface Debugged {
  readonly verdict: string;
  readonly reason: string;
  readonly normalized: Readonly<Record<string, unknown>> | null;
  readonly warnings: readonly {
    readonly code: string;
    readonly path: string;
    readonly near: readonly string[];
  }[];
  readonly explanations: readonly {
    readonly code: string;
    readonly stated: boolean;
    readonly cause: string;
    readonly fix: readonly string[];
    readonly doc_url: string;
  }[];
  readonly patch: readonly {
    readonly op: string;
    readonly path: string;
    readonly value?: unknown;
  }[];
  readonly values_changed: number;
}

let app: TestApp;
let customer: Customer;
let stranger: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 1_000, 'standard');
  stranger = await newCustomer(app, 1_000, 'standard');
});
afterAll(() => app?.stop());

async function debug(body: object, credential?: string): Promise<Debugged> {
  const answer = await rest<Debugged>(app, 'POST', '/v1/gw/devex/debug', { body, credential });
  expect([answer.status, answer.body]).toEqual([200, expect.any(Object)]);
  return answer.body;
}

const MODEL = 'sandbox/gw-mini';
const SAID = [{ role: 'user', content: 'Привет' }];

/** RFC 6902 as the customer's own library does it: written apart from what made the patch. */
function apply(body: unknown, patch: Debugged['patch']): unknown {
  const copy = structuredClone(body) as Record<string, unknown>;
  for (const { op, path, value } of patch) {
    const steps = path
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = steps.pop() ?? '';
    const parent = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], copy);
    if (Array.isArray(parent)) {
      if (op === 'remove') parent.splice(Number(last), 1);
      else parent.splice(Number(last), op === 'replace' ? 1 : 0, value);
    } else if (op === 'remove') delete (parent as Record<string, unknown>)[last];
    else (parent as Record<string, unknown>)[last] = value;
  }
  return copy;
}

const chat = (body: unknown, { key }: Customer) =>
  rest<{ error?: { code: string } }>(app, 'POST', '/v1/chat/completions', {
    credential: key,
    body,
  });

/** Requests that a gateway refuses, each with the smallest number of values that mends it. */
const FAILED: readonly (readonly [
  name: string,
  request: object,
  values: number,
  warning: string,
])[] = [
  ['a temperature past its range', { temperature: 3 }, 1, 'parameter_out_of_range'],
  ['a number as a text', { top_p: '0,5' }, 1, 'parameter_wrong_type'],
  ['no answer tokens', { max_tokens: 0 }, 1, 'parameter_out_of_range'],
  ['a flag as a text', { stream_options: { include_usage: 'yes' } }, 1, 'parameter_wrong_type'],
  [
    'a role of another client',
    { messages: [{ role: 'human', content: 'x' }] },
    1,
    'parameter_unknown_value',
  ],
  ['a misspelt role', { messages: [{ role: 'usr', content: 'x' }] }, 1, 'parameter_unknown_value'],
  ['a message without content', { messages: [{ role: 'user' }] }, 1, 'parameter_missing'],
  ['messages as a text', { messages: 'Привет' }, 2, 'parameter_wrong_type'],
  ['a bare message', { messages: { role: 'user', content: 'x' } }, 2, 'parameter_wrong_type'],
  ['arguments that are no text', withArguments({ city: 'Казань' }), 1, 'parameter_wrong_type'],
  [
    'a tool without a name',
    { tools: [{ type: 'function', function: {} }] },
    2,
    'parameter_missing',
  ],
  ['a misspelt model', { model: 'sandbox/gw-mni' }, 1, 'unknown_model'],
  ['a model of nobody', { model: 'zebra' }, 1, 'unknown_model'],
  ['no model', { model: null }, 1, 'parameter_missing'],
  ['a model that embeds', { model: 'sandbox/gw-embed' }, 1, 'unsupported_capability'],
  ['a model of a roadmap adapter', { model: 'sber/gigachat-2-pro' }, 1, 'route_unavailable'],
  [
    'an image for a model without eyes',
    { messages: [{ role: 'user', content: [IMAGE()] }] },
    1,
    'unsupported_capability',
  ],
  [
    'a prompt that is too long',
    { messages: [{ role: 'user', content: 'слово '.repeat(18_000) }] },
    1,
    'context_too_long',
  ],
  ['a key with dots', { logit_bias: { 'a.b': 500 } }, 1, 'parameter_out_of_range'],
  ['several at once', { temperature: 9, model: 'zebra', n: 99 }, 3, 'unknown_model'],
];

function IMAGE() {
  return { type: 'image_url', image_url: { url: 'https://example.test/a.png' } };
}

function withArguments(given: object): object {
  const call = { id: 'x', type: 'function', function: { name: 'weather', arguments: given } };
  const messages = [
    ...SAID,
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', content: '+5', tool_call_id: 'x' },
  ];
  return { messages };
}

describe('the patch', () => {
  it.each(FAILED)(
    'makes %s pass at the chat itself, and no part of it can be left out',
    async (_, fault, values, warning) => {
      const request = { model: MODEL, messages: SAID, max_tokens: 20, ...fault };
      const before = await chat(request, customer);
      expect(before.status).toBeGreaterThanOrEqual(400);
      const found = await debug({ request, status: before.status, error: before.body });
      expect(found).toMatchObject({ verdict: 'patched', values_changed: values });
      expect(found.warnings.map(({ code }) => code)).toContain(warning);
      expect(found.explanations.map(({ code }) => code)).toContain(before.body.error?.code);
      expect((await chat(apply(request, found.patch), customer)).status).toBe(200);
      for (const left of found.patch) {
        const others = found.patch.filter((each) => each !== left);
        const { status } = await chat(apply(request, others), customer);
        expect([left.path, status]).not.toEqual([left.path, 200]);
      }
    },
    60_000,
  );

  it('names the model that is near', async () => {
    const { patch, warnings } = await debug({ request: { model: 'gw-mini', messages: SAID } });
    expect(patch).toEqual([{ op: 'replace', path: '/model', value: MODEL }]);
    expect(warnings[0]).toMatchObject({ code: 'unknown_model', path: 'model' });
    expect(warnings[0]?.near).toContain(MODEL);
  });

  it('is not there where nothing within the rules helps, and the answer says so', async () => {
    const request = { model: MODEL, messages: SAID };
    const long = await debug({ request, prompt_tokens: 9_000_000 });
    expect(long).toMatchObject({ verdict: 'no_patch', patch: [], values_changed: 0 });
    expect(long.reason).toContain('No change within the rules');
    expect(long.warnings[0]?.code).toBe('context_too_long');
    const many = Array.from({ length: 500 }, () => ({ role: 'human', content: 5 }));
    expect((await debug({ request: { ...request, messages: many } })).verdict).toBe('no_patch');
  });

  it('is judged by the policy of the caller, and by nobody else’s', async () => {
    const { token } = customer;
    const own = await newCustomer(app, 100);
    await newPolicy(app, own.token, {
      name: 'narrow',
      allowed_models: ['sandbox/gw-pro'],
      firewall: { phone: 'block' },
    });
    const request = { model: MODEL, messages: SAID };
    for (const credential of [undefined, token]) {
      expect((await debug({ request }, credential)).verdict).toBe('passes');
    }
    const narrow = await debug({ request }, own.token);
    expect(narrow).toMatchObject({ verdict: 'patched' });
    expect(narrow.warnings[0]?.code).toBe('policy_forbids');
    expect((await chat(apply(request, narrow.patch), own)).status).toBe(200);
    const personal = [{ role: 'user', content: 'Позвоните: +7 916 123-45-67' }];
    const blocked = { model: 'sandbox/gw-pro', messages: personal };
    expect((await chat(blocked, own)).body.error?.code).toBe('firewall_blocked');
    expect(await debug({ request: blocked }, own.token)).toMatchObject({
      verdict: 'no_patch',
      patch: [],
    });
  });

  it('knows the aliases of the caller, and those of others not at all', async () => {
    const alias = { alias: 'house-model', target: MODEL };
    await rest(app, 'POST', '/v1/gw/model-aliases', { credential: customer.token, body: alias });
    const request = { model: 'house-model', messages: SAID };
    await expect
      .poll(async () => (await debug({ request }, customer.token)).normalized)
      .toMatchObject({ model: 'house-model', resolved_model: MODEL });
    const near = { ...request, model: 'house-modl' };
    expect((await debug({ request: near }, customer.token)).patch[0]?.value).toBe('house-model');
    for (const credential of [undefined, stranger.token]) {
      const other = await debug({ request: near }, credential);
      expect(JSON.stringify(other)).not.toContain('house-model');
    }
  });
});

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

  it('takes half a surrogate pair and figures beyond all bounds as what they are', async () => {
    const request = {
      model: MODEL,
      messages: [{ role: 'user', content: '\ud800' }],
      max_tokens: 1e300,
    };
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
