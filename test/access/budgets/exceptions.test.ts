import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { inParallel } from '../../faults/client.js';
import { type ErrorBody, newKey, newMember, outcome } from '../../journeys/people.js';
import { graphql, rest } from '../../support/app.js';
import {
  askException,
  cappedCustomer,
  decide,
  type RubleApp,
  spendAll,
  spendRuble,
  startRubleApp,
  waiting,
} from './ruble-app.js';

let app: RubleApp;
beforeAll(async () => {
  app = await startRubleApp();
});
afterAll(() => app.stop());

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

function moscowDay(): string {
  return new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Moscow' }).format(new Date());
}

/** Lets what an organization spent and was granted have happened a day ago. */
async function nextDay(tenantId: string): Promise<void> {
  const { pool } = app.owner;
  for (const table of ['budget_exception', 'budget_counter']) {
    const sql = `UPDATE ${table} SET period_start = period_start - 1 WHERE tenant_id = $1`;
    await pool.query(sql, [tenantId]);
  }
}

describe('a granted exception', () => {
  it.each(['day', 'month'])(
    'of 3 rubles admits exactly 3 more requests of a %s',
    async (period) => {
      const budgets = { [period === 'day' ? 'daily_rub' : 'monthly_rub']: 2 };
      const { key, token, policyId } = await cappedCustomer(app, budgets);
      expect(await spendAll(app, key)).toBe(2);
      const asked = await askException(app, key, policyId, { period });
      expect(await spendAll(app, key)).toBe(0);
      expect(outcome(await decide(app, token, asked.body.approval_id, 'approve'))).toBe('200');
      expect(await spendAll(app, key)).toBe(3);
      const refused = await spendRuble(app, key);
      expect(outcome(refused)).toBe('402 budget_exhausted');
      const message = `The budget "capped (${period})" is spent: 5.00 of 5.00 RUB.`;
      expect((refused.body as ErrorBody).error.message).toBe(message);
    },
  );

  it('ends with its period: the next one has the cap of the policy', async () => {
    const { key, token, tenantId, policyId } = await cappedCustomer(app, { daily_rub: 2 });
    const asked = await askException(app, token, policyId);
    await decide(app, token, asked.body.approval_id, 'approve');
    await nextDay(tenantId);
    expect(await spendAll(app, key)).toBe(2);
  });

  it('adds to others of the period, and never changes the policy', async () => {
    const { key, token, policyId } = await cappedCustomer(app, { daily_rub: 1 });
    for (const amount_rub of [1, 2]) {
      const asked = await askException(app, token, policyId, { amount_rub });
      await decide(app, token, asked.body.approval_id, 'approve');
    }
    expect(await spendAll(app, key)).toBe(4);
    const { body } = await rest<{ data: object[] }>(app, 'GET', '/v1/gw/policies', {
      credential: token,
    });
    const budgets = { daily_rub: 1, monthly_rub: null };
    expect(body.data).toMatchObject([{ id: policyId, version: 1, budgets }]);
  });

  it('is granted once, by one of twenty approvals at once', async () => {
    const { key, token, policyId } = await cappedCustomer(app, { daily_rub: 1 });
    const asked = await askException(app, token, policyId);
    const answers = await inParallel(20, 20, () =>
      decide(app, token, asked.body.approval_id, 'approve'),
    );
    expect(answers.map(outcome).sort()).toEqual([
      '200',
      ...Array.from({ length: 19 }, () => '422 approval_already_decided'),
    ]);
    expect(await spendAll(app, key)).toBe(4);
  });

  it('with its cap is never overspent by 50 requests at once', async () => {
    const { key, token, policyId } = await cappedCustomer(app, { daily_rub: 4 });
    const asked = await askException(app, token, policyId, { amount_rub: 5 });
    const decided = decide(app, token, asked.body.approval_id, 'approve');
    const early = await inParallel(25, 25, () => spendRuble(app, key));
    await decided;
    const late = await inParallel(25, 25, () => spendRuble(app, key));
    const admitted = [...early, ...late].filter(({ status }) => status === 200);
    expect(admitted).toHaveLength(9);
    expect(await checkInvariants(app.owner.pool)).toEqual([]);
  });
});

describe('an exception that is not granted', () => {
  it('grants nothing when it is rejected, and says so', async () => {
    const { key, token, policyId } = await cappedCustomer(app, { daily_rub: 1 });
    const asked = await askException(app, token, policyId);
    await decide(app, token, asked.body.approval_id, 'reject', { reason: 'no' });
    expect(await spendAll(app, key)).toBe(1);
    const path = `/v1/gw/policies/${policyId}/budget-exceptions?status=rejected`;
    const { body } = await rest<{ data: object[] }>(app, 'GET', path, { credential: token });
    expect(body.data).toEqual([{ ...asked.body, status: 'rejected', decided_at: ISO }]);
  });

  it('grants nothing when nobody decides before its period ends', async () => {
    const { key, token, policyId } = await cappedCustomer(app, { daily_rub: 1 });
    const { body } = await askException(app, token, policyId);
    const { pool } = app.owner;
    const sql = `UPDATE approval SET expires_at = clock_timestamp() WHERE id = $1`;
    await pool.query(sql, [body.approval_id]);
    const late = await decide(app, token, body.approval_id, 'approve');
    expect(outcome(late)).toBe('422 approval_already_decided');
    expect(await spendAll(app, key)).toBe(1);
    const { rows } = await pool.query('SELECT status FROM budget_exception WHERE id = $1', [
      body.id,
    ]);
    expect(rows).toEqual([{ status: 'expired' }]);
  });
});

describe('a request for an exception', () => {
  it('waits in the queue with the budget as it stands, until the period ends at most', async () => {
    const customer = await cappedCustomer(app, { daily_rub: 2 });
    const { key, token, userId, keyId, policyId } = customer;
    await spendRuble(app, key);
    const asked = await askException(app, key, policyId, { amount_rub: 0.5 });
    expect(asked.body).toEqual({
      id: UUID,
      policy_id: policyId,
      budget_id: UUID,
      period: 'day',
      period_start: moscowDay(),
      amount_rub: 0.5,
      reason: 'A release',
      status: 'pending',
      approval_id: UUID,
      request_id: null,
      requested_by: keyId,
      created_at: ISO,
      decided_at: null,
    });
    const path = `/v1/gw/approvals/${asked.body.approval_id}`;
    const { body: approval } = await rest(app, 'GET', path, { credential: token });
    expect(approval).toEqual({
      id: asked.body.approval_id,
      kind: 'budget_exception',
      subject_id: asked.body.id,
      summary: `0.50 RUB beyond 2.00 RUB of "capped (day)" from ${moscowDay()}`,
      shown: {
        policy: 'capped',
        policy_id: policyId,
        budget: 'capped (day)',
        budget_id: UUID,
        period: 'day',
        period_start: moscowDay(),
        cap_rub: '2.00',
        granted_rub: '0.00',
        spent_rub: '1.00',
        held_rub: '0.00',
        requested_rub: '0.50',
        reason: 'A release',
        request_id: null,
      },
      erased: false,
      shown_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      status: 'pending',
      requested_by: keyId,
      accountable_id: userId,
      decided_by: null,
      self_approved: false,
      reason: null,
      execution: 'none',
      four_eyes: false,
      attempts: 0,
      execution_error: null,
      expires_at: ISO,
      decided_at: null,
      created_at: ISO,
    });
    // The end of the day in Moscow, three hours ahead of Greenwich.
    const endMs = Date.parse(`${moscowDay()}T00:00:00+03:00`) + 86_400_000;
    const offMs = Math.abs(Date.parse(String(approval.expires_at)) - endMs);
    expect(offMs).toBeLessThan(60_000);
  });

  it('leaves one audit event of the caller', async () => {
    const { token, userId, policyId } = await cappedCustomer(app, { daily_rub: 2 });
    const asked = await askException(app, token, policyId);
    const { data } = await graphql<{ auditEvents: { nodes: object[] } }>(
      app,
      `query($id: String!) {
        auditEvents(filter: { subjectId: { eq: $id } }) {
          nodes { action subject subjectId actorId }
        }
      }`,
      { id: asked.body.id },
      token,
    );
    expect(data.auditEvents.nodes).toEqual([
      {
        action: 'budgetExceptionRequest',
        subject: 'BudgetException',
        subjectId: asked.body.id,
        actorId: userId,
      },
    ]);
  });

  it('may be made by an agent key, which decides nothing', async () => {
    const { token, policyId } = await cappedCustomer(app, { daily_rub: 1 });
    const agent = await newKey(app, token, 'agent');
    const asked = await askException(app, agent.key, policyId);
    expect(asked.status).toBe(200);
    const decided = await decide(app, agent.key, asked.body.approval_id, 'approve');
    expect(outcome(decided)).toBe('403 permission_denied');
    const viewer = await newMember(app, token, 'viewer');
    const refused = await askException(app, viewer.token, policyId);
    expect(outcome(refused)).toBe('403 permission_denied');
  });

  it('names every fault at once', async () => {
    const { token, policyId } = await cappedCustomer(app, { daily_rub: 1 });
    const refused = await askException(app, token, policyId, { amount_rub: 0, reason: ' ' });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'invalid_request',
          faults: [
            { path: 'reason', message: 'reason must have 1 to 500 characters.' },
            { path: 'amount_rub', code: 'out_of_range' },
          ],
        },
      },
    });
    const torn = await askException(app, token, policyId, { reason: 'a \ud800 half' });
    expect(outcome(torn)).toBe('400 invalid_request');
  });

  it('needs a budget of that period that is in force', async () => {
    const { token, policyId } = await cappedCustomer(app, { daily_rub: 1 });
    const month = await askException(app, token, policyId, { period: 'month' });
    expect(outcome(month)).toBe('422 budget_not_set');
    const path = `/v1/gw/policies/${policyId}`;
    await rest(app, 'PATCH', path, { credential: token, body: { enabled: false } });
    expect(outcome(await askException(app, token, policyId))).toBe('422 budget_not_set');
  });

  it('is refused while 100 others from the budget wait, and taken when one less does', async () => {
    const { token, policyId } = await cappedCustomer(app, { daily_rub: 1 });
    const { body } = await askException(app, token, policyId);
    const sql = `INSERT INTO budget_exception
      SELECT (jsonb_populate_record(e, jsonb_build_object(
        'id', gen_random_uuid(), 'approval_id', gen_random_uuid()))).*
      FROM budget_exception e, generate_series(1, 99) WHERE e.id = $1`;
    await app.owner.pool.query(sql, [body.id]);
    const refused = await askException(app, token, policyId);
    expect(outcome(refused)).toBe('409 budget_exceptions_waiting');
    await decide(app, token, body.approval_id, 'reject');
    expect(outcome(await askException(app, token, policyId))).toBe('200');
  });

  it("takes another organization's policy for one that does not exist", async () => {
    const [own, other] = await Promise.all([
      cappedCustomer(app, { daily_rub: 1 }),
      cappedCustomer(app, { daily_rub: 1 }),
    ]);
    const foreign = await askException(app, own.token, other.policyId);
    const unknown = await askException(app, own.token, own.userId);
    expect(outcome(foreign)).toBe('404 not_found');
    const text = (body: unknown) =>
      JSON.stringify({ ...(body as { error: object }).error, request_id: '' });
    expect(text(foreign.body).replaceAll(other.policyId, own.userId)).toBe(text(unknown.body));
    const asked = await askException(app, other.token, other.policyId);
    const node = '{ node(id: $id) { __typename id } }';
    const read = (token: string) =>
      graphql(app, `query($id: ID!) ${node}`, { id: asked.body.id }, token);
    expect((await read(own.token)).errors?.[0]?.extensions.code).toBe('not_found');
    expect((await read(other.token)).data).toEqual({
      node: { __typename: 'BudgetException', id: asked.body.id },
    });
    const path = `/v1/gw/policies/${other.policyId}/budget-exceptions`;
    const listed = await rest<{ data: [] }>(app, 'GET', path, { credential: own.token });
    expect(listed.body.data).toEqual([]);
    expect(outcome(await decide(app, own.token, asked.body.approval_id, 'approve'))).toBe(
      '404 not_found',
    );
    expect(await waiting(app, other.token)).toEqual([asked.body.approval_id]);
  });
});
