import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { decide, waiting } from '../../access/budgets/ruble-app.js';
import { inParallel, chat as rawChat } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { outcome } from '../../journeys/people.js';
import { newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import {
  type BudgetApp,
  CHEAP,
  check,
  DEAR,
  FAILING,
  setBudget,
  spend,
  startBudgetApp,
} from './budget-app.js';

let app: BudgetApp;
let other: TestApp;
beforeAll(async () => {
  app = await startBudgetApp();
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
});
afterAll(async () => {
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
  await other.stop();
  await app.stop();
});

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

/** A pause of a route, as an anomaly makes it. */
async function pauseRoute({ owner }: TestApp, tenantId: string, route: string): Promise<void> {
  await owner.pool.query(
    `WITH found AS (
       INSERT INTO anomaly (id, tenant_id, rule_key, type, scope_kind, scope_ref, metric, observed,
         expected, threshold, method, severity, action, window_start, window_end, request_ids)
       VALUES ($1::uuid, $2::uuid, 'planted', 'retry_loop', 'route', $3, 'retries', 12, 0, 10,
         'threshold', 'medium', 'alert', now(), now(), '{}'))
     INSERT INTO spend_pause (id, tenant_id, anomaly_id, scope_kind, scope_ref, reason, status)
     VALUES ($4::uuid, $2::uuid, $1::uuid, 'route', $3, 'planted', 'paused')`,
    [newId('Anomaly'), tenantId, route, newId('SpendPause')],
  );
}

interface Routed {
  readonly error?: { readonly code: string; readonly message: string; approval_id?: string };
  readonly gw_routing?: Readonly<Record<string, unknown>>;
}

describe('a budget by scope', () => {
  it('is answered with every field, and defaults are stated', async () => {
    const customer = await newCustomer(app, 10);
    const body = { scope: 'agent_session', hard_cap: 2, soft_alerts: [50, 80, 50, 1] };
    const made = await rest(app, 'POST', '/v1/gw/finops/budgets', {
      credential: customer.token,
      body,
    });
    expect([made.status, made.body]).toEqual([
      200,
      {
        id: UUID,
        scope: 'agent_session',
        scope_ref: '*',
        concerns:
          'All requests that name an agent session in metadata.session_id, whichever it is, ' +
          'taken together; no others.',
        name: 'agent_session * (total)',
        hard_cap: 2,
        soft_alerts: [1, 50, 80],
        on_cap_reached: 'block',
        degrade_to: null,
        period: 'total',
        active: true,
        ladder: false,
        ladder_step: null,
        created_at: ISO,
        updated_at: ISO,
      },
    ]);
    const { body: listed } = await rest<{ data: object[] }>(app, 'GET', '/v1/gw/finops/budgets', {
      credential: customer.token,
    });
    expect(listed.data).toEqual([made.body]);
  });

  it('is one for a scope, reference and period; changed, it keeps what it counted', async () => {
    const customer = await newCustomer(app, 10);
    const first = await setBudget(app, customer.token);
    await spend(app, customer);
    const again = await setBudget(app, customer.token, { hard_cap: 5 });
    expect([again.body.id, again.body.hard_cap]).toEqual([first.body.id, 5]);
    expect(await check(app, customer, first.body.id)).toMatchObject({ spent_rub: 1, left_rub: 4 });
    const day = await setBudget(app, customer.token, { period: 'daily' });
    expect(day.body.id).not.toBe(first.body.id);
  });

  it('names every fault, and refuses what it does not know', async () => {
    const { token } = await newCustomer(app);
    const wrong = { hard_cap: -1, soft_alerts: [0, 120], degrade_to: 'own/modl', cap: 3 };
    const { status, body } = await setBudget(app, token, wrong);
    const { faults } = body.error as { faults: { path: string }[] };
    expect(status).toBe(400);
    expect(faults.map(({ path }) => path)).toEqual(['cap']);
    const { cap: _unknown, ...known } = wrong;
    const named = (await setBudget(app, token, known)).body.error as typeof body.error;
    expect((named as { faults: { path: string }[] }).faults.map(({ path }) => path)).toEqual([
      'hard_cap',
      'soft_alerts.1',
      'soft_alerts.0',
      'degrade_to',
      'degrade_to',
    ]);
    const policy = await setBudget(app, token, { scope: 'policy' });
    expect((policy.body.error as { message: string }).message).toContain('PATCH /v1/gw/policies');
  });

  it('of another organization is one that does not exist, and caps nobody else', async () => {
    const [mine, theirs] = [await newCustomer(app, 10), await newCustomer(app, 10)];
    const { body } = await setBudget(app, mine.token, { hard_cap: 0 });
    expect(outcome(await spend(app, mine))).toBe('402 budget_exhausted');
    expect(outcome(await spend(app, theirs))).toBe('200');
    const path = `/v1/gw/finops/budgets/${body.id}/check`;
    const foreign = await rest(app, 'POST', path, { credential: theirs.token, body: {} });
    expect(outcome(foreign)).toBe('404 not_found');
  });
});

describe('at the cap', () => {
  it.each([
    ['use_case', 'support', { feature: 'support' }, { feature: 'sales' }],
    ['partner_client', 'c-1', { client_id: 'c-1' }, { client_id: 'c-2' }],
    ['agent_session', 's-1', { session_id: 's-1' }, { session_id: 's-2' }],
    ['agent_session', 's-1', { agent_session: 's-1' }, {}],
    ['use_case', '*', { feature: 'any' }, {}],
  ])('block refuses the %s %s by its name, and no other', async (scope, scope_ref, its, others) => {
    const customer = await newCustomer(app, 10);
    await setBudget(app, customer.token, { scope, scope_ref, name: 'The cap' });
    for (let spent = 0; spent < 2; spent += 1) {
      expect(outcome(await spend(app, customer, its))).toBe('200');
    }
    const refused = await spend(app, customer, its);
    expect(outcome(refused)).toBe('402 budget_exhausted');
    const { message } = (refused.body as unknown as Required<Routed>).error;
    expect(message).toBe('The budget "The cap" is spent: 2.00 of 2.00 RUB.');
    expect(outcome(await spend(app, customer, others))).toBe('200');
  });

  it('a budget on a route concerns its model by name and behind an alias', async () => {
    const customer = await newCustomer(app, 10);
    await setBudget(app, customer.token, { scope: 'route', scope_ref: DEAR, hard_cap: 1 });
    await rest(app, 'POST', '/v1/gw/model-aliases', {
      credential: customer.token,
      body: { alias: 'gpt-x', target: DEAR },
    });
    expect(outcome(await spend(app, customer, {}, { model: 'gpt-x' }))).toBe('200');
    expect(outcome(await spend(app, customer, {}))).toBe('402 budget_exhausted');
    expect(outcome(await spend(app, customer, {}, { model: CHEAP }))).toBe('200');
  });

  it('allow counts and never refuses', async () => {
    const customer = await newCustomer(app, 10);
    const { body } = await setBudget(app, customer.token, { on_cap_reached: 'allow', hard_cap: 1 });
    for (let spent = 0; spent < 3; spent += 1) {
      expect(outcome(await spend(app, customer))).toBe('200');
    }
    expect(await check(app, customer, body.id)).toMatchObject({
      decision: 'allow',
      cap_reached: true,
      spent_rub: 3,
      used_percent: 300,
    });
    await setBudget(app, customer.token, { on_cap_reached: 'block', hard_cap: 1 });
    expect(outcome(await spend(app, customer))).toBe('402 budget_exhausted');
  });

  it('degrade takes the named route, says so, and counts it beyond the cap', async () => {
    const customer = await newCustomer(app, 10);
    const terms = { on_cap_reached: 'degrade', degrade_to: CHEAP, hard_cap: 1 };
    const { body } = await setBudget(app, customer.token, { ...terms, name: 'Support' });
    const first = (await spend(app, customer)).body as Routed;
    expect([first.gw_routing?.model, first.gw_routing?.degraded]).toEqual([DEAR, undefined]);
    const second = (await spend(app, customer)).body as Routed;
    expect(second.gw_routing).toMatchObject({
      requested_model: DEAR,
      model: CHEAP,
      cost_rub: 0.1,
      degraded: { budget: 'Support', budget_id: body.id, from: DEAR, to: CHEAP },
    });
    const cheap = (await spend(app, customer, undefined, { model: CHEAP })).body as Routed;
    expect([cheap.gw_routing?.model, cheap.gw_routing?.degraded]).toEqual([CHEAP, undefined]);
    expect(await check(app, customer, body.id)).toMatchObject({
      decision: 'degrade',
      degrade_to: CHEAP,
      spent_rub: 1.2,
    });
  });

  it('degrade streams on the named route too', async () => {
    const customer = await newCustomer(app, 10);
    const terms = { on_cap_reached: 'degrade', degrade_to: CHEAP, hard_cap: 0 };
    await setBudget(app, customer.token, terms);
    const seen = await rawChat(app.url, {
      credential: customer.key,
      body: { ...ONE_RUBLE, metadata: { feature: 'support' }, stream: true },
    });
    expect([seen.status, seen.complete]).toEqual([200, true]);
    const { rows } = await app.owner.pool.query(
      `SELECT model, requested_model, metadata -> 'gw_degraded' ->> 'to' AS "to"
       FROM usage_event WHERE tenant_id = $1`,
      [customer.tenantId],
    );
    expect(rows).toEqual([{ model: CHEAP, requested_model: DEAR, to: CHEAP }]);
  });

  it('degrade unnamed takes the cheapest model, and keeps to the other budgets', async () => {
    const customer = await newCustomer(app, 10);
    const { body } = await setBudget(app, customer.token, {
      on_cap_reached: 'degrade',
      hard_cap: 0,
    });
    expect(body.degrade_to).toBe(CHEAP);
    await setBudget(app, customer.token, { scope: 'route', scope_ref: '*', hard_cap: 0.1 });
    expect(outcome(await spend(app, customer))).toBe('200');
    expect(outcome(await spend(app, customer))).toBe('402 budget_exhausted');
  });

  it('degrade to a route that cannot take the request refuses and says why', async () => {
    const customer = await newCustomer(app, 10);
    await rest(app, 'POST', '/v1/gw/policies', {
      credential: customer.token,
      body: { name: 'dear alone', allowed_models: [DEAR] },
    });
    const terms = { on_cap_reached: 'degrade', degrade_to: CHEAP, hard_cap: 0 };
    await setBudget(app, customer.token, terms);
    const refused = await spend(app, customer);
    expect(outcome(refused)).toBe('402 budget_degrade_unusable');
  });

  it('degrade keeps to the budget and the pause of the route that it takes', async () => {
    const [customer, free] = [await newCustomer(app, 10), await newCustomer(app, 10)];
    const terms = { on_cap_reached: 'degrade', degrade_to: CHEAP, hard_cap: 0 };
    for (const { token } of [customer, free]) await setBudget(app, token, terms);
    const capped = { scope: 'route', scope_ref: CHEAP, hard_cap: 0 };
    const { body } = await setBudget(app, customer.token, capped);
    expect(outcome(await spend(app, customer))).toBe('402 budget_exhausted');
    expect(outcome(await spend(app, free))).toBe('200');
    await setBudget(app, customer.token, { ...capped, hard_cap: 0.1 });
    expect(outcome(await spend(app, customer))).toBe('200');
    expect(await check(app, customer, body.id)).toMatchObject({ spent_rub: 0.1 });
    await pauseRoute(app, free.tenantId, CHEAP);
    expect(outcome(await spend(app, free))).toBe('403 spend_paused');
  });

  it('is passed by no fallback: one whose route is capped or paused stays out', async () => {
    const [capped, paused, free] = await Promise.all([1, 2, 3].map(() => newCustomer(app, 10)));
    if (!capped || !paused || !free) throw new Error('three customers were asked for');
    const ask = (who: typeof free) => spend(app, who, undefined, { model: FAILING });
    await setBudget(app, capped.token, { scope: 'route', scope_ref: CHEAP, hard_cap: 0 });
    await pauseRoute(app, paused.tenantId, CHEAP);
    expect([
      outcome(await ask(free)),
      outcome(await ask(capped)),
      outcome(await ask(paused)),
    ]).toEqual(['200', '502 upstream_failed', '502 upstream_failed']);
  });

  it('require_approval asks once, and what is approved lets requests pass', async () => {
    const customer = await newCustomer(app, 10);
    await setBudget(app, customer.token, { on_cap_reached: 'require_approval', hard_cap: 1 });
    expect(outcome(await spend(app, customer))).toBe('200');
    const refused = await inParallel(5, 5, () => spend(app, customer));
    expect(refused.map(outcome)).toEqual(Array(5).fill('402 budget_approval_required'));
    const queue = await waiting(app, customer.token);
    expect(queue).toHaveLength(1);
    const told = refused.map(({ body }) => (body as Routed).error?.approval_id);
    expect(new Set(told)).toEqual(new Set(queue));
    await decide(app, customer.token, queue[0] ?? '', 'approve');
    expect(outcome(await spend(app, customer))).toBe('200');
  });

  it('require_approval lets a request that waits pass when it is approved', async () => {
    const customer = await newCustomer(app, 10);
    await setBudget(app, customer.token, { on_cap_reached: 'require_approval', hard_cap: 0 });
    const chat = spend(app, customer, undefined, { gw_approval: { wait_seconds: 60 } });
    await expect.poll(() => waiting(app, customer.token), { timeout: 20_000 }).toHaveLength(1);
    const [approval = ''] = await waiting(app, customer.token);
    await decide(app, customer.token, approval, 'approve');
    expect(outcome(await chat)).toBe('200');
  });

  it('block is turned by no approval, also where the request would wait', async () => {
    const customer = await newCustomer(app, 10);
    await setBudget(app, customer.token, { hard_cap: 0 });
    const wish = { gw_approval: { wait_seconds: 60 } };
    expect(outcome(await spend(app, customer, undefined, wish))).toBe('402 budget_exhausted');
  });

  it('holds on every node from its next request on', async () => {
    const customer = await newCustomer(app, 100);
    expect(outcome(await spend(other, customer))).toBe('200');
    await setBudget(app, customer.token, { hard_cap: 0 });
    expect(outcome(await spend(other, customer))).toBe('402 budget_exhausted');
    await setBudget(app, customer.token, { hard_cap: 0, active: false });
    expect(outcome(await spend(other, customer))).toBe('200');
  });
});
