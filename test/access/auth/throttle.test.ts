import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome, PASSWORD } from '../../journeys/people.js';
import { newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

function login(email: string, password: string) {
  return rest(app, 'POST', '/auth/login', { body: { email, password } });
}

function outcomes(answers: readonly Awaited<ReturnType<typeof login>>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[outcome(answer)] = (counts[outcome(answer)] ?? 0) + 1;
  return counts;
}

describe('failed logins', () => {
  it('lock an e-mail there after five, also for the right password, and say how long', async () => {
    const { email } = await newCustomer(app);
    for (let failure = 0; failure < 5; failure += 1) {
      expect(outcome(await login(email, 'not the password'))).toBe('401 invalid_login');
    }
    const refused = await login(email, PASSWORD);
    expect(outcome(refused)).toBe('429 login_throttled');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(12);
    expect(Number(refused.headers.get('retry-after-ms'))).toBeGreaterThan(0);
  });

  it('are counted before the password is looked at: guesses at once gain nothing', async () => {
    const { email } = await newCustomer(app);
    const guesses = Array.from({ length: 12 }, () => login(email, 'not the password'));
    expect(outcomes(await Promise.all(guesses))).toEqual({
      '401 invalid_login': 5,
      '429 login_throttled': 7,
    });
  });

  it('lock an address after twenty in a minute, whichever e-mails they name', async () => {
    const { email } = await newCustomer(app);
    const burst = async () => {
      const guesses = Array.from({ length: 25 }, (_, index) =>
        login(`nobody-${index}@example.test`, PASSWORD),
      );
      const right = login(email, PASSWORD);
      expect(Object.keys(outcomes(await Promise.all(guesses)))).not.toContain('200');
      return outcome(await right);
    };
    await expect.poll(burst, { timeout: 20_000 }).toBe('429 login_throttled');
  });
});

describe('logins that work', () => {
  it('are never throttled, and clear the failures of their e-mail there', async () => {
    const other = await startApp();
    try {
      const { email } = await newCustomer(other);
      const attempt = (password: string) =>
        rest(other, 'POST', '/auth/login', { body: { email, password } });
      for (let round = 0; round < 3; round += 1) {
        for (let failure = 0; failure < 4; failure += 1) await attempt('not the password');
        expect(outcome(await attempt(PASSWORD))).toBe('200');
      }
      for (let success = 0; success < 8; success += 1) {
        expect(outcome(await attempt(PASSWORD))).toBe('200');
      }
    } finally {
      await other.stop();
    }
  });
});
