import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, customerUnder, newPolicy, outcome } from '../../journeys/people.js';
import { INSIDE, OUTSIDE, type RoutedApp, startRoutedApp } from '../../journeys/providers.js';
import { rest, type TestApp } from '../../support/app.js';

let app: RoutedApp;
beforeAll(async () => {
  app = await startRoutedApp();
});
afterAll(() => app.stop());

interface Forwarded {
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
}

/** What the double got last, on either lane. */
function lastForwarded(): Forwarded {
  return JSON.parse(app.double.log.at(-1)?.body ?? '{}') as Forwarded;
}

function patch(credential: string, id: string, body: Record<string, unknown>) {
  return rest(app as TestApp, 'PATCH', `/v1/gw/policies/${id}`, { credential, body });
}

describe('an allow-list', () => {
  it('refuses other models by name, lists its own and holds for gw:auto', async () => {
    const { key } = await customerUnder(app, { name: 'inside', allowed_models: [INSIDE] });
    const refused = await chat(app, key, 'Здравствуйте', { model: OUTSIDE });
    expect(outcome(refused)).toBe('403 model_not_allowed');
    expect(refused.body.error.message).toContain('"inside"');
    const automatic = await chat(app, key);
    expect(automatic.body.gw_routing.model).toBe(INSIDE);
    expect(automatic.body.gw_routing.candidates).toEqual([
      expect.objectContaining({ model: INSIDE, chosen: true }),
      expect.objectContaining({ model: OUTSIDE, rejected: 'not_allowed' }),
    ]);
    const listed = await rest<{ data: { id: string }[] }>(app, 'GET', '/v1/models', {
      credential: key,
    });
    expect(listed.body.data.map(({ id }) => id)).toEqual(['gw:auto', INSIDE]);
  });

  it('of two policies is what both allow', async () => {
    const customer = await customerUnder(app, { name: 'one', allowed_models: [INSIDE, OUTSIDE] });
    await newPolicy(app, customer.token, { name: 'two', allowed_models: [OUTSIDE] });
    const refused = await chat(app, customer.key, 'Здравствуйте', { model: INSIDE });
    expect(outcome(refused)).toBe('403 model_not_allowed');
    expect((await chat(app, customer.key)).body.model).toBe(OUTSIDE);
  });
});

describe('limits', () => {
  it('of requests a minute refuse the next one with the time to wait', async () => {
    const { key } = await customerUnder(app, { limits: { rpm: 2 } });
    const first = await chat(app, key);
    expect(first.headers.get('x-ratelimit-limit-requests')).toBe('2');
    expect(first.headers.get('x-ratelimit-remaining-requests')).toBe('1');
    expect(outcome(await chat(app, key))).toBe('200');
    const refused = await chat(app, key);
    expect(outcome(refused)).toBe('429 rate_limit_requests');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
  });

  it('of tokens a minute count what was asked for, and give back what was not used', async () => {
    const { key } = await customerUnder(app, { limits: { tpm: 2_000 } });
    const first = await chat(app, key, 'Здравствуйте', { max_tokens: 1_500 });
    expect(outcome(first)).toBe('200');
    expect(first.headers.get('x-ratelimit-limit-tokens')).toBe('2000');
    // 18 tokens were used, so that as large a request fits again.
    expect(outcome(await chat(app, key, 'Здравствуйте', { max_tokens: 1_500 }))).toBe('200');
    const usage = { prompt_tokens: 11, completion_tokens: 1_900 };
    app.double.script('outside', { usage, text: 'слово '.repeat(1_000) });
    await chat(app, key, 'Здравствуйте', { max_tokens: 1_500 });
    app.double.script('outside', {});
    const refused = await chat(app, key, 'Здравствуйте', { max_tokens: 1_500 });
    expect(outcome(refused)).toBe('429 rate_limit_tokens');
  });

  it('of requests at the same time free a slot when an answer ends, however it ends', async () => {
    const { key } = await customerUnder(app, { limits: { concurrency: 1 } });
    app.double.script('outside', { delayMs: 300 }, {});
    const both = await Promise.all([chat(app, key), chat(app, key)]);
    expect(both.map(outcome).sort()).toEqual(['200', '429 rate_limit_concurrency']);
    app.double.script('outside', { status: 400 }, {});
    expect(outcome(await chat(app, key))).toBe('400 upstream_rejected');
    expect(outcome(await chat(app, key, 'Здравствуйте', { stream: true }))).toBe('200');
    expect(outcome(await chat(app, key))).toBe('200');
  });

  it("of output tokens lower what a provider is asked for, by the client's own name", async () => {
    const { key } = await customerUnder(app, { limits: { max_output_tokens: 50 } });
    await chat(app, key);
    expect(lastForwarded()).toMatchObject({ max_tokens: 50 });
    await chat(app, key, 'Здравствуйте', { max_tokens: 1_000 });
    expect(lastForwarded()).toMatchObject({ max_tokens: 50 });
    await chat(app, key, 'Здравствуйте', { max_completion_tokens: 1_000 });
    expect(lastForwarded()).toMatchObject({ max_completion_tokens: 50 });
    await chat(app, key, 'Здравствуйте', { max_tokens: 20 });
    expect(lastForwarded()).toMatchObject({ max_tokens: 20 });
    await chat(app, key, 'Здравствуйте', { max_tokens: 1_000, stream: true });
    expect(lastForwarded()).toMatchObject({ max_tokens: 50 });
  });

  it('of output tokens cannot be passed by naming both fields', async () => {
    const { key } = await customerUnder(app, { limits: { max_output_tokens: 50 } });
    await chat(app, key, 'Здравствуйте', { max_tokens: 1_000, max_completion_tokens: 10 });
    const { max_tokens: old = 0, max_completion_tokens: current = 0 } = lastForwarded();
    expect(Math.max(old, current)).toBeLessThanOrEqual(50);
  });
});

describe('a policy that changes', () => {
  it('holds for the very next request', async () => {
    const customer = await customerUnder(app, { limits: { max_output_tokens: 50 } });
    await chat(app, customer.key);
    for (const cap of [60, 70, 80]) {
      await patch(customer.token, customer.policyId, { limits: { max_output_tokens: cap } });
      await chat(app, customer.key);
      expect(lastForwarded()).toMatchObject({ max_tokens: cap });
    }
    await patch(customer.token, customer.policyId, { enabled: false });
    await chat(app, customer.key);
    expect(lastForwarded().max_tokens).toBeUndefined();
  });

  it('is named with its version in the receipt of each request', async () => {
    const customer = await customerUnder(app, { name: 'seen' });
    const versions = async () => (await chat(app, customer.key)).body.gw_routing.policies;
    expect(await versions()).toEqual([{ id: customer.policyId, version: 1 }]);
    await patch(customer.token, customer.policyId, { name: 'seen again' });
    expect(await versions()).toEqual([{ id: customer.policyId, version: 2 }]);
  });

  it('holds for its project alone', async () => {
    const customer = await customerUnder(app, { allowed_models: [INSIDE] });
    const { body } = await rest<{ data?: { projectCreate: { id: string } } }>(
      app,
      'POST',
      '/graphql',
      {
        credential: customer.token,
        body: { query: 'mutation { projectCreate(name: "second") { id } }' },
      },
    );
    const { body: created } = await rest<{ key: string }>(app, 'POST', '/api-keys', {
      credential: customer.token,
      body: { keyType: 'standard', name: 'k', project_id: body.data?.projectCreate.id },
    });
    expect((await chat(app, created.key)).body.model).toBe(OUTSIDE);
    expect((await chat(app, customer.key)).body.model).toBe(INSIDE);
  });
});
