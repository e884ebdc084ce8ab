import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Load } from '../../../src/app/load/load.js';
import { outcome, PASSWORD } from '../../journeys/people.js';
import { newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ GW_TRUSTED_PROXIES: '1', GW_REGISTRATIONS_PER_MINUTE: '15' });
  // It is not late, however slow the machine of the test is.
  const load = app.server.services.places as Load;
  load.gauge = { start() {}, stop() {}, read: () => ({ work: 0, reports: 0 }) };
});
afterAll(() => app.stop());

const from = (address: string) => ({ 'x-forwarded-for': address });

function login(email: string, password: string, address: string) {
  const body = { email, password };
  return rest(app, 'POST', '/auth/login', { body, headers: from(address) });
}

describe('a flood of logins', () => {
  it('fills the queue for itself alone: a member from elsewhere signs in meanwhile', async () => {
    const { email } = await newCustomer(app);
    const { email: other } = await newCustomer(app);
    const guesses = Array.from({ length: 400 }, (_, index) =>
      login(`nobody-${index}@example.test`, 'not the password', `203.0.113.${index % 25}`),
    );
    const answers: string[] = [];
    for (const guess of guesses) void guess.then((answer) => answers.push(outcome(answer)));
    await expect.poll(() => answers, { timeout: 30_000 }).toContain('503 overloaded');
    expect(outcome(await login(email, PASSWORD, '198.51.100.7'))).toBe('200');
    expect(outcome(await login(other, PASSWORD, '2001:db8::7'))).toBe('200');
    const refused = (await Promise.all(guesses)).filter(({ status }) => status === 503);
    expect(refused[0]?.headers.get('retry-after')).toBe('2');
    expect(new Set(answers)).toEqual(new Set(['401 invalid_login', '503 overloaded']));
    const { body } = await rest<string>(app, 'GET', '/metrics');
    expect(Number(/^gw_password_hashes_refused_total (\d+)$/m.exec(body)?.[1])).toBeGreaterThan(0);
  });
});

describe('guessing at an account', () => {
  it('five times a minute from elsewhere does not keep its owner out', async () => {
    const { email } = await newCustomer(app);
    for (let guess = 0; guess < 5; guess += 1) {
      expect(outcome(await login(email, 'a guess', '203.0.113.77'))).toBe('401 invalid_login');
    }
    expect(outcome(await login(email, PASSWORD, '203.0.113.77'))).toBe('429 login_throttled');
    expect(outcome(await login(email, PASSWORD, '198.51.100.77'))).toBe('200');
  });
});

describe('guessing at an account from many addresses', () => {
  const ADDRESSES = 40;
  const GUESSES = 5;

  async function guessFrom(email: string, host: number): Promise<void> {
    const guesses = Array.from({ length: GUESSES }, () =>
      login(email, 'a guess', `203.0.113.${host}`),
    );
    const seen = (await Promise.all(guesses)).map(outcome);
    expect(seen).toEqual(Array(GUESSES).fill('401 invalid_login'));
  }

  it('refuses its owner too from 200 failures a minute on, and no other member', async () => {
    const [{ email }, { email: other }] = [await newCustomer(app), await newCustomer(app)];
    const { counters } = app.server.services;
    // The minute stands still, however long the guesses take.
    const stillMs = performance.now();
    Object.assign(counters, { nowMs: () => stillMs });
    try {
      for (let host = 100; host < 100 + ADDRESSES - 1; host += 1) await guessFrom(email, host);
      expect(outcome(await login(email, PASSWORD, '198.51.100.80'))).toBe('200');
      await guessFrom(email, 100 + ADDRESSES - 1);
      const refused = await login(email, PASSWORD, '198.51.100.81');
      expect(outcome(refused)).toBe('429 login_throttled');
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(outcome(await login(other, PASSWORD, '198.51.100.81'))).toBe('200');
    } finally {
      Object.assign(counters, { nowMs: () => performance.now() });
    }
  }, 120_000);
});

describe('registrations and invites from one address', () => {
  it('are refused before a password is hashed when there are too many, by address', async () => {
    const address = '192.0.2.9';
    const accept = (token: string, headers: Record<string, string>) =>
      rest(app, 'POST', '/auth/accept-invite', { body: { token, password: PASSWORD }, headers });
    const unknown = await accept('gw_in_unknown', from(address));
    expect(outcome(unknown)).toBe('400 invalid_invite');
    const tries = Array.from({ length: 20 }, () => accept('gw_in_unknown', from(address)));
    const seen = (await Promise.all(tries)).map(outcome);
    expect(seen.filter((each) => each === '400 invalid_invite').length).toBeLessThan(20);
    expect(new Set(seen)).toEqual(new Set(['400 invalid_invite', '429 registration_throttled']));
    const registration = (headers: Record<string, string>, email: string) =>
      rest(app, 'POST', '/auth/register', {
        body: { email, password: PASSWORD, organization: 'New' },
        headers,
      });
    const refused = await registration(
      { ...from(address), 'accept-language': 'ru' },
      'refused@example.test',
    );
    expect(refused).toMatchObject({
      status: 429,
      body: { error: { code: 'registration_throttled' } },
    });
    expect(refused.body).toMatchObject({ error: { message: /^Слишком много регистраций/ } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const elsewhere = await registration(from('192.0.2.10'), 'welcome@example.test');
    expect(elsewhere.status).toBe(200);
  });
});
