import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KILL_SWITCH_STATES } from '../../../src/routing/decision/vocabulary.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { plantAnswers } from './planted-usage.js';
import { ADAPTIVE, freshRequest } from './samples.js';

const MINI = 'sandbox/gw-mini';

let app: LiveApp;
let second: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  second = await startApp({ ...app.environment, GW_NODE_ID: 'second' });
  customer = await newCustomer(app, 100);
  other = await newCustomer(app);
});
afterAll(async () => {
  await second.stop();
  await app.stop();
});

type Body = Record<string, unknown>;
type Answer = Body & { error: { code: string; param: string; message: string } };

const post = (path: string, body: Body, who = customer, at: { url: string } = app) =>
  rest<Answer>(at, 'POST', ADAPTIVE + path, { body, credential: who.token });
const standing = async (scope: string, who = customer) => {
  const path = `${ADAPTIVE}/kill-switch?scope_key=${encodeURIComponent(scope)}`;
  return (await rest<Body>(app, 'GET', path, { credential: who.token })).body;
};
const set = (state: string, more: Body = {}) => post('/kill-switch', { state, ...more });
/** The next decision, on the other node. */
const decided = async (useCase = 'default', who = customer) => {
  const body = { request_id: freshRequest(), use_case: useCase, input_tokens: 100 };
  return (await post('/decide', body, who, second)).body;
};

describe('the kill switch', () => {
  it('is ACTIVE and of version 0 where nobody has set it', async () => {
    expect(await standing('*')).toEqual({
      scope_key: '*',
      state: 'ACTIVE',
      pinned_model: null,
      reason: null,
      version: 0,
      frozen: [],
      set_by: null,
      set_at: null,
      state_in_force: 'ACTIVE',
      scope_in_force: '*',
    });
  });

  it('kill_switch_at_once: holds for the very next decision on another node', async () => {
    expect(await decided()).toMatchObject({ model: LIVE });
    for (let times = 0; times < 5; times += 1) {
      const pinned = await set('PINNED', { pinned_model: MINI, reason: 'an incident' });
      expect([pinned.status, pinned.body.state]).toEqual([200, 'PINNED']);
      expect(await decided()).toMatchObject({
        model: MINI,
        inputs: { situation: { kill_switch: { state: 'PINNED', pinned_model: MINI } } },
      });
      expect(await decided('default', other)).toMatchObject({ model: LIVE });
      await set('ACTIVE');
      expect(await decided()).toMatchObject({ model: LIVE });
    }
  });

  it('goes from every state to every other one, and each step is an audit event', async () => {
    const publish = (key: string) => post('/contracts', { contract_key: key, mode: 'BALANCED' });
    await publish('steps');
    await publish('steps');
    const walk = KILL_SWITCH_STATES.codes.flatMap((from) =>
      KILL_SWITCH_STATES.codes.flatMap((to) => [from, to]),
    );
    for (const state of walk) {
      const pinned = state === 'PINNED' ? { pinned_model: LIVE } : {};
      const { status, body } = await set(state, { scope_key: 'steps', ...pinned });
      expect([status, body.state]).toEqual([200, state]);
    }
    expect(await standing('steps')).toMatchObject({
      state: walk.at(-1),
      version: walk.length,
      set_by: customer.userId,
    });
    const { rows } = await app.owner.pool.query<{ events: number }>(
      `SELECT count(*)::int AS events FROM audit_event e JOIN contract_version v
         ON v.id = e.subject_id::uuid AND v.contract_key = 'steps'
       WHERE e.tenant_id = $1 AND e.action = 'routerKillSwitchSet'`,
      [customer.tenantId],
    );
    expect(rows).toEqual([{ events: walk.length }]);
    await set('ACTIVE', { scope_key: 'steps' });
  });

  it('of all scopes comes before that of one, which holds again afterwards', async () => {
    await post('/contracts', { contract_key: 'one', mode: 'BALANCED' });
    await set('EXPLORATION_OFF', { scope_key: 'one' });
    await set('PINNED', { pinned_model: MINI });
    expect(await standing('one')).toMatchObject({
      state: 'EXPLORATION_OFF',
      state_in_force: 'PINNED',
      scope_in_force: '*',
    });
    expect(await decided('one')).toMatchObject({ model: MINI });
    await set('ACTIVE');
    expect(await standing('one')).toMatchObject({
      state_in_force: 'EXPLORATION_OFF',
      scope_in_force: 'one',
    });
  });

  it('ROLLED_BACK: the version before holds, and none is published meanwhile', async () => {
    const publish = (model: string) =>
      post('/contracts', { contract_key: 'back', mode: 'FIXED', pinned_model: model });
    await publish(LIVE);
    const early = await set('ROLLED_BACK', { scope_key: 'back' });
    expect([early.status, early.body.error.param]).toEqual([400, 'state']);
    await publish(MINI);
    expect(await decided('back')).toMatchObject({ model: MINI });
    expect((await set('ROLLED_BACK', { scope_key: 'back' })).status).toBe(200);
    expect(await decided('back')).toMatchObject({
      model: LIVE,
      inputs: { situation: { terms: { contract_version: 1 } } },
    });
    const meanwhile = await publish(LIVE);
    expect([meanwhile.status, meanwhile.body.error.param]).toEqual([400, 'contract_key']);
    await set('ACTIVE', { scope_key: 'back' });
    expect(await decided('back')).toMatchObject({ model: MINI });
    expect((await publish(LIVE)).body.version).toBe(3);
  });

  it('FROZEN: stays with what answered most in the day before, for each use case', async () => {
    const { tenantId } = customer;
    const answer = (model: string, useCase: string, times: number, hoursAgo = 1) =>
      plantAnswers(app, { tenantId, model, times, hoursAgo, routed: { use_case: useCase } });
    await rest(app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { model: LIVE, messages: [{ role: 'user', content: 'hello' }] },
    });
    await answer(MINI, 'summary', 3);
    await answer(LIVE, 'summary', 2);
    await answer(LIVE, 'summary', 9, 25);
    await answer(LIVE, 'letters', 1);
    const { body } = await set('FROZEN');
    expect(body.frozen).toEqual([
      { use_case: 'summary', model: MINI },
      { use_case: 'letters', model: LIVE },
    ]);
    expect(await decided('letters')).toMatchObject({
      model: LIVE,
      inputs: { incumbent: LIVE, situation: { kill_switch: { state: 'FROZEN' } } },
    });
    expect((await decided('summary')).inputs).toMatchObject({ incumbent: MINI });
    expect((await decided('other')).inputs).toMatchObject({ incumbent: null });
    await set('ACTIVE');
  });

  it('is refused where it would switch nothing or name nobody, with what was meant', async () => {
    const refused = async (body: Body) => {
      const answer = await post('/kill-switch', body);
      return [answer.status, answer.body.error.param, answer.body.error.message];
    };
    await post('/contracts', { contract_key: 'support', mode: 'BALANCED' });
    expect((await refused({ state: 'FROZEN', scope_key: 'suport' })).join()).toMatch(
      /^400,scope_key,.*did you mean support\?/,
    );
    expect((await refused({ state: 'PINNED' })).join()).toMatch(/^400,pinned_model,.*is needed/);
    expect((await refused({ state: 'PINNED', pinned_model: 'live/modl' })).join()).toMatch(
      /^400,pinned_model,.*did you mean live\/model/,
    );
    expect((await refused({ state: 'ACTIVE', pinned_model: LIVE })).join()).toMatch(
      /^400,pinned_model,.*for the state PINNED alone/,
    );
    expect((await refused({ state: 'OFF' })).slice(0, 2)).toEqual([400, 'state']);
    expect(await standing('suport')).toMatchObject({ version: 0 });
  });

  it('is for owners, admins and security, and for service keys; others may look', async () => {
    const standard = await newCustomer(app, 0, 'standard');
    const credential = standard.key;
    const options = { credential, body: { state: 'FROZEN' } };
    const tried = await rest<Answer>(app, 'POST', `${ADAPTIVE}/kill-switch`, options);
    expect([tried.status, tried.body.error.code]).toEqual([403, 'permission_denied']);
    const looked = await rest<Body>(app, 'GET', `${ADAPTIVE}/kill-switch`, { credential });
    expect([looked.status, looked.body.version]).toEqual([200, 0]);
    expect(await standing('*', other)).toMatchObject({ version: 0, state_in_force: 'ACTIVE' });
  });
});
