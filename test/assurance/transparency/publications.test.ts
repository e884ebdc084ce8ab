import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READINGS_PER_MINUTE } from '../../../src/assurance/transparency/vocabulary.js';
import { type ErrorBody, outcome } from '../../journeys/people.js';
import { newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { published } from './samples.js';

const PATH = '/v1/gw/transparency/publications';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ GW_TRUSTED_PROXIES: '1' });
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

describe('readings of published logs', () => {
  it('are limited by node too: a fresh address waits where many have read', async () => {
    const log = await published(app, await newCustomer(app, 10));
    const second = await startApp({ ...app.environment, GW_NODE_ID: 'second' });
    try {
      const read = (at: TestApp, path: string, host: number) =>
        rest<ErrorBody>(at, 'GET', `/v1/gw/transparency/logs/${log.name}/${path}`, {
          headers: { 'x-forwarded-for': `203.0.113.${host}` },
        });
      const { counters, config } = app.server.services;
      const { node: perMinute } = READINGS_PER_MINUTE;
      counters.adjust(`published_log:node:${config.nodeId}`, perMinute, -perMinute * 2);
      for (const path of ['checkpoint', 'growth?old=0']) {
        const refused = await read(app, path, 1);
        expect(outcome(refused)).toBe('429 log_readings_throttled');
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        expect((await read(second, path, 1)).status).toBe(200);
      }
    } finally {
      await second.stop();
    }
  });
});
