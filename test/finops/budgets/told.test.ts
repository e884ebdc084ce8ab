import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decide, waiting } from '../../access/budgets/ruble-app.js';
import { outcome } from '../../journeys/people.js';
import { newCustomer, rest } from '../../support/app.js';
import { type BudgetApp, check, setBudget, spend, startBudgetApp } from './budget-app.js';

let app: BudgetApp;
beforeAll(async () => {
  app = await startBudgetApp();
});
afterAll(() => app.stop());

interface Refused {
  readonly error: { readonly message: string; readonly approval_id?: string };
}

describe('what is told of a budget', () => {
  it('require_approval names no decided approval, and tells what does not fit', async () => {
    const customer = await newCustomer(app, 100);
    const terms = { on_cap_reached: 'require_approval', hard_cap: 1.5, name: 'B' };
    const { body: budget } = await setBudget(app, customer.token, terms);
    expect(outcome(await spend(app, customer))).toBe('200');
    const refused = async () => (await spend(app, customer)).body as unknown as Refused;
    const { error: first } = await refused();
    expect(first.message).toBe(
      'The request may cost 1.00 RUB, which does not fit the budget "B": 1.00 of 1.50 RUB are ' +
        'spent and 0.00 RUB held by open requests. What goes beyond needs an approval.',
    );
    await decide(app, customer.token, first.approval_id ?? '', 'reject');
    const { error: second } = await refused();
    expect(second.approval_id).not.toBe(first.approval_id);
    await decide(app, customer.token, second.approval_id ?? '', 'approve');
    expect(outcome(await spend(app, customer))).toBe('200');
    const { error: third } = await refused();
    expect(await waiting(app, customer.token)).toEqual([third.approval_id]);
    // One meaning of the cap wherever it is told; what was granted stands beside it.
    const standing = { hard_cap: 1.5, granted_rub: 1, spent_rub: 2 };
    const checked = await check(app, customer, budget.id);
    expect(checked).toMatchObject({ ...standing, left_rub: 0.5, used_percent: 80 });
    const credential = customer.token;
    const shown = await rest(app, 'GET', '/v1/gw/finops/dashboard', { credential });
    const { hard_cap: hard_cap_rub, ...counted } = standing;
    expect(shown.body.budgets).toMatchObject([{ hard_cap_rub, ...counted, used_percent: 80 }]);
    const listed = await rest(app, 'GET', '/v1/gw/finops/budgets', { credential });
    expect(listed.body.data).toMatchObject([{ hard_cap: 1.5 }]);
  });

  it('without a reference is one cap for all that name any of the scope, and says so', async () => {
    const customer = await newCustomer(app, 100);
    const { token } = customer;
    const every = { scope: 'use_case', hard_cap: 2 };
    const { body } = await rest(app, 'POST', '/v1/gw/finops/budgets', {
      credential: token,
      body: every,
    });
    expect(body).toMatchObject({
      scope_ref: '*',
      concerns:
        'All requests that name a use case in metadata.feature, whichever it is, taken ' +
        'together; no others.',
    });
    for (const feature of ['a', 'b']) {
      expect(outcome(await spend(app, customer, { feature }))).toBe('200');
    }
    expect(outcome(await spend(app, customer, { feature: 'c' }))).toBe('402 budget_exhausted');
    expect(outcome(await spend(app, customer, {}))).toBe('200');
    const route = await rest(app, 'POST', '/v1/gw/finops/budgets', {
      credential: token,
      body: { scope: 'route', hard_cap: 3 },
    });
    expect(route.body.concerns).toBe('All requests, taken together, since each names a route.');
  });

  it('soft alerts are percentages alone: a share is refused with what it may mean', async () => {
    const { token } = await newCustomer(app);
    const { status, body } = await setBudget(app, token, { soft_alerts: [0.5, 0.8, 1, 0] });
    const { faults } = body.error as { faults: { path: string; message: string }[] };
    expect([status, faults.map(({ path, message }) => `${path}: ${message}`)]).toEqual([
      400,
      [
        expect.stringMatching(/^soft_alerts\.0: .*percent of the cap.*did you mean 50\?$/),
        expect.stringMatching(/^soft_alerts\.1: .*did you mean 80\?$/),
        expect.stringMatching(/^soft_alerts\.3: .*from 1 to 100\.$/),
      ],
    ]);
    const { body: set } = await setBudget(app, token, { soft_alerts_percent: [1, 100] });
    expect(set.soft_alerts).toEqual([1, 100]);
  });
});
