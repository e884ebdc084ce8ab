import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, newMember, newPolicy, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { limited, update } from '../keys/limited.js';
import { setLimitsByMembers } from './samples.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

describe('limits that members alone change', () => {
  it('are refused to every key with a clear error, and open to members', async () => {
    const policy = await newPolicy(app, customer.token, {});
    const target = await limited(app, customer.token, {}, 'standard');
    const throttle = await rest<{ incident: { actions: { id: string }[] } }>(
      app,
      'POST',
      '/v1/gw/abuse/incidents',
      {
        credential: customer.key,
        body: { type: 'bot_traffic', key_ref: target.id, actions_taken: ['throttle'] },
      },
    );
    const action = throttle.body.incident.actions[0]?.id;
    const changes = [
      ['PATCH', `/api-keys/${target.id}`, { limits: { rpm: 5 } }],
      ['POST', '/v1/gw/policies', { limits: { rpm: 5 } }],
      ['PATCH', `/v1/gw/policies/${policy.id}`, { limits: { rpm: 6 } }],
      ['POST', '/v1/gw/finops/budgets', { scope: 'use_case', scope_ref: 'one', hard_cap: 2 }],
      ['POST', '/v1/gw/workspaces', { name: 'Sales' }],
      ['POST', `/v1/gw/abuse/actions/${action}/undo`, {}],
    ] as const;
    const answersTo = (credential: string) =>
      Promise.all(
        changes.map(async ([method, path, body]) =>
          outcome(await rest(app, method, path, { credential, body })),
        ),
      );
    await setLimitsByMembers(app, customer.token, true);
    expect(await answersTo(customer.key)).toEqual(changes.map(() => '403 limits_by_members_only'));
    const told = await rest<ErrorBody>(app, 'PATCH', `/api-keys/${target.id}`, {
      credential: customer.key,
      body: { limits: { rpm: 5 } },
      headers: { 'accept-language': 'ru' },
    });
    expect(told.body.error.message).toBe(
      'В этой организации ограничения меняют участники, а ключи — нет.',
    );
    expect(await answersTo(customer.token)).toEqual(changes.map(() => '200'));
    const other = await newCustomer(app);
    const own = await limited(app, other.token);
    expect(outcome(await update(app, other.key, own.id, { limits: { rpm: 5 } }))).toBe('200');
    await setLimitsByMembers(app, customer.token, false);
    const again = { limits: { rpm: 7 } };
    expect(outcome(await update(app, customer.key, target.id, again))).toBe('200');
  });

  it('are said by owners and admins, and by no key', async () => {
    const developer = await newMember(app, customer.token, 'developer');
    for (const credential of [customer.key, developer.token]) {
      const { errors } = await setLimitsByMembers(app, credential, true);
      expect(errors?.[0]?.extensions.code).toBe('permission_denied');
    }
    const { data } = await setLimitsByMembers(app, customer.token, true);
    expect(data.organizationLimitsByMembersSet.limitsByMembers).toBe(true);
  });
});
