import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
let customer: Customer;
let other: Customer;

beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
  other = await newCustomer(app);
});
afterAll(() => app.stop());

/** So many changes of an organization are made at once. */
const AT_ONCE = 4;

async function newPolicy({ token }: Customer, name: string): Promise<string> {
  const { body } = await rest<{ id: string }>(app, 'POST', '/v1/gw/policies', {
    credential: token,
    body: { name },
  });
  return body.id;
}

/** Holds the rows of policies, so that changes of them wait. @returns what lets them go */
async function held(ids: readonly string[]): Promise<() => Promise<void>> {
  const client = await app.owner.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM policy WHERE id = ANY($1::uuid[]) FOR UPDATE', [ids]);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

let keys = 0;

function keyed({ token }: Customer, method: 'PATCH' | 'DELETE', path: string, body?: object) {
  keys += 1;
  return rest(app, method, path, {
    credential: token,
    body,
    headers: { 'idempotency-key': `turn-${keys}` },
  });
}

async function count(sql: string): Promise<number> {
  const { rows } = await app.owner.pool.query<{ count: string }>(sql);
  return Number(rows[0]?.count);
}

const WAITING = `SELECT count(*) FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const RUNNING = `SELECT count(*) FROM idempotency_record WHERE status = 'running'`;

describe('a flood of keyed changes of an organization', () => {
  it('holds four connections, and a revocation under a key goes before all that wait', async () => {
    const created = await rest<{ id: string; key: string }>(app, 'POST', '/api-keys', {
      credential: customer.token,
      body: { keyType: 'service', name: 'leaked' },
    });
    const names = Array.from({ length: 12 }, (_, at) => `policy ${at}`);
    const ids = await Promise.all(names.map((name) => newPolicy(customer, name)));
    const [first = '', ...others] = ids;
    const [releaseFirst, releaseOthers] = [await held([first]), await held(others)];
    const change = (id: string) =>
      keyed(customer, 'PATCH', `/v1/gw/policies/${id}`, { name: 'changed' });
    const changing = [change(first)];
    await expect.poll(() => count(WAITING)).toBe(1);
    changing.push(...others.map(change));
    await expect.poll(() => count(WAITING)).toBe(AT_ONCE);
    await expect.poll(() => count(RUNNING)).toBe(ids.length);
    const revoked = keyed(customer, 'DELETE', `/api-keys/${created.body.id}`);
    await expect.poll(() => count(RUNNING)).toBe(ids.length + 1);
    // Another organization is not in the way of this one.
    const foreign = await newPolicy(other, 'foreign');
    const path = `/v1/gw/policies/${foreign}`;
    expect((await keyed(other, 'PATCH', path, { name: 'x' })).status).toBe(200);
    expect(await count(WAITING)).toBe(AT_ONCE);
    await releaseFirst();
    expect((await revoked).status).toBe(200);
    const refused = await rest(app, 'GET', '/api-keys', { credential: created.body.key });
    expect(refused.status).toBe(401);
    await releaseOthers();
    const ends = await Promise.all(changing);
    expect(ends.map(({ status }) => status)).toEqual(ids.map(() => 200));
  });
});
