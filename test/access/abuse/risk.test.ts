import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { outcome } from '../../journeys/people.js';
import { type Answer, type Customer, newCustomer, rest } from '../../support/app.js';
import { newKey, report } from './samples.js';

let app: BudgetApp;
let customer: Customer;
let stranger: Customer;
beforeAll(async () => {
  app = await startBudgetApp();
  customer = await newCustomer(app, 1_000);
  stranger = await newCustomer(app);
});
afterAll(() => app?.stop());

const ask = (credential: string): Promise<Answer> =>
  rest(app, 'POST', '/v1/chat/completions', { credential, body: ONE_RUBLE });
const get = (path: string, credential = customer.token): Promise<Answer> =>
  rest(app, 'GET', path, { credential });

describe('a scan', () => {
  const scan = (credential: string, body: Readonly<Record<string, unknown>> = {}) =>
    rest<Record<string, unknown>>(app, 'POST', '/v1/gw/abuse/risk-scan', { credential, body });
  type Signals = readonly { signal: string; value: number | null; points: number | null }[];
  const signal = (body: Record<string, unknown>, name: string) =>
    (body.signals as Signals).find((each) => each.signal === name);

  it('says that a key without any use has no score', async () => {
    const key = await newKey(app, customer);
    const { body } = await scan(customer.token, { key_ref: key.id });
    expect(body).toMatchObject({
      key_ref: key.id,
      verdict: 'cannot_score',
      score: null,
      provenance: 'live_measured',
      spend_at_risk: expect.any(Number),
    });
    expect(body.missing).toHaveLength(3);
    expect(body.score_ceiling).toBeGreaterThan(60);
  });

  it('measures age, rotation, spending and networks from what is recorded', async () => {
    const poor = await newCustomer(app, 50);
    const { body: policy } = await rest<{ id: string }>(app, 'POST', '/v1/gw/policies', {
      credential: poor.token,
      body: { name: 'cap', budgets: { daily_rub: 20 } },
    });
    expect(policy.id).toBeDefined();
    expect(outcome(await ask(poor.key))).toBe('200');
    await app.owner.pool.query(
      "UPDATE api_key SET created_at = clock_timestamp() - interval '400 days' WHERE id = $1",
      [poor.keyId],
    );
    await app.owner.pool.query(
      `INSERT INTO key_address
       SELECT $1, $2, decode(md5(n::text), 'hex'), '198.51.' || n || '.0/24', 1,
         clock_timestamp() - make_interval(days => n), clock_timestamp() - make_interval(days => n)
       FROM generate_series(2, 3) n`,
      [poor.tenantId, poor.keyId],
    );
    const { body } = await scan(poor.key);
    expect(body).toMatchObject({
      key_ref: poor.keyId,
      verdict: 'partly_scored',
      spend_at_risk: 19,
    });
    expect(signal(body, 'age')).toMatchObject({ points: 15 });
    expect(signal(body, 'rotation')).toMatchObject({ points: 10 });
    expect(signal(body, 'networks')).toMatchObject({ value: 1, points: 0 });
    expect(signal(body, 'new_networks')).toMatchObject({ value: 1, points: 20 });
    expect(signal(body, 'spend')).toMatchObject({ value: null, points: null });
    const latest = await get(`/v1/gw/abuse/keys/${poor.keyId}/risk`, poor.token);
    expect(latest.body).toEqual(body);
  });

  it('stores no address, only its network and a keyed hash', async () => {
    const { rows } = await app.owner.pool.query(
      'SELECT DISTINCT network, length(address_hash) AS bytes FROM key_address WHERE key_id = $1',
      [customer.keyId],
    );
    for (const row of rows) expect(row).toEqual({ network: '127.0.0.0/24', bytes: 32 });
  });

  it('knows how old the line of a rotated key is, and that a revoked one risks none', async () => {
    const key = await newKey(app, customer);
    await app.owner.pool.query(
      "UPDATE api_key SET created_at = clock_timestamp() - interval '365 days' WHERE id = $1",
      [key.id],
    );
    const { body } = await report(app, customer.token, {
      type: 'key_leak',
      key_ref: key.id,
      actions_taken: ['rotate'],
    });
    const fresh = body.incident.actions[0]?.new_key_id;
    const after = (await scan(customer.token, { key_ref: fresh })).body;
    expect(signal(after, 'age')?.points).toBe(15);
    expect(signal(after, 'rotation')?.points).toBe(0);
    await rest(app, 'DELETE', `/api-keys/${fresh}`, { credential: customer.token });
    expect((await scan(customer.token, { key_ref: fresh })).body).toMatchObject({
      spend_at_risk: 0,
      recommended_action: 'none',
    });
  });

  it('needs a key from a member, and knows no key of another organization', async () => {
    expect((await scan(customer.token)).status).toBe(400);
    expect(outcome(await scan(customer.token, { key_ref: stranger.keyId }))).toBe('404 not_found');
    expect(outcome(await get(`/v1/gw/abuse/keys/${stranger.keyId}/risk`))).toBe('404 not_found');
    const key = await newKey(app, customer);
    expect(outcome(await get(`/v1/gw/abuse/keys/${key.id}/risk`))).toBe('404 not_found');
    expect((await scan(customer.token, { key_ref: 7 })).status).toBe(400);
  });
});
