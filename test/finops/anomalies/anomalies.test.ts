import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decide } from '../../access/budgets/ruble-app.js';
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
import { type BudgetApp, spend, startBudgetApp } from '../budgets/budget-app.js';

let app: BudgetApp;
let other: TestApp;
beforeAll(async () => {
  app = await startBudgetApp();
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

type Body = Record<string, unknown>;

function publishRule({ token }: Customer, body: object): Promise<Answer<Body>> {
  return rest(app, 'POST', '/v1/gw/finops/anomaly-rules', { credential: token, body });
}

function evaluate({ token }: Customer, id: unknown, body: object): Promise<Answer<Body>> {
  const path = `/v1/gw/finops/anomaly-rules/${id}/evaluate`;
  return rest(app, 'POST', path, { credential: token, body });
}

async function anomaliesOf({ token }: Customer): Promise<readonly Body[]> {
  const path = '/v1/gw/cost/anomalies';
  return (await rest<{ data: Body[] }>(app, 'GET', path, { credential: token })).body.data;
}

async function pausesOf({ token }: Customer): Promise<readonly Body[]> {
  const path = '/v1/gw/finops/pauses';
  return (await rest<{ data: Body[] }>(app, 'GET', path, { credential: token })).body.data;
}

const LOOP = { session_id: 'agent-1' };

/** The same request again and again. @returns ids */
async function loop(customer: Customer, times: number): Promise<readonly (string | null)[]> {
  const ids: (string | null)[] = [];
  for (let made = 0; made < times; made += 1) {
    ids.push((await spend(app, customer, LOOP)).headers.get('x-request-id'));
  }
  return ids;
}

const RETRY_RULE = { type: 'retry_loop', scope: 'agent_session', threshold: 5, requests_min: 3 };

describe('a rule', () => {
  it.each([
    ['retry_loop', { retries: 10 }, { retries: 9 }],
    [
      'context_explosion',
      { input_tokens: 3_000, baseline_input_tokens: 1_000 },
      { input_tokens: 2_999, baseline_input_tokens: 1_000 },
    ],
    [
      'fallback_cost_spike',
      { fallback_cost_rub: 2, primary_cost_rub: 1 },
      { fallback_cost_rub: 1.9, primary_cost_rub: 1 },
    ],
    [
      'spend_over_forecast',
      { spend_rub: 120, forecast_rub: 100 },
      { spend_rub: 119, forecast_rub: 100 },
    ],
    ['cost_spike', { cost_rub: 3, baseline_cost_rub: 1 }, { cost_rub: 2.9, baseline_cost_rub: 1 }],
    ['error_spike', { failed_share: 0.5 }, { failed_share: 0.4 }],
  ])('of the type %s is triggered at its limit and not below', async (type, at, below) => {
    const customer = await newCustomer(app);
    const rule = await publishRule(customer, { type, action: 'pause' });
    expect((await evaluate(customer, rule.body.id, { metrics: at })).body).toMatchObject({
      triggered: true,
      action: 'pause',
      severity: 'medium',
      method: 'declared',
    });
    expect((await evaluate(customer, rule.body.id, below)).body).toMatchObject({
      triggered: false,
      action: null,
      severity: null,
    });
  });

  it('is published with defaults, asked in its latest version, and listed once', async () => {
    const customer = await newCustomer(app);
    const first = await publishRule(customer, { type: 'retry_loop' });
    expect(first.body).toMatchObject({
      rule_key: 'retry_loop:use_case:*',
      version: 1,
      threshold: 10,
      window_minutes: 10,
      action: 'require_approval',
      active: true,
    });
    await publishRule(customer, { type: 'retry_loop', threshold: 50 });
    const asked = await evaluate(customer, first.body.id, { retries: 20 });
    expect(asked.body).toMatchObject({ triggered: false, limit: 50 });
    const { body } = await rest<{ data: Body[] }>(app, 'GET', '/v1/gw/finops/anomaly-rules', {
      credential: customer.token,
    });
    expect(body.data.map(({ version }) => version)).toEqual([2]);
  });

  it('refuses a threshold of another unit than its type has, and what was meant', async () => {
    const customer = await newCustomer(app);
    const fault = async (type: string, threshold: number) => {
      const { status, body } = await publishRule(customer, { type, threshold });
      const { message, param } = (body.error ?? {}) as Record<string, unknown>;
      return status === 200 ? body.threshold : `${status} ${param}: ${message}`;
    };
    expect(await fault('error_spike', 50)).toBe(
      '400 threshold: threshold of error_spike must be a share above 0, up to 1; did you mean 0.5?',
    );
    expect(await fault('error_spike', 0)).toContain('a share above 0, up to 1.');
    expect(await fault('error_spike', 1)).toBe(1);
    expect(await fault('cost_spike', 0.5)).toContain('how many times the expected');
    expect(await fault('cost_spike', 1)).toBe(1);
    expect(await fault('retry_loop', 0.5)).toContain('is a count and must be at least 1');
    const { body } = await rest<{ anomaly_types: Body[] }>(app, 'GET', '/v1/gw/finops/reference');
    const units = Object.fromEntries(body.anomaly_types.map(({ code, unit }) => [code, unit]));
    expect(units).toMatchObject({ error_spike: 'share', retry_loop: 'count', cost_spike: 'times' });
  });

  it('names the metrics that it lacks, and is nobody else’s', async () => {
    const customer = await newCustomer(app);
    const { body } = await publishRule(customer, { type: 'cost_spike' });
    const refused = await evaluate(customer, body.id, { metrics: {} });
    const { faults } = refused.body.error as { faults: { path: string }[] };
    expect(faults.map(({ path }) => path)).toEqual([
      'metrics.cost_rub',
      'metrics.baseline_cost_rub',
    ]);
    const foreign = await evaluate(await newCustomer(app), body.id, { cost_rub: 1 });
    expect(outcome(foreign)).toBe('404 not_found');
  });
});

describe('live requests', () => {
  it('are watched by the standing rules: a retry loop is listed with what drove it', async () => {
    const customer = await newCustomer(app, 100);
    const ids = await loop(customer, 12);
    await expect.poll(() => anomaliesOf(customer), { timeout: 15_000 }).toHaveLength(1);
    const [found] = await anomaliesOf(customer);
    expect(found).toMatchObject({
      rule_key: 'gw:retry_loop',
      type: 'retry_loop',
      scope: 'agent_session',
      scope_ref: 'agent-1',
      metric: 'retries',
      expected: 0,
      limit: 10,
      method: 'threshold',
      severity: 'medium',
      action: 'alert',
    });
    expect(Number(found?.observed)).toBeGreaterThanOrEqual(10);
    const drivers = found?.request_ids as string[];
    expect(drivers.length).toBeGreaterThanOrEqual(10);
    expect(ids).toEqual(expect.arrayContaining(drivers));
    expect(await anomaliesOf(await newCustomer(app))).toEqual([]);
  });

  it('that a rule pauses are refused on every node until an approval resumes them', async () => {
    const customer = await newCustomer(app, 100);
    await publishRule(customer, { ...RETRY_RULE, action: 'pause' });
    await loop(customer, 7);
    await expect.poll(() => pausesOf(customer), { timeout: 15_000 }).toHaveLength(1);
    const [pause] = await pausesOf(customer);
    expect(pause).toMatchObject({ scope: 'agent_session', scope_ref: 'agent-1', status: 'paused' });
    for (const node of [app, other]) {
      const refused = await spend(node, customer, LOOP);
      expect(outcome(refused)).toBe('403 spend_paused');
      expect((refused.body as { error: Body }).error).toMatchObject({
        pause_id: pause?.id,
        approval_id: pause?.approval_id,
      });
      expect(outcome(await spend(node, customer, { session_id: 'agent-2' }))).toBe('200');
    }
    await decide(app, customer.token, String(pause?.approval_id), 'approve');
    for (const node of [other, app]) expect(outcome(await spend(node, customer, LOOP))).toBe('200');
    expect(await pausesOf(customer)).toMatchObject([{ status: 'resumed' }]);
  });

  it('that stay paused after a rejection go on when it is asked again', async () => {
    const customer = await newCustomer(app, 100);
    await publishRule(customer, { ...RETRY_RULE, action: 'pause' });
    await loop(customer, 7);
    await expect.poll(() => pausesOf(customer), { timeout: 15_000 }).toHaveLength(1);
    const [pause] = await pausesOf(customer);
    await decide(app, customer.token, String(pause?.approval_id), 'reject');
    expect(outcome(await spend(app, customer, LOOP))).toBe('403 spend_paused');
    const { data } = await graphql<{ spendResumeRequest: Body }>(
      app,
      'mutation($id: ID!) { spendResumeRequest(id: $id) { approvalId } }',
      { id: pause?.id },
      customer.token,
    );
    const { approvalId } = data.spendResumeRequest;
    await decide(app, customer.token, String(approvalId), 'approve');
    expect(outcome(await spend(app, customer, LOOP))).toBe('200');
  });

  it('under review go on, and are paused when the review is rejected', async () => {
    const customer = await newCustomer(app, 100);
    await publishRule(customer, { ...RETRY_RULE, action: 'approval' });
    await loop(customer, 7);
    await expect.poll(() => pausesOf(customer), { timeout: 15_000 }).toHaveLength(1);
    const [pause] = await pausesOf(customer);
    expect(pause?.status).toBe('under_review');
    expect(outcome(await spend(app, customer, LOOP))).toBe('200');
    await decide(app, customer.token, String(pause?.approval_id), 'reject');
    expect(outcome(await spend(other, customer, LOOP))).toBe('403 spend_paused');
  });

  it('that cost more than their forecast said are an anomaly', async () => {
    const customer = await newCustomer(app, 100);
    await publishRule(customer, { type: 'spend_over_forecast', action: 'alert', requests_min: 1 });
    await rest(app, 'POST', '/v1/gw/finops/forecast', {
      credential: customer.token,
      body: { units: 1, cost_per_unit_rub: 1, use_case_id: 'run' },
    });
    await spend(app, customer, { feature: 'run' });
    await spend(app, customer, { feature: 'run' });
    await expect
      .poll(() => anomaliesOf(customer), { timeout: 15_000 })
      .toMatchObject([
        { type: 'spend_over_forecast', observed: 2, expected: 1, method: 'forecast' },
      ]);
  });

  it('are compared with the same hour of earlier weeks where there is history', async () => {
    const customer = await newCustomer(app, 100);
    const history = `INSERT INTO spend_hour
        (tenant_id, scope_kind, scope_ref, hour, requests, cost_micro)
      SELECT $1, 'use_case', $2, date_trunc('hour', now()) - week * interval '7 days', $3, $4
      FROM generate_series(1, 4) AS week`;
    await app.owner.pool.query(history, [customer.tenantId, 'quiet', 6, 600_000]);
    await app.owner.pool.query(history, [customer.tenantId, 'busy', 600, 600_000_000]);
    await publishRule(customer, { type: 'cost_spike', action: 'alert', requests_min: 3 });
    for (const feature of ['quiet', 'busy']) {
      for (let made = 0; made < 4; made += 1) await spend(app, customer, { feature });
    }
    await expect
      .poll(() => anomaliesOf(customer), { timeout: 15_000 })
      .toMatchObject([
        { scope_ref: 'quiet', method: 'same_hour', expected: 0.1, metric: 'cost_rub' },
      ]);
  });
});
