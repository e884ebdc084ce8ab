import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { setClockAhead, sharedMsOf } from '../../../src/kernel/clock.js';
import { outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
let owner: Customer;
let aheadMs: number;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app);
  aheadMs = sharedMsOf(0);
});
afterEach(() => setClockAhead(aheadMs));
afterAll(() => app.stop());

it.each([
  [0, '200'],
  [14 * 60, '200'],
  [15 * 60 + 1, '401 invalid_token'],
  [3_600, '401 invalid_token'],
])('an access token of %i seconds by the shared time is answered %s', async (seconds, answer) => {
  const realNow = Date.now;
  // Whatever the wall clock says.
  for (const wallShiftMs of [-3_600_000, 0, 3_600_000]) {
    setClockAhead(aheadMs + seconds * 1_000);
    Date.now = () => realNow() + wallShiftMs;
    try {
      const answered = await rest(app, 'GET', '/me', { credential: owner.token });
      expect(outcome(answered)).toBe(answer);
    } finally {
      Date.now = realNow;
    }
  }
});
