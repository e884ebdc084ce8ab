import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inParallel, chat as rawChat } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { outcome } from '../../journeys/people.js';
import {
  type Answer,
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { issue, newKey, report } from './samples.js';

let app: BudgetApp;
let other: TestApp;
let customer: Customer;
let stranger: Customer;
beforeAll(async () => {
  app = await startBudgetApp();
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
  customer = await newCustomer(app, 1_000);
  stranger = await newCustomer(app);
});
afterAll(async () => {
  await other?.stop();
  await app?.stop();
});

const ask = (credential: string, at: Pick<TestApp, 'url'> = app): Promise<Answer> =>
  rest(at, 'POST', '/v1/chat/completions', { credential, body: ONE_RUBLE });
const undo = (id: unknown, credential = customer.token): Promise<Answer> =>
  rest(app, 'POST', `/v1/gw/abuse/actions/${id}/undo`, { credential });
const get = (path: string, credential = customer.token): Promise<Answer> =>
  rest(app, 'GET', path, { credential });

describe('an incident', () => {
  it('is recorded with what the caller states, and answers what to do next', async () => {
    const stated = {
      type: 'key_leak',
      actions_taken: ['revoke'],
      requests_blocked: 120,
      cost_saved: 45.5,
    };
    const { status, body } = await report(app, customer.token, stated);
    const incident = {
      id: body.id,
      type: 'key_leak',
      key_ref: null,
      actions_taken: ['revoke'],
      requests_blocked: 120,
      cost_saved: 45.5,
      provenance: 'declared',
      next_action: 'review_usage',
      next_action_reason: expect.any(String),
      note: null,
      reported_by: customer.userId,
      created_at: expect.any(String),
      actions: [],
    };
    expect([status, body]).toEqual([
      200,
      {
        id: body.id,
        next_action: 'review_usage',
        next_action_reason: expect.any(String),
        new_key: null,
        incident,
      },
    ]);
    const log = await get('/v1/gw/abuse/incidents?type=key_leak');
    expect((log.body as { data: unknown[] }).data).toEqual([incident]);
    const receipt = await get(`/v1/gw/abuse/incidents/${body.id}/receipt`);
    expect(receipt.body).toMatchObject({
      incident_id: body.id,
      type: 'key_leak',
      cost_saved_rub: 45.5,
      actions: [],
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('refuses what it does not know, and a foreign key as an unknown one', async () => {
    const wrong = [
      { type: 'leak' },
      { type: 'other', action_taken: ['revoke'] },
      { type: 'other', actions_taken: ['block'] },
      { type: 'other', requests_blocked: -1 },
      { type: 'other', cost_saved: 'much' },
      {},
    ];
    for (const body of wrong) expect((await report(app, customer.token, body)).status).toBe(400);
    const actions = { type: 'other', actions_taken: ['revoke'] };
    const unknown = '01939a3e-0c00-7005-8000-5e1f00000001';
    for (const key_ref of [unknown, stranger.keyId]) {
      const answer = await report(app, customer.token, { ...actions, key_ref });
      expect(outcome(answer)).toBe('404 not_found');
    }
    expect(outcome(await get('/v1/models', stranger.key))).toBe('200');
    const made = await report(app, customer.token, { type: 'other' });
    const foreign = await get(`/v1/gw/abuse/incidents/${made.body.id}/receipt`, stranger.token);
    expect(outcome(foreign)).toBe('404 not_found');
  });

  it('throttles the key with the tokens it issued, on every node, until it is lifted', async () => {
    const key = await newKey(app, customer);
    const token = (await issue(app, key.key)).body.token;
    for (const at of [app, other]) expect(outcome(await ask(key.key, at))).toBe('200');
    const { body } = await report(app, customer.token, {
      type: 'bot_traffic',
      key_ref: key.id,
      actions_taken: ['throttle'],
      throttle_per_minute: 3,
    });
    expect(body.next_action).toBe('lift_throttle');
    const [action] = body.incident.actions;
    expect(action).toMatchObject({
      action: 'throttle',
      key_id: key.id,
      requests_per_minute: 3,
      can_undo: true,
      undone_at: null,
    });
    for (const at of [app, other]) {
      const seen = await inParallel(12, 6, async (index) =>
        outcome(await ask(index % 2 === 0 ? key.key : token, at)),
      );
      expect(seen.filter((each) => each === '200').length).toBeLessThanOrEqual(3);
      expect(new Set(seen)).toEqual(new Set(['200', '429 key_throttled']));
    }
    expect(outcome(await ask(customer.key))).toBe('200');
    expect(outcome(await undo(action?.id, stranger.token))).toBe('404 not_found');
    expect(outcome(await undo(action?.id, key.key))).toBe('409 key_action_final');
    expect(outcome(await ask(key.key))).toBe('429 key_throttled');
    expect((await undo(action?.id)).body).toMatchObject({ id: action?.id, can_undo: false });
    expect(outcome(await undo(action?.id))).toBe('409 key_action_final');
    for (const at of [app, other]) {
      await expect.poll(async () => outcome(await ask(key.key, at))).toBe('200');
    }
  });

  it('rotates: both keys work in the grace, and the old one ends with it', async () => {
    const key = await newKey(app, customer);
    const { body } = await report(app, customer.token, {
      type: 'key_leak',
      key_ref: key.id,
      actions_taken: ['rotate'],
      grace_seconds: 60,
    });
    expect([body.next_action, body.new_key]).toEqual([
      'switch_clients',
      expect.stringMatching(/^gw_sk_/),
    ]);
    const fresh = body.new_key ?? '';
    for (const at of [app, other]) {
      expect([outcome(await ask(key.key, at)), outcome(await ask(fresh, at))]).toEqual([
        '200',
        '200',
      ]);
    }
    const again = await report(app, customer.token, {
      type: 'key_leak',
      key_ref: key.id,
      actions_taken: ['rotate'],
    });
    expect(outcome(again)).toBe('409 key_action_impossible');
    const receipt = await get(`/v1/gw/abuse/incidents/${body.id}/receipt`);
    expect(JSON.stringify(receipt.body)).not.toContain(fresh);
    // The clock of the database is what ends it: the grace is made to be over.
    await app.owner.pool.query(
      "UPDATE api_key SET expires_at = clock_timestamp() - interval '1 second' WHERE id = $1",
      [key.id],
    );
    await app.owner.pool.query(
      `UPDATE key_action SET grace_ends_at = clock_timestamp() - interval '1 second'
       WHERE key_id = $1`,
      [key.id],
    );
    for (const at of [app, other]) {
      await expect.poll(async () => outcome(await ask(key.key, at))).toBe('401 api_key_revoked');
      expect(outcome(await ask(fresh, at))).toBe('200');
    }
    const list = await rest<{ data: { id: string; status: string }[] }>(app, 'GET', '/api-keys', {
      credential: customer.token,
    });
    expect(list.body.data.find(({ id }) => id === key.id)?.status).toBe('revoked');
    expect(outcome(await undo(body.incident.actions[0]?.id))).toBe('409 key_action_final');
  });

  it('undoes a rotation within its grace: the old key stays, the new one is gone', async () => {
    const key = await newKey(app, customer);
    const body = { type: 'key_leak', key_ref: key.id, actions_taken: ['rotate', 'throttle'] };
    const made = (await report(app, customer.token, body)).body;
    const rotated = made.incident.actions.find(({ action }) => action === 'rotate');
    for (const { id } of made.incident.actions) expect((await undo(id)).status).toBe(200);
    expect(rotated).toMatchObject({ grace_ends_at: expect.any(String) });
    for (const at of [app, other]) {
      await expect.poll(async () => outcome(await ask(key.key, at))).toBe('200');
      expect(outcome(await ask(made.new_key ?? '', at))).toBe('401 api_key_revoked');
    }
  });

  it('revokes on every node, also a stream’s key, and says that this is final', async () => {
    const key = await newKey(app, customer);
    const token = (await issue(app, key.key)).body.token;
    for (const at of [app, other]) expect(outcome(await ask(key.key, at))).toBe('200');
    const { body } = await report(app, customer.token, {
      type: 'stolen_key',
      key_ref: key.id,
      actions_taken: ['revoke'],
    });
    expect(body.incident.actions[0]).toMatchObject({ action: 'revoke', can_undo: false });
    for (const at of [app, other]) {
      expect(outcome(await ask(key.key, at))).toBe('401 api_key_revoked');
      expect(outcome(await ask(token, at))).toBe('401 api_key_revoked');
      const stream = await rawChat(at.url, {
        credential: key.key,
        body: { ...ONE_RUBLE, stream: true },
      });
      expect(stream.status).toBe(401);
    }
    expect(outcome(await undo(body.incident.actions[0]?.id))).toBe('409 key_action_final');
    const twice = await report(app, customer.token, {
      type: 'stolen_key',
      key_ref: key.id,
      actions_taken: ['revoke'],
    });
    expect(outcome(twice)).toBe('409 key_action_impossible');
    const audited = await graphql<{ auditEvents: { nodes: { action: string }[] } }>(
      app,
      '{ auditEvents(first: 5) { nodes { action } } }',
      {},
      customer.token,
    );
    expect(audited.data.auditEvents.nodes[0]?.action).toBe('abuseIncidentRecord');
  });

  it('lets nobody rotate or revoke who may not make keys', async () => {
    const victim = await newKey(app, customer);
    const standard = await newKey(app, customer, 'standard');
    for (const action of ['rotate', 'revoke']) {
      const answer = await report(app, standard.key, {
        type: 'other',
        key_ref: victim.id,
        actions_taken: [action],
      });
      expect(outcome(answer)).toBe('403 permission_denied');
    }
    expect(outcome(await ask(victim.key))).toBe('200');
  });

  it('of several at once on one key rotates it once', async () => {
    const key = await newKey(app, customer);
    const seen = await inParallel(8, 8, async (index) => {
      const body = { type: 'key_leak', key_ref: key.id, actions_taken: ['rotate'] };
      return outcome(await report(index % 2 === 0 ? app : other, customer.token, body));
    });
    expect(seen.sort()).toEqual(['200', ...Array(7).fill('409 key_action_impossible')]);
  });
});
