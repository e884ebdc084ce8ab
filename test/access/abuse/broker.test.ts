import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inParallel } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { outcome } from '../../journeys/people.js';
import { type Answer, type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { limited } from '../keys/limited.js';
import { newWorkspace } from '../workspaces/samples.js';
import { type Issued, issue } from './samples.js';

let app: BudgetApp;
let customer: Customer;
let stranger: Customer;
beforeAll(async () => {
  app = await startBudgetApp();
  customer = await newCustomer(app, 10_000);
  stranger = await newCustomer(app, 100);
});
afterAll(() => app?.stop());

const LIST = '/v1/gw/abuse/ephemeral-tokens';

const ask = (credential: string): Promise<Answer> =>
  rest(app, 'POST', '/v1/chat/completions', { credential, body: ONE_RUBLE });

async function issued(body: Readonly<Record<string, unknown>> = {}): Promise<Issued> {
  const answer = await issue(app, customer.token, body);
  expect(answer.status).toBe(200);
  return answer.body;
}

function validate(token: string, credential = customer.token): Promise<Answer> {
  return rest(app, 'POST', `${LIST}/validate`, { credential, body: { token } });
}

async function listed(id: string): Promise<Record<string, unknown> | undefined> {
  const { body } = await rest<{ data: Record<string, unknown>[] }>(app, 'GET', LIST, {
    credential: customer.token,
  });
  return body.data.find((each) => each.id === id);
}

describe('a broker', () => {
  it('is told what is left, and counts one request with each question', async () => {
    const { id, token, details } = await issued({ scope: 'mobile', max_requests: 2, max_cost: 8 });
    const first = await validate(token);
    expect([first.status, first.body]).toEqual([
      200,
      {
        valid: true,
        refusal: null,
        token_id: id,
        scope: 'mobile',
        operations: ['chat', 'embeddings'],
        allowed_models: null,
        remaining_requests: 1,
        remaining_cost_rub: 8,
        expires_at: details.expires_at,
        remaining_seconds: expect.any(Number),
      },
    ]);
    expect(outcome(await ask(token))).toBe('200');
    expect((await validate(token)).body).toMatchObject({
      valid: false,
      refusal: 'requests_exhausted',
      remaining_requests: 0,
      remaining_cost_rub: 7,
    });
    expect((await listed(id))?.requests_used).toBe(2);
  });

  it('of many at once counts no more than there are', async () => {
    const { id, token } = await issued({ max_requests: 20 });
    const valid = await inParallel(60, 30, async (index) =>
      index % 2 === 0 ? (await validate(token)).body : await ask(token),
    );
    const passed = valid.filter((each) => {
      const { valid: isValid, status } = each as { valid?: boolean; status?: number };
      return isValid === true || status === 200;
    });
    expect(passed).toHaveLength(20);
    expect((await listed(id))?.requests_used).toBe(20);
  });

  it('learns of another organization’s token no more than of an unknown one', async () => {
    const { id, token } = await issued();
    const unknown = {
      valid: false,
      refusal: 'unknown',
      token_id: null,
      scope: null,
      operations: [],
      allowed_models: null,
      remaining_requests: 0,
      remaining_cost_rub: 0,
      expires_at: null,
      remaining_seconds: 0,
    };
    for (const shown of [token, `${token.slice(0, -1)}!`, stranger.key, 'x']) {
      expect((await validate(shown, stranger.token)).body).toEqual(unknown);
    }
    expect((await listed(id))?.requests_used).toBe(0);
    const gone = await rest(app, 'DELETE', `${LIST}/${id}`, { credential: stranger.token });
    expect(outcome(gone)).toBe('404 not_found');
  });
});

describe('a token of another workspace, or of none,', () => {
  it('is neither validated nor revoked by a caller of a workspace', async () => {
    const [open, closed] = [
      (await newWorkspace(app, customer)).body.id,
      (await newWorkspace(app, customer)).body.id,
    ];
    const caller = await limited(app, customer.token, { workspace_id: open });
    const elsewhere = await limited(app, customer.token, { workspace_id: closed });
    for (const [issuer, wanted] of [
      [customer.token, '403 workspace_boundary'],
      [elsewhere.key, '403 workspace_boundary'],
      [caller.key, '200'],
    ] as const) {
      const { id, token } = (await issue(app, issuer)).body;
      const validated = await validate(token, caller.key);
      const revoked = await rest(app, 'DELETE', `${LIST}/${id}`, { credential: caller.key });
      expect([validated, revoked].map(outcome)).toEqual([wanted, wanted]);
      expect((await listed(id))?.requests_used).toBe(wanted === '200' ? 1 : 0);
    }
  });
});

describe('a token that is issued while its key is being moved to another project', () => {
  it('acts in the project in which the key is then', async () => {
    const maker = await limited(app, customer.token);
    const { data } = await graphql<{ projectCreate: { id: string } }>(
      app,
      'mutation { projectCreate(name: "Moved") { id } }',
      {},
      customer.token,
    );
    const project = data.projectCreate.id;
    const moving = await app.owner.pool.connect();
    try {
      await moving.query('BEGIN');
      const makers = "pg_advisory_xact_lock(hashtextextended('makers ' || $1, 0))";
      await moving.query(`SELECT ${makers}`, [customer.tenantId]);
      await moving.query('UPDATE api_key SET project_id = $2 WHERE id = $1', [maker.id, project]);
      const issuing = issue(app, maker.key);
      const waiting = `SELECT count(*)::int AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await expect
        .poll(async () => (await app.owner.pool.query(waiting)).rows, { timeout: 20_000 })
        .toEqual([{ waiting: 1 }]);
      await moving.query('COMMIT');
      const { id } = (await issuing).body;
      expect((await listed(id))?.project_id).toBe(project);
    } finally {
      moving.release();
    }
  });
});
