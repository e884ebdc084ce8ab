import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchSpending } from '../../../src/finops/anomalies/spend-watch.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { inParallel } from '../../faults/client.js';
import { outcome } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { type BudgetApp, DEAR, setBudget, spend, startBudgetApp } from './budget-app.js';

let app: BudgetApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startBudgetApp();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app, 1_000);
});
afterAll(async () => {
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
  await app.stop();
});

type Body = Record<string, unknown>;
type Refused = { error: { code: string; faults?: { path: string; message: string }[] } };

/** How many of some requests at the same time were answered. */
async function answered(times: number, metadata: Body, who = customer): Promise<number> {
  const all = await inParallel(times, times, async () => outcome(await spend(app, who, metadata)));
  return all.filter((each) => each === '200').length;
}

const listed = async (who: Customer) => {
  const query = '{ budgets(scopeKind: each) { nodes { scopeRef hardCapRub } } }';
  const { data, errors } = await graphql<{ budgets: { nodes: Body[] } }>(app, query, {}, who.token);
  return errors ?? data?.budgets.nodes;
};

/** How many holds a customer has ever had. */
async function holdsOf({ accountId }: Customer): Promise<number> {
  const { rows } = await app.owner.pool.query(
    'SELECT count(*)::int AS count FROM hold WHERE account_id = $1',
    [accountId],
  );
  return rows[0].count;
}

/** The versions of the rows of each, which a change of a row replaces. */
async function rowsOfEach() {
  const { rows } = await app.owner.pool.query(
    `SELECT id, xmin::text, ctid::text FROM budget WHERE tenant_id = $1 AND scope_kind = 'each'
     ORDER BY id`,
    [customer.tenantId],
  );
  return rows;
}

/** What a check says of each of them. */
async function checked({ token }: Customer) {
  const query = '{ budgets(scopeKind: each) { nodes { id } } }';
  const { data } = await graphql<{ budgets: { nodes: { id: string }[] } }>(app, query, {}, token);
  const check = 'query ($id: ID!) { budgetCheck(id: $id) { hardCapRub } }';
  const all = data.budgets.nodes.map(async ({ id }) => {
    const found = await graphql<{ budgetCheck: Body }>(app, check, { id }, token);
    return found.data?.budgetCheck ?? found.errors;
  });
  return Promise.all(all);
}

describe('a cap for each', () => {
  it('session holds for each by itself, at the same time, and follows its budget', async () => {
    const { body } = await setBudget(app, customer.token, {
      scope: 'agent_session',
      scope_ref: 'each',
      hard_cap: 3,
    });
    expect(body.concerns).toBe(
      'Requests that name an agent session in metadata.session_id: each one has the cap for ' +
        'itself; no others.',
    );
    const [one, two] = await Promise.all([
      answered(8, { session_id: 'one' }),
      answered(8, { session_id: 'two' }),
    ]);
    expect([one, two]).toEqual([3, 3]);
    expect(await answered(4, {})).toBe(4);
    expect(await answered(4, { session_id: 'one' }, other)).toBe(4);
    const nodes = (await listed(customer)) as Body[];
    expect(nodes.map(({ scopeRef }) => scopeRef).sort()).toEqual([
      `${body.id}/one`,
      `${body.id}/two`,
    ]);
    expect(await listed(other)).toEqual([]);
    const all = await graphql<{ budgets: { nodes: Body[] } }>(
      app,
      '{ budgets { nodes { scope scopeRef } } }',
      {},
      customer.token,
    );
    expect(all.data.budgets.nodes).toEqual([{ scope: 'agent_session', scopeRef: 'each' }]);
    const left = async (scope_ref: string) => {
      const forecast = { scope: 'agent_session', scope_ref, units: 1, cost_per_unit_rub: 1 };
      return (
        await rest<Body>(app, 'POST', '/v1/gw/finops/forecast', {
          credential: customer.token,
          body: forecast,
        })
      ).body.budget_left_rub;
    };
    expect([await left('one'), await left('unheard'), await left('*')]).toEqual([0, 3, null]);
    const raised = { scope: 'agent_session', scope_ref: 'each', hard_cap: 4 };
    const before = await rowsOfEach();
    await setBudget(app, customer.token, raised);
    // However many there are, a change of the cap is one of one row.
    expect(await rowsOfEach()).toEqual(before);
    const capped = (await listed(customer)) as Body[];
    expect(capped.map(({ hardCapRub }) => hardCapRub)).toEqual(['4.00', '4.00']);
    expect(await checked(customer)).toMatchObject([{ hardCapRub: '4.00' }, { hardCapRub: '4.00' }]);
    expect(await answered(4, { session_id: 'one' })).toBe(1);
    await setBudget(app, customer.token, { ...raised, active: false });
    expect(await answered(2, { session_id: 'one' })).toBe(2);
  });

  it('session is escaped by none that is no text, which is refused before a hold', async () => {
    const who = await newCustomer(app, 100);
    const cap = { scope: 'agent_session', scope_ref: 'each', hard_cap: 10 };
    await setBudget(app, who.token, cap);
    for (const name of ['session_id', 'agent_session']) {
      for (const value of [7, ['a'], true, { id: 'a' }, 'a'.repeat(513)]) {
        const refused = await spend(app, who, { [name]: value });
        const { error } = refused.body as unknown as Refused;
        const path = `metadata.${name}`;
        expect([refused.status, error.faults]).toMatchObject([400, [{ path }]]);
      }
    }
    expect(await holdsOf(who)).toBe(0);
    expect(await answered(60, { session_id: '7' }, who)).toBe(10);
    expect(await answered(2, { session_id: null, agent_session: '7' }, who)).toBe(0);
    expect(await answered(1, { session_id: '7' }, other)).toBe(1);
  });

  it('key or client holds for each by itself, beside a cap for all together', async () => {
    const who = await newCustomer(app, 100);
    await setBudget(app, who.token, { scope: 'key', scope_ref: 'each', hard_cap: 2 });
    expect(await answered(5, {}, who)).toBe(2);
    expect(outcome(await spend(app, { key: who.token }, {}))).toBe('200');
    const clients = await newCustomer(app, 100);
    const scope = 'partner_client';
    await setBudget(app, clients.token, { scope, scope_ref: 'each', hard_cap: 2 });
    await setBudget(app, clients.token, { scope, scope_ref: '*', hard_cap: 3 });
    expect(await answered(4, { client_id: 'a' }, clients)).toBe(2);
    expect(await answered(4, { client_id: 'b' }, clients)).toBe(1);
  });

  it('has no row of a session that an account without funds names', async () => {
    const poor = await newCustomer(app, 0);
    const cap = { scope: 'agent_session', scope_ref: 'each', hard_cap: 3 };
    await setBudget(app, poor.token, cap);
    const refused = await spend(app, poor, { session_id: 'unpaid' });
    expect(outcome(refused)).toBe('402 insufficient_balance');
    expect(await listed(poor)).toEqual([]);
  });

  it('is refused where there is none, with every fault', async () => {
    const faults = async (body: Body) => {
      const answer = await setBudget(app, customer.token, body);
      const { error } = answer.body as unknown as Refused;
      return [answer.status, error.faults?.map(({ message }) => message).sort()];
    };
    expect(
      await faults({ scope: 'agent_session', scope_ref: 'each', soft_alerts: [80], ladder: true }),
    ).toEqual([
      400,
      [
        'ladder is not for a budget with the reference each.',
        'soft_alerts is not for a budget with the reference each.',
      ],
    ]);
    expect(await faults({ scope: 'route', scope_ref: 'each' })).toEqual([
      400,
      ['scope_ref is for agent_session, partner_client, key.'],
    ]);
  });
});

describe('a reference that does not exist', () => {
  it('is refused in budgets and rules, with what was meant; what exists is taken', async () => {
    const rule = (scope_ref: string) =>
      rest<Refused>(app, 'POST', '/v1/gw/finops/anomaly-rules', {
        credential: customer.token,
        body: { type: 'error_spike', scope: 'route', scope_ref },
      });
    const budget = (scope_ref: string) =>
      setBudget(app, customer.token, { scope: 'route', scope_ref, hard_cap: 9_000 });
    for (const set of [rule, budget]) {
      const { status, body } = await set('own/modle');
      expect([status, (body as unknown as Refused).error.faults]).toMatchObject([
        400,
        [
          {
            path: 'scope_ref',
            message: expect.stringContaining('is no model, alias or route policy; did you mean'),
          },
        ],
      ]);
      for (const known of [DEAR, 'gw:auto', '*']) expect((await set(known)).status).toBe(200);
    }
  });
});

describe('an anomaly rule of *', () => {
  it('takes all together as a budget does, and each follows each by itself', async () => {
    const who = await newCustomer(app, 100);
    const publish = async (scope_ref: string) =>
      (
        await rest<Body>(app, 'POST', '/v1/gw/finops/anomaly-rules', {
          credential: who.token,
          body: {
            type: 'retry_loop',
            scope: 'agent_session',
            scope_ref,
            threshold: 4,
            requests_min: 1,
            action: 'alert',
          },
        })
      ).body;
    expect(await publish('*')).toMatchObject({ scope_ref: '*', together: true });
    expect(await publish('each')).toMatchObject({ scope_ref: 'each', together: null });
    for (const session_id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      expect(outcome(await spend(app, who, { session_id }))).toBe('200');
    }
    while (!(await watchSpending(app.server.services)));
    const found = await app.owner.pool.query<{ rule: string; ref: string }>(
      `SELECT rule_key AS rule, scope_ref AS ref FROM anomaly WHERE tenant_id = $1
         AND rule_key LIKE 'retry_loop%'`,
      [who.tenantId],
    );
    expect(found.rows).toEqual([{ rule: 'retry_loop:agent_session:all', ref: '*' }]);
  });
});
