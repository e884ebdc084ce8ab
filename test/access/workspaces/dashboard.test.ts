import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inParallel } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { outcome } from '../../journeys/people.js';
import {
  type Answer,
  type Customer,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { issue } from '../abuse/samples.js';
import { adopt, newWorkspace } from './samples.js';

let app: BudgetApp;
let other: TestApp;
let customer: Customer;
let stranger: Customer;
beforeAll(async () => {
  app = await startBudgetApp();
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
  customer = await newCustomer(app, 10_000);
  stranger = await newCustomer(app);
});
afterAll(async () => {
  await other?.stop();
  await app?.stop();
});

const ROUTES = ['fast', 'balanced', 'document'];

function ask(header: string, metadata: object): Promise<Answer> {
  return rest(app, 'POST', '/v1/chat/completions', {
    credential: customer.key,
    body: { ...ONE_RUBLE, metadata },
    headers: { 'x-gw-workspace': header },
  });
}

const get = (path: string, credential = customer.token): Promise<Answer> =>
  rest(app, 'GET', path, { credential });

describe('the dashboard of a workspace', () => {
  it('counts distinct users over events and requests, and saved time as declared', async () => {
    const { body } = await newWorkspace(app, customer, {
      departments: ['sales', 'hr'],
      approved_routes: ROUTES,
    });
    const empty = await get(`/v1/gw/workspaces/${body.id}/dashboard`);
    expect(empty.body).toMatchObject({
      active_users: 0,
      requests: 0,
      time_saved_minutes: null,
      time_saved_provenance: null,
      top_pack: null,
    });
    const tell = (event: string, more: object = {}) =>
      adopt(app, customer.key, { workspace_id: body.id, event, user_id: 'anna', ...more });
    for (const user_id of ['anna', 'boris', 'vera']) await tell('employee_invited', { user_id });
    await tell('first_request');
    await tell('prompt_pack_used', { prompt_pack: 'letters', department: 'sales' });
    await tell('prompt_pack_used', { prompt_pack: 'letters' });
    await tell('prompt_pack_used', { prompt_pack: 'tables', user_id: 'gleb' });
    await tell('task_completed', { time_saved: 25 });
    await tell('task_completed', { time_saved: 12.5, department: 'hr' });
    await tell('task_completed');
    await tell('policy_block', { user_id: 'boris' });
    for (const user_id of ['anna', 'anna', 'daria']) {
      const metadata = { user_id, department: 'sales' };
      expect(outcome(await ask(body.id, metadata))).toBe('200');
    }
    const { body: dashboard } = await get(`/v1/gw/workspaces/${body.id}/dashboard`);
    expect(dashboard).toEqual({
      workspace_id: body.id,
      from: expect.any(String),
      to: expect.any(String),
      active_users: 4,
      invited_users: 3,
      departments_enabled: ['sales', 'hr'],
      departments: [
        { department: 'sales', active_users: 2, requests: 3 },
        { department: 'hr', active_users: 1, requests: 0 },
      ],
      requests: 3,
      cost_rub: 3,
      policy_blocks: 1,
      policy_blocks_by_gateway: 0,
      tasks_completed: 3,
      time_saved_minutes: 37.5,
      time_saved_provenance: 'declared',
      top_pack: 'letters',
      top_pack_uses: 2,
      provenance: 'live_measured',
    });
    const before = `?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z`;
    expect((await get(`/v1/gw/workspaces/${body.id}/dashboard${before}`)).body).toMatchObject({
      active_users: 0,
      requests: 0,
    });
    const wrong = '?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z';
    expect((await get(`/v1/gw/workspaces/${body.id}/dashboard${wrong}`)).status).toBe(400);
  });

  it('counts no department that there is not, and no block of another list', async () => {
    const { body } = await newWorkspace(app, customer, {
      departments: ['sales'],
      approved_routes: ROUTES,
    });
    for (const department of ['astrology', 'hr']) {
      expect(outcome(await ask(body.id, { user_id: 'anna', department }))).toBe(
        '403 workspace_policy_blocked',
      );
    }
    const models = { allowed_models: ['cheap/model'] };
    const { token } = (await issue(app, customer.key, models)).body;
    const asked = { credential: token, headers: { 'x-gw-workspace': body.id }, body: ONE_RUBLE };
    const refused = await rest(app, 'POST', '/v1/chat/completions', asked);
    expect(outcome(refused)).toBe('403 model_not_allowed');
    const { body: dashboard } = await get(`/v1/gw/workspaces/${body.id}/dashboard`);
    expect(dashboard).toMatchObject({
      policy_blocks: 2,
      policy_blocks_by_gateway: 2,
      departments: [{ department: 'hr', active_users: 1, requests: 0 }],
      active_users: 1,
    });
    const { rows } = await app.owner.pool.query(
      'SELECT department, reason FROM adoption_event WHERE workspace_id = $1 ORDER BY id',
      [body.id],
    );
    expect(rows).toEqual([
      { department: null, reason: 'workspace_policy_blocked' },
      { department: 'hr', reason: 'workspace_policy_blocked' },
    ]);
  });

  it('records an event of one reference once, also when two race, none of strangers', async () => {
    const { body } = await newWorkspace(app, customer);
    const event = {
      workspace_id: body.id,
      event: 'first_request',
      user_id: 'anna',
      external_ref: `once ${body.id}`,
    };
    const seen = await inParallel(6, 6, async (index) =>
      outcome(await adopt(index % 2 === 0 ? app : other, customer.key, event)),
    );
    expect(seen.sort()).toEqual(['200', ...Array(5).fill('409 adoption_event_claimed')]);
    expect(outcome(await adopt(app, stranger.key, event))).toBe('404 not_found');
    for (const wrong of [
      { event: 'party' },
      { user_id: 5 },
      { event: 'task_completed', time_saved: -1 },
      { workspace_id: 'sales' },
    ]) {
      expect((await adopt(app, customer.key, { ...event, ...wrong })).status).toBe(400);
    }
    await expect(
      app.owner.pool.query('UPDATE adoption_event SET user_ref = $1', ['x']),
    ).rejects.toThrow();
  });
});
