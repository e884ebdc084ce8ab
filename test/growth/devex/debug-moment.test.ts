import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issue } from '../../access/abuse/samples.js';
import { newWorkspace } from '../../access/workspaces/samples.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, setBudget, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { newPolicy } from '../../journeys/people.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { apply, chatAt, type Debugged, debugAt } from './debugging.js';

let app: BudgetApp;
beforeAll(async () => {
  app = await startBudgetApp();
});
afterAll(() => app?.stop());

/** Each answer token of the model costs a ruble. */
const request = { ...ONE_RUBLE, max_tokens: 20 };

const outcomeOf = async (body: unknown, customer: Customer) => {
  const { status, body: answer } = await chatAt(app, body, customer);
  return answer.error?.code ?? status;
};

/** The refusal of the chat, what is found, and what the chat says of the mended request. */
async function mended(body: object, customer: Customer): Promise<[unknown, Debugged, unknown]> {
  const refusal = await outcomeOf(body, customer);
  const found = await debugAt(app, { request: body, error_code: refusal }, customer.key);
  return [refusal, found, await outcomeOf(apply(body, found.patch), customer)];
}

const warned = ({ warnings }: Debugged) => warnings[0]?.code;

describe('a debugging with a credential', () => {
  it('finds what the funds pay for, takes nothing of them, and knows nobody else’s', async () => {
    const poor = await newCustomer(app, 7);
    const [refusal, found, after] = await mended(request, poor);
    expect([refusal, found.verdict, warned(found), after]).toEqual([
      'insufficient_balance',
      'patched',
      'funds_short',
      200,
    ]);
    expect(found.patch).toEqual([{ op: 'replace', path: '/max_tokens', value: 5 }]);
    expect((await debugAt(app, { request })).verdict).toBe('passes');
    const broke = await newCustomer(app);
    for (const model of [request.model, 'gw:auto']) {
      const none = await debugAt(app, { request: { ...request, model } }, broke.key);
      expect([none.verdict, warned(none)]).toEqual(['no_patch', 'funds_short']);
    }
    const { rows } = await app.owner.pool.query(
      'SELECT count(*)::int AS holds FROM hold WHERE tenant_id = $1',
      [broke.tenantId],
    );
    expect(rows).toEqual([{ holds: 0 }]);
  });

  it('finds what the budget of a policy leaves', async () => {
    const customer = await newCustomer(app, 1_000);
    await newPolicy(app, customer.token, { name: 'cap', budgets: { daily_rub: 12 } });
    const [refusal, found, after] = await mended(request, customer);
    expect([refusal, found.verdict, after]).toEqual(['budget_too_small', 'patched', 200]);
    expect(found.patch).toEqual([{ op: 'replace', path: '/max_tokens', value: 10 }]);
  });

  it('finds what a cap for each leaves to a session that has spent nothing yet', async () => {
    const customer = await newCustomer(app, 1_000);
    const cap = { scope: 'agent_session', scope_ref: 'each', hard_cap: 12 };
    await setBudget(app, customer.token, cap);
    const body = { ...request, metadata: { session_id: 'new' } };
    const found = await debugAt(app, { request: body }, customer.key);
    expect([found.verdict, found.patch]).toEqual([
      'patched',
      [{ op: 'replace', path: '/max_tokens', value: 10 }],
    ]);
    const made = 'SELECT id FROM budget WHERE tenant_id = $1 AND scope_kind = $2';
    expect((await app.owner.pool.query(made, [customer.tenantId, 'each'])).rows).toEqual([]);
    const seen = [
      await outcomeOf(body, customer),
      await outcomeOf(apply(body, found.patch), customer),
    ];
    expect(seen).toEqual(['budget_too_small', 200]);
  });

  it('says that the credential lets nobody in, where the rest would pass', async () => {
    const customer = await newCustomer(app, 1_000);
    await rest(app, 'DELETE', `/api-keys/${customer.keyId}`, { credential: customer.token });
    const small = { ...request, max_tokens: 1 };
    const refused = await outcomeOf(small, customer);
    const found = await debugAt(app, { request: small }, customer.key);
    expect([refused, found.verdict]).toEqual(['api_key_revoked', 'no_patch']);
    expect(found.warnings[0]).toMatchObject({ code: 'credential_refused', path: '' });
    expect(found.reason).toContain(found.warnings[0]?.message);
    expect(found.explanations.map(({ code }) => code)).toContain('api_key_revoked');
    const nobody = await debugAt(app, { request: small });
    expect([nobody.verdict, warned(nobody)]).toEqual(['passes', 'missing_metadata']);
  });

  it('says that a rate is reached, and takes nothing of it', async () => {
    const customer = await newCustomer(app, 1_000);
    await newPolicy(app, customer.token, { name: 'slow', limits: { rpm: 2 } });
    const small = { ...request, max_tokens: 1 };
    for (let times = 0; times < 5; times += 1) {
      expect((await debugAt(app, { request: small }, customer.key)).verdict).toBe('passes');
    }
    const seen = [await outcomeOf(small, customer), await outcomeOf(small, customer)];
    expect([...seen, await outcomeOf(small, customer)]).toEqual([200, 200, 'rate_limit_requests']);
    const found = await debugAt(app, { request: small }, customer.key);
    expect([found.verdict, warned(found)]).toEqual(['no_patch', 'rate_reached']);
  });

  it('holds a token to its scope, its models and its cost', async () => {
    const customer = await newCustomer(app, 1_000);
    const limits = { allowed_models: ['own/model'], max_cost: 6 };
    const { token } = (await issue(app, customer.key, limits)).body;
    const asToken = { ...customer, key: token };
    const [refusal, found, after] = await mended(request, asToken);
    expect([refusal, found.verdict, after]).toEqual(['budget_too_small', 'patched', 200]);
    const other = { ...request, model: 'sandbox/gw-mini', max_tokens: 1 };
    expect(await outcomeOf(other, asToken)).toBe('model_not_allowed');
    expect(warned(await debugAt(app, { request: other }, token))).toBe('policy_forbids');
    const embed = { operation: 'embeddings', request: { model: 'own/model', input: 'x' } };
    const { explanations } = await debugAt(app, embed, token);
    expect(explanations[0]?.code).toBe('ephemeral_scope_exceeded');
  });

  it('holds a request to its workspace, and makes no budget of a user', async () => {
    const customer = await newCustomer(app, 1_000);
    const policy = { per_user_budget_rub: 5 };
    const { body: own } = await newWorkspace(app, customer, { policy });
    const under = (metadata: object) => ({
      ...request,
      max_tokens: 1,
      metadata: { workspace_id: own.id, ...metadata },
    });
    for (const body of [under({}), under({ user_id: 'anna', department: 'hr' })]) {
      const refusal = await outcomeOf(body, customer);
      const { verdict, explanations } = await debugAt(app, { request: body }, customer.key);
      expect([verdict, explanations[0]?.code]).toEqual(['no_patch', refusal]);
    }
    expect((await debugAt(app, { request: under({ user_id: 'zoe' }) }, customer.key)).verdict).toBe(
      'passes',
    );
    const { rows } = await app.owner.pool.query(
      `SELECT scope_ref FROM budget WHERE scope_kind = 'workspace_user' AND tenant_id = $1
         AND scope_ref LIKE '%/zoe'`,
      [customer.tenantId],
    );
    expect(rows).toEqual([]);
    const { status } = await rest(app, 'POST', '/v1/gw/devex/debug', {
      credential: customer.key,
      headers: { 'x-gw-workspace': own.id },
      body: { request: { ...request, max_tokens: 1 } },
    });
    expect(status).toBe(200);
  });
});
