import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POINTS_PER_MINUTE } from '../../src/graph/limits.js';
import { BEACON_BOUNDS } from '../../src/growth/analytics/vocabulary.js';
import { newCustomer, rest, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ GW_TRUSTED_PROXIES: '127.0.0.0/8, ::1' });
});
afterAll(() => app?.stop());

const from = (chain: string) => ({ 'x-forwarded-for': chain });

/** Leaves nothing of the limit of a client. */
function spend(key: string, perMinute: number): void {
  app.server.services.counters.adjust(key, perMinute, -perMinute * 2);
}

interface RateLimit {
  /** Absent where the question was refused. */
  readonly data?: { readonly rateLimit: { readonly remaining: number } };
}

describe('behind a trusted proxy', () => {
  it('beacons are limited by client, and a forged chain changes nothing', async () => {
    const { perMinuteOfAddress } = BEACON_BOUNDS;
    const send = (chain: string) =>
      rest(app, 'POST', '/v1/gw/analytics/beacon', {
        body: { event: 'page_view' },
        headers: from(chain),
      });
    spend('beacon:address:203.0.113.9', perMinuteOfAddress);
    const statuses = [];
    for (const chain of [
      '203.0.113.9',
      '198.51.100.1, 203.0.113.9',
      '203.0.113.9, 127.0.0.5',
      '::ffff:203.0.113.9',
      '203.0.113.10',
      '203.0.113.9, 203.0.113.10',
    ]) {
      statuses.push((await send(chain)).status);
    }
    expect(statuses).toEqual([429, 429, 429, 429, 200, 200]);
  });

  it('failed logins and public questions are limited by client, IPv6 by its network', async () => {
    spend('login:address:2001:db8:0:0::/64', 20);
    const logIn = async (chain: string) => {
      const body = { email: 'nobody@example.test', password: 'wrong horse battery' };
      return (await rest(app, 'POST', '/auth/login', { body, headers: from(chain) })).status;
    };
    expect([await logIn('2001:db8::77'), await logIn('2001:db8:0:1::77')]).toEqual([429, 401]);
    spend('points:address:203.0.113.20', POINTS_PER_MINUTE);
    const remaining = async (chain: string) => {
      const body = { query: '{ rateLimit { remaining } }' };
      const headers = from(chain);
      const answer = await rest<RateLimit>(app, 'POST', '/graphql', { body, headers });
      return answer.body.data?.rateLimit.remaining ?? 0;
    };
    // What was spent comes back little by little, a point each millisecond.
    expect(await remaining('203.0.113.20')).toBeLessThan(POINTS_PER_MINUTE / 2);
    for (const other of ['203.0.113.21', '203.0.113.22']) {
      expect(await remaining(other)).toBeGreaterThan(POINTS_PER_MINUTE - 100);
    }
  });

  it('a key was seen from the network of the client', async () => {
    const customer = await newCustomer(app);
    const see = (chain: string) =>
      rest(app, 'GET', '/v1/models', { credential: customer.key, headers: from(chain) });
    await see('203.0.113.30');
    await see('10.1.1.1, 203.0.113.30');
    await see('198.51.100.30');
    await app.server.services.keySightings.write();
    const { rows } = await app.owner.pool.query(
      'SELECT network, requests FROM key_address WHERE key_id = $1 ORDER BY requests',
      [customer.keyId],
    );
    expect(rows).toEqual([
      { network: '198.51.100.0/24', requests: 1n },
      { network: '203.0.113.0/24', requests: 2n },
    ]);
  });
});
