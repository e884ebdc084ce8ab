import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { inParallel, chat as rawChat } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { outcome } from '../../journeys/people.js';
import { graphql, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { type BudgetApp, check, setBudget, spend, startBudgetApp } from './budget-app.js';

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

const CHAT = 'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';

describe('requests at the same time', () => {
  it('never pass a cap, on two nodes, whole and as streams, in REST and GraphQL', async () => {
    const customer = await newCustomer(app, 100);
    const { body } = await setBudget(app, customer.token, { hard_cap: 7 });
    const metadata = { feature: 'support' };
    const asked = { ...ONE_RUBLE, metadata };
    const answers = await inParallel(40, 20, async (index) => {
      const { url } = index % 2 === 0 ? app : other;
      if (index % 4 < 2) return outcome(await spend({ url }, customer));
      const stream = index % 4 === 2;
      if (stream) {
        const seen = await rawChat(url, {
          credential: customer.key,
          body: { ...asked, stream: true },
        });
        return String(seen.status);
      }
      const { errors } = await graphql({ url }, CHAT, { input: asked }, customer.key);
      return errors ? String(errors[0]?.extensions.code) : '200';
    });
    expect(answers.filter((each) => each === '200').length).toBeLessThanOrEqual(7);
    while (outcome(await spend(app, customer)) === '200');
    const { rows } = await app.owner.pool.query(
      `SELECT spent_micro::text AS spent, held_micro::text AS held
       FROM budget_counter WHERE budget_id = $1`,
      [body.id],
    );
    expect(rows).toEqual([{ spent: '7000000', held: '0' }]);
  });

  it('never pass a cap where the upstream reports more than it was allowed', async () => {
    const customer = await newCustomer(app, 100);
    const { body } = await setBudget(app, customer.token, { hard_cap: 3 });
    const lie = { model: 'lie/model' };
    await inParallel(20, 20, () => spend(app, customer, undefined, lie));
    while (outcome(await spend(app, customer, undefined, lie)) === '200');
    expect(await check(app, customer, body.id)).toMatchObject({
      decision: 'block',
      spent_rub: 3,
      held_rub: 0,
    });
  });

  it('give back what they hold of every scope when the upstream fails', async () => {
    const customer = await newCustomer(app, 100);
    const use = await setBudget(app, customer.token, { hard_cap: 5 });
    const session = await setBudget(app, customer.token, {
      scope: 'agent_session',
      scope_ref: 'x',
      hard_cap: 5,
    });
    const metadata = { feature: 'support', session_id: 'x' };
    await inParallel(4, 4, () => spend(app, customer, metadata, { model: 'bad/model' }));
    for (const { body } of [use, session]) {
      expect(await check(app, customer, body.id)).toMatchObject({ spent_rub: 0, held_rub: 0 });
    }
  });
});

describe('the guard', () => {
  it.each(['block', 'require_approval', 'allow', 'degrade'])(
    'of %s says what the chat path does',
    async (on_cap_reached) => {
      const customer = await newCustomer(app, 10);
      const terms = { on_cap_reached, hard_cap: 1, scope_ref: 'guarded' };
      const { body } = await setBudget(app, customer.token, terms);
      const before = await check(app, customer, body.id, { estimate_rub: 1 });
      expect(before).toMatchObject({ decision: 'allow', cap_reached: false });
      expect(await check(app, customer, body.id, { estimate_rub: 1.000001 })).toMatchObject({
        decision: on_cap_reached,
        cap_reached: true,
      });
      expect(outcome(await spend(app, customer, { feature: 'guarded' }))).toBe('200');
      const after = await check(app, customer, body.id);
      expect(after).toMatchObject({ decision: on_cap_reached, spent_rub: 1, left_rub: 0 });
      const next = await spend(app, customer, { feature: 'guarded' });
      const passes = on_cap_reached === 'allow' || on_cap_reached === 'degrade';
      expect(next.status).toBe(passes ? 200 : 402);
    },
  );

  it('takes a spending that the caller states, and says that it was declared', async () => {
    const customer = await newCustomer(app, 10);
    const { body } = await setBudget(app, customer.token, { soft_alerts: [50, 90] });
    expect(await check(app, customer, body.id, { current_spend: 1.5 })).toEqual({
      decision: 'allow',
      cap_reached: false,
      reason: '1.50 of 2.00 RUB are spent or held, so that the request fits.',
      spent_rub: 1.5,
      held_rub: 0,
      hard_cap: 2,
      granted_rub: 0,
      left_rub: 0.5,
      used_percent: 75,
      alerts_reached: [50],
      degrade_to: null,
      period_start: expect.stringMatching(/^\d{4}-\d\d-01$/),
      active: true,
      provenance: 'declared',
    });
  });
});

interface Told {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

async function eventsOf(tenantId: string): Promise<readonly Told[]> {
  const { rows } = await app.owner.pool.query<Told>(
    `SELECT type, payload FROM feed_event
     WHERE tenant_id = $1 AND feed = 'anomalies' ORDER BY txid, seq`,
    [tenantId],
  );
  return rows;
}

describe('soft alerts', () => {
  it('reach the feed once each, for a budget, period and threshold', async () => {
    const customer = await newCustomer(app, 10);
    const { body } = await setBudget(app, customer.token, { soft_alerts: [50, 100], name: 'B' });
    await spend(app, customer);
    await expect.poll(() => eventsOf(customer.tenantId), { timeout: 10_000 }).toHaveLength(1);
    expect((await eventsOf(customer.tenantId))[0]).toEqual({
      type: 'budget_alert',
      payload: {
        budget_id: body.id,
        budget: 'B',
        scope: 'use_case',
        scope_ref: 'support',
        period_start: expect.stringMatching(/^\d{4}-\d\d-01$/),
        threshold_percent: 50,
        spent_rub: '1.00',
        cap_rub: '2.00',
      },
    });
    await spend(app, customer);
    await expect.poll(() => eventsOf(customer.tenantId), { timeout: 10_000 }).toHaveLength(2);
    await spend(app, customer, { feature: 'other' });
    await setBudget(app, customer.token, { soft_alerts: [50, 100], hard_cap: 1, name: 'B' });
    expect(
      (await eventsOf(customer.tenantId)).map(({ payload }) => payload.threshold_percent),
    ).toEqual([50, 100]);
  });

  it('are told at once where a new cap is already reached', async () => {
    const customer = await newCustomer(app, 10);
    await setBudget(app, customer.token, { hard_cap: 5 });
    await spend(app, customer);
    await setBudget(app, customer.token, { hard_cap: 1, soft_alerts: [80] });
    expect(await eventsOf(customer.tenantId)).toMatchObject([{ type: 'budget_alert' }]);
  });
});
