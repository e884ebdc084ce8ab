import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inParallel } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { type ErrorBody, outcome } from '../../journeys/people.js';
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
    const revoke = (id: string) =>
      rest<ErrorBody>(app, 'DELETE', `${LIST}/${id}`, { credential: caller.key });
    const nowhere = '01939a3e-0c00-7049-8000-5e1f00000001';
    const said = ({ status, body }: Answer<ErrorBody>, id: string) => [
      status,
      body.error.code,
      body.error.message.replace(id, 'ID'),
      body.error.param,
    ];
    const unknown = await validate(`${(await issue(app, caller.key)).body.token}x`, caller.key);
    const missing = await revoke(nowhere);
    expect(outcome(missing)).toBe('404 not_found');
    for (const issuer of [customer.token, elsewhere.key]) {
      const { id, token } = (await issue(app, issuer)).body;
      expect((await validate(token, caller.key)).body).toEqual(unknown.body);
      expect(said(await revoke(id), id)).toEqual(said(missing, nowhere));
      expect(await listed(id)).toMatchObject({ requests_used: 0 });
    }
    const { id, token } = (await issue(app, caller.key)).body;
    expect((await validate(token, caller.key)).body).toMatchObject({ valid: true });
    expect(outcome(await revoke(id))).toBe('200');
    expect(await listed(id)).toMatchObject({ requests_used: 1 });
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
