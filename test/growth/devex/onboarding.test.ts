import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MILESTONES } from '../../../src/growth/devex/onboarding/vocabulary.js';
import { newId } from '../../../src/kernel/ids.js';
import { chat, newPolicy } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { type LiveApp, startLiveApp } from '../../support/live-app.js';

interface Item {
  readonly code: string;
  readonly done: boolean;
  readonly provenance: string | null;
  readonly reached_at: string | null;
  readonly closed_by: string;
}

interface Progress {
  readonly id: string;
  readonly percent: number;
  readonly measured: number;
  readonly declared: number;
  readonly milestones: readonly Item[];
  readonly time_to_first_success_seconds: number | null;
  readonly production: { readonly percent: number };
  readonly next_step: { readonly closed_by: string } | null;
  readonly receipt_id: string;
  readonly already_sealed: boolean;
}

let app: LiveApp;
beforeAll(async () => {
  app = await startLiveApp();
});
afterAll(() => app?.stop());

async function track({ token }: Customer, body: object = {}): Promise<Progress> {
  const path = '/v1/gw/devex/onboarding';
  const answer = await rest<Progress>(app, 'POST', path, { credential: token, body });
  expect([answer.status, answer.body]).toEqual([200, expect.any(Object)]);
  return answer.body;
}

const receipt = (id: string, { token }: Customer) =>
  rest<Record<string, unknown>>(app, 'GET', `/v1/gw/devex/onboarding/${id}/receipt`, {
    credential: token,
  });

function shownBy({ milestones }: Progress): Record<string, string> {
  return Object.fromEntries(
    milestones.flatMap(({ code, provenance }) => (provenance ? [[code, provenance]] : [])),
  );
}

describe('an onboarding', () => {
  it('begins with what rows show; each milestone names the call that reaches it', async () => {
    const customer = await newCustomer(app, 0, 'standard');
    const progress = await track(customer);
    expect(progress).toMatchObject({
      percent: 12,
      measured: 1,
      declared: 0,
      time_to_first_success_seconds: null,
      already_sealed: false,
      next_step: { closed_by: 'GET /v1/gw/devex/quickstart' },
    });
    expect(shownBy(progress)).toEqual({ api_key: 'live_measured' });
    expect(progress.milestones.map(({ code, closed_by }) => [code, closed_by])).toEqual(
      MILESTONES.rows.map(({ code, closedBy }) => [code, closedBy]),
    );
  });

  it('tells what rows show from what was ticked by hand, and a row wins', async () => {
    const customer = await newCustomer(app, 500, 'standard');
    const names = ['quickstart', 'first_request', 'policy'];
    const told = await track(customer, { milestones: names });
    expect(shownBy(told)).toEqual({
      api_key: 'live_measured',
      quickstart: 'declared',
      first_request: 'declared',
      policy: 'declared',
    });
    expect(told.time_to_first_success_seconds).toBeNull();
    await chat(app, customer.key);
    await newPolicy(app, customer.token, { budgets: { daily_rub: 100 } });
    await rest(app, 'POST', '/v1/gw/routing/policies', {
      credential: customer.token,
      body: { policy_key: 'main', objective: 'LOWEST_COST', fallback_model: 'sandbox/gw-mini' },
    });
    await rest(app, 'POST', '/v1/gw/prompts', {
      credential: customer.token,
      body: { prompt_key: 'a', owner_team: 'b', use_case: 'c', template: 'Say hello.' },
    });
    const seen = await track(customer);
    expect(shownBy(seen)).toMatchObject({
      quickstart: 'declared',
      api_key: 'live_measured',
      first_request: 'live_measured',
      policy: 'live_measured',
      budget: 'live_measured',
      fallback: 'live_measured',
      prompt: 'live_measured',
    });
    expect(shownBy(seen)).not.toHaveProperty('approval');
    expect(seen.time_to_first_success_seconds).toEqual(expect.any(Number));
    expect(seen.declared).toBe(1);
  });

  it('takes one milestone by its name, and refuses one that there is not', async () => {
    const customer = await newCustomer(app);
    expect(shownBy(await track(customer, { milestone: 'quickstart' }))).toMatchObject({
      quickstart: 'declared',
    });
    const answer = await rest(app, 'POST', '/v1/gw/devex/onboarding', {
      credential: customer.token,
      body: { milestones: ['quickstrat'] },
    });
    expect(answer.status).toBe(400);
  });

  it('does not take answers of simulated models for a first success', async () => {
    const customer = await newCustomer(app, 500);
    await rest(app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { model: 'sandbox/gw-mini', messages: [{ role: 'user', content: 'x' }] },
    });
    expect(shownBy(await track(customer))).toEqual({ api_key: 'live_measured' });
  });
});

describe('its receipt', () => {
  it('is sealed for each state that differs from the last, and the same for the same', async () => {
    const customer = await newCustomer(app);
    const first = await track(customer);
    const again = await track(customer);
    expect([again.receipt_id, again.already_sealed]).toEqual([first.receipt_id, true]);
    const next = await track(customer, { milestones: ['quickstart'] });
    expect(next.id).toBe(first.id);
    expect(next.receipt_id).not.toBe(first.receipt_id);
    const { status, body } = await receipt(next.id, customer);
    expect(status).toBe(200);
    const { id: _, receipt_id, already_sealed: _sealed, ...progress } = next;
    expect(body).toMatchObject({ id: receipt_id, edition: 2, ...progress });
    const { data } = await graphql<{ onboardingReceiptVerification: object }>(
      app,
      `{ onboardingReceiptVerification(id: "${receipt_id}") { valid chainValid } }`,
      {},
      customer.token,
    );
    expect(data.onboardingReceiptVerification).toEqual({ valid: true, chainValid: true });
  });

  it('is one where many ask at once', async () => {
    const customer = await newCustomer(app);
    const all = await Promise.all(Array.from({ length: 6 }, () => track(customer)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(new Set(all.map(({ receipt_id }) => receipt_id)).size).toBe(1);
  });

  it('holds what each has declared where many declare at once', async () => {
    const customer = await newCustomer(app);
    await track(customer);
    const codes = ['quickstart', 'first_request', 'policy', 'budget', 'fallback', 'prompt'];
    const told = await Promise.all(codes.map((code) => track(customer, { milestones: [code] })));
    expect(new Set(told.map(({ receipt_id }) => receipt_id)).size).toBe(codes.length);
    expect(told.filter(({ already_sealed }) => already_sealed)).toEqual([]);
    for (const [index, code] of codes.entries()) {
      expect(shownBy(told[index] as Progress)).toHaveProperty(code, 'declared');
    }
    const last = await track(customer);
    expect(last).toMatchObject({ already_sealed: true, declared: codes.length });
    const { body } = await receipt(last.id, customer);
    expect(body).toMatchObject({ edition: codes.length + 1, declared: codes.length });
  });

  it.each([
    { milestones: [null] },
    { milestones: [['quickstart']] },
    { milestones: ['quick\u0000start'] },
    { milestones: Array(50).fill('quickstart') },
    { milestone: 5 },
    [],
  ])('is not begun by %j, in either voice', async (body) => {
    const customer = await newCustomer(app);
    const credential = customer.token;
    const answer = await rest(app, 'POST', '/v1/gw/devex/onboarding', { credential, body });
    expect(answer.status).toBe(400);
    const query =
      'mutation($input: OnboardingTrackInput!) { onboardingTrack(input: $input) { id } }';
    const { errors } = await graphql(app, query, { input: body }, credential);
    expect(errors?.[0]?.extensions.code).toMatch(/^(invalid_request|graphql_invalid)$/);
    expect((await track(customer)).already_sealed).toBe(false);
  });

  it('of another organization looks exactly like none', async () => {
    const customer = await newCustomer(app);
    const stranger = await newCustomer(app);
    const { id } = await track(stranger);
    await track(customer);
    const known = await receipt(id, customer);
    const other = newId('Onboarding');
    const unknown = await receipt(other, customer);
    const plain = (answer: typeof known, of: string) =>
      JSON.stringify({ ...answer.body, request: undefined })
        .replaceAll(of, 'ID')
        .replace(/"request_id":"[^"]+"/, '');
    expect([known.status, unknown.status]).toEqual([404, 404]);
    expect(plain(known, id)).toBe(plain(unknown, other));
    expect((await receipt('nope', customer)).status).toBe(400);
  });

  it('is the same in GraphQL', async () => {
    const customer = await newCustomer(app);
    const { data } = await graphql<{ onboardingTrack: { id: string; receiptId: string } }>(
      app,
      'mutation { onboardingTrack(input: { milestones: [quickstart] }) { id receiptId } }',
      {},
      customer.token,
    );
    const { id, receiptId } = data.onboardingTrack;
    expect((await receipt(id, customer)).body.id).toBe(receiptId);
  });
});
