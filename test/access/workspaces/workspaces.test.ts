import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { inParallel, chat as rawChat } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { newMember, outcome } from '../../journeys/people.js';
import {
  type Answer,
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { newWorkspace } from './samples.js';

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
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
  await other?.stop();
  await app?.stop();
});

const CHAT = 'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';
const ROUTES = ['fast', 'balanced', 'document'];
const UNKNOWN = '01939a3e-0c00-7049-8000-5e1f00000001';

interface Asking {
  readonly at?: Pick<TestApp, 'url'>;
  readonly credential?: string;
  readonly header?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

function ask({ at = app, credential = customer.key, header, metadata, more }: Asking) {
  const body = { ...ONE_RUBLE, ...(metadata && { metadata }), ...more };
  const named = header === undefined ? undefined : { 'x-gw-workspace': header };
  return rest(at, 'POST', '/v1/chat/completions', { credential, body, headers: named });
}

const get = (path: string, credential = customer.token): Promise<Answer> =>
  rest(app, 'GET', path, { credential });

describe('a workspace', () => {
  it('takes the default policy where nothing is said, and shows it whole', async () => {
    const { body: reference } = await get('/v1/gw/workspaces/reference');
    const { default_policy: standing } = reference as {
      default_policy: { approved_routes: string[]; policy: object };
    };
    const { status, body } = await newWorkspace(app, customer, {});
    const shown = {
      id: body.id,
      name: 'Workspace',
      departments: [],
      approved_routes: standing.approved_routes,
      policy: standing.policy,
      version: 1,
      created_by: customer.userId,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    expect([status, body]).toEqual([200, shown]);
    expect((await get(`/v1/gw/workspaces/${body.id}`)).body).toEqual(shown);
    const list = (await get('/v1/gw/workspaces')).body as { data: unknown[] };
    expect(list.data[0]).toEqual(shown);
    for (const [path, method] of [
      [`/v1/gw/workspaces/${body.id}`, 'GET'],
      [`/v1/gw/workspaces/${body.id}/dashboard`, 'GET'],
      [`/v1/gw/workspaces/${body.id}/departments`, 'POST'],
      [`/v1/gw/workspaces/${body.id}`, 'PATCH'],
    ] as const) {
      const given = method === 'GET' ? undefined : method === 'POST' ? { departments: ['hr'] } : {};
      const answer = await rest(app, method, path, { credential: stranger.token, body: given });
      expect([path, outcome(answer)]).toEqual([path, '404 not_found']);
    }
  });

  it('refuses what it does not know, at every depth', async () => {
    for (const body of [
      { departments: ['magic'] },
      { approved_routes: [] },
      { approved_route: ['fast'] },
      { policy: { data_class: ['C0'] } },
      { policy: { actions: ['fly'] } },
      { policy: { per_user_budget: -1 } },
      { policy: 'all' },
      { name: '' },
    ]) {
      expect([body, (await newWorkspace(app, customer, body)).status]).toEqual([body, 400]);
    }
  });

  it('is enabled for departments that join those that are there', async () => {
    const { body } = await newWorkspace(app, customer, { departments: ['sales'] });
    const path = `/v1/gw/workspaces/${body.id}/departments`;
    const answer = await rest<{ departments: string[] }>(app, 'POST', path, {
      credential: customer.token,
      body: { departments: ['legal', 'hr', 'sales'] },
    });
    expect(answer.body).toMatchObject({ departments: ['sales', 'hr', 'legal'], version: 2 });
  });
});

describe('a request under a workspace', () => {
  it('that is unknown or of another organization is refused, everywhere', async () => {
    const { body: foreign } = await newWorkspace(app, stranger);
    const { body: own } = await newWorkspace(app, customer, { approved_routes: ROUTES });
    for (const id of [UNKNOWN, foreign.id, 'sales', '']) {
      expect(outcome(await ask({ header: id }))).toBe('404 workspace_not_found');
    }
    for (const id of [UNKNOWN, foreign.id, 'sales']) {
      const metadata = { workspace_id: id };
      expect(outcome(await ask({ metadata }))).toBe('404 workspace_not_found');
      const body = { ...ONE_RUBLE, metadata, stream: true };
      const stream = await rawChat(app.url, { credential: customer.key, body });
      expect(stream.status).toBe(404);
      const { errors } = await graphql(
        app,
        CHAT,
        { input: { ...ONE_RUBLE, metadata } },
        customer.key,
      );
      expect(errors?.[0]?.extensions.code).toBe('workspace_not_found');
    }
    for (const workspace_id of [7, { id: own.id }]) {
      expect((await ask({ metadata: { workspace_id } })).status).toBe(400);
    }
    expect((await ask({ header: own.id, metadata: { workspace_id: UNKNOWN } })).status).toBe(400);
    expect(outcome(await ask({ header: own.id, metadata: { workspace_id: own.id } }))).toBe('200');
    const capitals = own.id.toUpperCase();
    expect(outcome(await ask({ header: capitals }))).toBe('200');
    expect(outcome(await ask({ header: capitals, metadata: { workspace_id: own.id } }))).toBe(
      '200',
    );
  });

  it('is held to its data classes, actions and departments, whole and streamed', async () => {
    const { body } = await newWorkspace(app, customer, {
      departments: ['sales'],
      approved_routes: ROUTES,
      policy: { data_classes: ['C0'], actions: ['chat'] },
    });
    const secret = { messages: [{ role: 'user', content: 'Паспорт 45 08 123456 выдан' }] };
    const tools = { tools: [{ type: 'function', function: { name: 'act' } }] };
    const refused = '403 workspace_policy_blocked';
    expect(outcome(await ask({ header: body.id, metadata: { department: 'sales' } }))).toBe('200');
    expect(outcome(await ask({ header: body.id, metadata: { department: 'hr' } }))).toBe(refused);
    expect(outcome(await ask({ header: body.id, more: tools }))).toBe(refused);
    expect(outcome(await ask({ header: body.id, more: secret }))).toBe(refused);
    const embedding = await rest(app, 'POST', '/v1/embeddings', {
      credential: customer.key,
      body: { model: 'own/model', input: 'x', metadata: { workspace_id: body.id } },
    });
    expect(outcome(embedding)).toBe(refused);
    const stream = await rawChat(app.url, {
      credential: customer.key,
      body: { ...ONE_RUBLE, ...secret, stream: true },
      headers: { 'x-gw-workspace': body.id },
    });
    expect(stream.status).toBe(403);
    const input = { ...ONE_RUBLE, ...secret, metadata: { workspace_id: body.id } };
    const { errors } = await graphql(app, CHAT, { input }, customer.key);
    expect(errors?.[0]?.extensions.code).toBe('workspace_policy_blocked');
    const { body: dashboard } = await get(`/v1/gw/workspaces/${body.id}/dashboard`);
    expect(dashboard).toMatchObject({
      requests: 1,
      policy_blocks: 6,
      policy_blocks_by_gateway: 6,
    });
  });

  it('uses only models that an approved route takes', async () => {
    const { body } = await newWorkspace(app, customer, { approved_routes: ['document'] });
    const facts = app.server.services.registry.models.get('own/model');
    const isLong = facts?.capabilities.includes('long_context');
    const wanted = isLong ? '200' : '403 model_not_allowed';
    expect(outcome(await ask({ header: body.id }))).toBe(wanted);
    expect(outcome(await ask({ header: body.id, more: { model: 'gw:auto' } }))).toMatch(
      isLong ? /^200$/ : /^40/,
    );
  });

  it('is decided by a change at once, on a node that knows the workspace by heart', async () => {
    const { body } = await newWorkspace(app, customer, {
      approved_routes: ROUTES,
      policy: { actions: ['chat'] },
    });
    for (const at of [app, other]) expect(outcome(await ask({ at, header: body.id }))).toBe('200');
    for (const [actions, wanted] of [
      [['embeddings'], '403 workspace_policy_blocked'],
      [['chat'], '200'],
      [['embeddings'], '403 workspace_policy_blocked'],
    ] as const) {
      const changed = await rest(app, 'PATCH', `/v1/gw/workspaces/${body.id}`, {
        credential: customer.token,
        body: { policy: { actions } },
      });
      expect(changed.status).toBe(200);
      expect(outcome(await ask({ at: other, header: body.id }))).toBe(wanted);
    }
  });

  it('counts what each user spends, over two nodes, and never beyond the cap', async () => {
    const { body } = await newWorkspace(app, customer, {
      approved_routes: ROUTES,
      policy: { per_user_budget: 3 },
    });
    expect(outcome(await ask({ header: body.id }))).toBe('400 workspace_user_required');
    const answers = await inParallel(40, 20, async (index) => {
      const at = index % 2 === 0 ? app : other;
      const metadata = { user_id: index % 4 < 2 ? 'anna' : 'boris' };
      const more = { model: index % 5 === 0 ? 'lie/model' : 'own/model' };
      return `${metadata.user_id} ${outcome(await ask({ at, header: body.id, metadata, more }))}`;
    });
    for (const user of ['anna', 'boris']) {
      const metadata = { user_id: user };
      expect(answers.filter((each) => each === `${user} 200`).length).toBeLessThanOrEqual(3);
      while (outcome(await ask({ header: body.id, metadata })) === '200');
      expect(outcome(await ask({ header: body.id, metadata }))).toMatch(/^402 budget_/);
    }
    const { rows } = await app.owner.pool.query(
      `SELECT b.scope_ref, c.spent_micro AS spent, c.held_micro AS held
       FROM budget b JOIN budget_counter c ON c.budget_id = b.id
       WHERE starts_with(b.scope_ref, $1) ORDER BY 1`,
      [body.id],
    );
    expect(rows).toEqual([
      { scope_ref: `${body.id}/anna`, spent: 3_000_000n, held: 0n },
      { scope_ref: `${body.id}/boris`, spent: 3_000_000n, held: 0n },
    ]);
    const path = `/v1/gw/workspaces/${body.id}`;
    const raise = (per_user_budget: number | null) =>
      rest(app, 'PATCH', path, {
        credential: customer.token,
        body: { policy: { per_user_budget } },
      });
    expect((await raise(4)).status).toBe(200);
    const anna = { header: body.id, metadata: { user_id: 'anna' } };
    expect(outcome(await ask({ ...anna, at: other }))).toBe('200');
    expect(outcome(await ask(anna))).toMatch(/^402 budget_/);
    expect((await raise(null)).status).toBe(200);
    expect(outcome(await ask({ ...anna, at: other }))).toBe('200');
    expect((await raise(4)).status).toBe(200);
    expect(outcome(await ask(anna))).toMatch(/^402 budget_/);
  });

  it('of a member counts for the member, who names nobody else', async () => {
    const { body } = await newWorkspace(app, customer, {
      approved_routes: ROUTES,
      policy: { per_user_budget: 100 },
    });
    const developer = await newMember(app, customer.token, 'developer');
    const credential = developer.token;
    expect(outcome(await ask({ credential, header: body.id }))).toBe('200');
    const posing = { credential, header: body.id, metadata: { user_id: 'anna' } };
    expect((await ask(posing)).status).toBe(400);
  });
});
