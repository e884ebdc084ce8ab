import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, outcome } from '../../journeys/people.js';
import { newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

const PATH = '/v1/gw/transparency/publications';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('the publication of a log', () => {
  it('waits for nothing that refers to its organization', async () => {
    const { tenantId, token } = await newCustomer(app);
    const other = await newCustomer(app);
    const client = await app.owner.pool.connect();
    await client.query('BEGIN');
    // As every row does that is written under the organization, such as a hold.
    await client.query('SELECT FROM tenant WHERE id = $1 FOR KEY SHARE', [tenantId]);
    const made = await rest<{ id: string }>(app, 'POST', PATH, { credential: token });
    const foreign = `${PATH}/${made.body.id}`;
    const refused = await rest<ErrorBody>(app, 'DELETE', foreign, { credential: other.token });
    const ended = await rest(app, 'DELETE', foreign, { credential: token });
    await client.query('ROLLBACK');
    client.release();
    expect([made.status, outcome(refused), ended.status]).toEqual([200, '404 not_found', 200]);
  });

  it('is made once by several who ask at the same moment', async () => {
    const { token } = await newCustomer(app);
    const ask = () => rest<ErrorBody>(app, 'POST', PATH, { credential: token });
    const all = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(all.map(outcome).sort()).toEqual(['200', ...Array(3).fill('409 log_published_already')]);
  });
});
