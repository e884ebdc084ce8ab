import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPolicy } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { apply, chatAt, debugAt, MODEL, SAID } from './debugging.js';

let app: TestApp;
let customer: Customer;
let stranger: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 1_000, 'standard');
  stranger = await newCustomer(app, 1_000, 'standard');
});
afterAll(() => app?.stop());

const debug = (body: object, credential?: string) => debugAt(app, body, credential);
const chat = (body: unknown, customer: Customer) => chatAt(app, body, customer);

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
  ['a model that is not set up', { model: 'sber/gigachat-2-pro' }, 1, 'unknown_model'],
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
