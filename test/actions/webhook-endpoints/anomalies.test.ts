import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reachAlert, runAway } from '../../finops/anomalies/runaway.js';
import { type BudgetApp, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { newCustomer } from '../../support/app.js';
import { endpointAt, Receivers, SETTINGS, verified } from './world.js';

const UUID = /^[0-9a-f-]{36}$/;
const WAIT = { timeout: 15_000, interval: 20 };
const TYPES = ['anomaly.found', 'budget.alert', 'spend.paused', 'spend.resumed'];

let app: BudgetApp;
const receivers = new Receivers();
beforeAll(async () => {
  app = await startBudgetApp(SETTINGS);
});
afterEach(() => receivers.stop());
afterAll(() => app?.stop());

describe('an endpoint for anomalies and alerts', () => {
  it('is told of what its own requests did, without the words of people', async () => {
    const customer = await newCustomer(app, 100);
    const other = await newCustomer(app, 100);
    const receiver = await receivers.start();
    const foreign = await receivers.start();
    const { secret } = await endpointAt(app, customer, receiver, TYPES);
    await endpointAt(app, other, foreign, TYPES);
    const { budgetId, pause } = await runAway(app, customer);
    await expect.poll(() => receiver.hits.length, WAIT).toBe(4);
    const told = new Map(
      receiver.hits.map((hit) => {
        const { type, data } = verified(hit, secret);
        return [type, data] as const;
      }),
    );
    expect([...told.keys()].sort()).toEqual(TYPES);
    const whose = { anomaly_id: pause.anomaly_id, scope: 'agent_session', scope_ref: 'runaway' };
    expect(told.get('anomaly.found')).toEqual({
      ...whose,
      rule_key: expect.any(String),
      type: 'retry_loop',
      metric: 'retries',
      observed: expect.any(Number),
      expected: 0,
      limit: 5,
      method: 'threshold',
      severity: 'medium',
      action: 'pause',
      request_ids: expect.arrayContaining([expect.stringMatching(UUID)]),
    });
    const paused = { ...whose, pause_id: pause.id, approval_id: pause.approval_id };
    const reason = expect.stringContaining('retry_loop: retries');
    expect(told.get('spend.paused')).toEqual({ ...paused, reason });
    expect(told.get('spend.resumed')).toEqual({ ...paused, reason });
    expect(told.get('budget.alert')).toEqual({
      alert_id: expect.stringMatching(UUID),
      budget_id: budgetId,
      scope: 'use_case',
      scope_ref: 'support',
      period_start: expect.stringMatching(/^\d{4}-\d\d-01$/),
      threshold_percent: 50,
      spent_rub: '5.00',
      cap_rub: '10.00',
    });
    for (const { body } of receiver.hits) expect(body).not.toContain('Secret name');
    const theirs = await reachAlert(app, other);
    await expect.poll(() => foreign.hits.length, WAIT).toBe(1);
    expect(JSON.parse(foreign.hits[0]?.body ?? '').data.budget_id).toBe(theirs);
    expect(receiver.hits).toHaveLength(4);
  });
});
