import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { type Body, limited as limitedKey, update as updateKey } from './limited.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

const MODEL = 'sandbox/gw-mini';

const limited = (limits: Body = {}, keyType = 'service', by = customer.token) =>
  limitedKey(app, by, limits, keyType);
const update = (id: string, body: Body, credential = customer.token) =>
  updateKey(app, credential, id, body);

const NOTHING = {
  allowed_models: null,
  budgets: { daily_rub: null, monthly_rub: null, total_rub: null },
  limits: { rpm: null, tpm: null },
  allowed_addresses: null,
  expires_at: null,
};

describe('the limits of a key', () => {
  it('are stated when it is made, and changed part by part; null lifts', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const stated = {
      allowed_models: ['gw:auto', MODEL],
      budgets: { daily_rub: 10, total_rub: 100.5 },
      limits: { rpm: 5 },
      allowed_addresses: ['203.0.113.7', '10.0.0.0/8', '2001:DB8::/32', '::ffff:192.0.2.0/120'],
      expires_at: end,
    };
    const { id } = await limited(stated);
    const shown = async () => {
      const query = `query($id: ID!) { node(id: $id) { ... on ApiKey {
        allowed_models: allowedModels expires_at: expiresAt allowed_addresses: allowedAddresses
        budgets { daily_rub: dailyRub monthly_rub: monthlyRub total_rub: totalRub }
        limits { rpm tpm } } } }`;
      return (await graphql<{ node: Body }>(app, query, { id }, customer.token)).data.node;
    };
    expect(await shown()).toEqual({
      allowed_models: ['gw:auto', MODEL],
      budgets: { daily_rub: '10.00', monthly_rub: null, total_rub: '100.50' },
      limits: { rpm: 5, tpm: null },
      allowed_addresses: ['203.0.113.7', '10.0.0.0/8', '2001:db8::/32', '192.0.2.0/24'],
      expires_at: end,
    });
    const changed = await update(id, { budgets: { daily_rub: null }, limits: { tpm: 900 } });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      {
        allowed_models: ['gw:auto', MODEL],
        budgets: { daily_rub: null, monthly_rub: null, total_rub: 100.5 },
        limits: { rpm: 5, tpm: 900 },
        expires_at: end,
      },
    ]);
    const nulls = Object.fromEntries(Object.keys(stated).map((name) => [name, null]));
    expect((await update(id, nulls)).body).toMatchObject(NOTHING);
    const { rows } = await app.owner.pool.query(
      'SELECT action FROM audit_event WHERE subject_id = $1 ORDER BY created_at',
      [id],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'apiKeyCreate',
      'apiKeyUpdate',
      'apiKeyUpdate',
    ]);
  });

  it('refuse what is out of bounds by name, all at once, and change nothing', async () => {
    const { id } = await limited();
    const faultsOf = async (body: Body, language = 'en') => {
      const headers = { 'accept-language': language };
      const options = { credential: customer.token, body, headers };
      const answer = await rest<ErrorBody>(app, 'PATCH', `/api-keys/${id}`, options);
      expect(answer.status).toBe(400);
      const { faults = [] } = answer.body.error;
      return faults.map((each) => (each as { message?: string }).message ?? each.path);
    };
    const many = Array.from({ length: 201 }, (_, index) => `model-${index}`);
    expect(
      await faultsOf({
        allowed_models: many,
        budgets: { daily_rub: 0, monthly_rub: -1, total_rub: '2000000000' },
        limits: { rpm: 0, tpm: -5 },
        allowed_addresses: Array(101).fill('10.0.0.1'),
      }),
    ).toEqual([
      'allowed_models has at most 200 items.',
      'budgets.daily_rub must be from 0.000001 to 1000000000.00.',
      'budgets.monthly_rub must be from 0.000001 to 1000000000.00.',
      'budgets.total_rub must be from 0.000001 to 1000000000.00.',
      'limits.rpm must be from 1 to 1000000.',
      'limits.tpm must be from 1 to 1000000000.',
      'allowed_addresses has at most 100 items.',
    ]);
    const odd = {
      allowed_models: ['sandbox/gw-minni', MODEL, MODEL, 'nobody-knows-this'],
      allowed_addresses: ['10.1.2.3/8', '300.1.1.1', '10.0.0.0/33', 'fe80::1%eth0', '::/0', '::/0'],
    };
    const range = 'must be an address or a CIDR range, such as 203.0.113.0/24 or 2001:db8::/32.';
    expect(await faultsOf(odd)).toEqual([
      'allowed_models.0 names sandbox/gw-minni, which no model is called; did you mean ' +
        'sandbox/gw-mini or sandbox/gw-embed or sandbox/gw-pro?',
      'allowed_models.2 lists sandbox/gw-mini again.',
      'allowed_models.3 names nobody-knows-this, which no model is called; see GET /v1/models.',
      'allowed_addresses.0 has bits beyond its prefix; did you mean 10.0.0.0/8?',
      `allowed_addresses.1 ${range}`,
      `allowed_addresses.2 ${range}`,
      `allowed_addresses.3 ${range}`,
      'allowed_addresses.5 lists ::/0 again.',
    ]);
    for (const each of await faultsOf(odd, 'ru')) expect(each).toMatch(/^Поле /);
    expect(await faultsOf({ allowed_models: [], allowed_addresses: [] })).toEqual([
      'allowed_models must name at least one model.',
      'allowed_addresses must name at least one address or range.',
    ]);
    expect(await faultsOf({ allowed_models: ['gw:auto'] })).toEqual([
      'allowed_models must name at least one model beside gw:auto, which chooses among them.',
    ]);
    expect(await faultsOf({ expires_at: '2020-01-01T00:00:00Z' })).toEqual([
      'expires_at must lie in the future, at most 3650 days from now.',
    ]);
    expect(outcome(await update(id, { allowed_model: [MODEL] }))).toBe('400 invalid_request');
    const { body } = await rest<{ data: Body[] }>(app, 'GET', '/api-keys', {
      credential: customer.token,
    });
    expect(body.data.find((each) => each.id === id)).toMatchObject(NOTHING);
  });

  it('are changed by no key that they bind, and by nobody of another organization', async () => {
    const { id, key } = await limited({ limits: { rpm: 100 } });
    const child = await limited({}, 'service', key);
    for (const credential of [key, child.key]) {
      expect(outcome(await update(id, { limits: { rpm: null } }, credential))).toBe(
        '403 key_changes_itself',
      );
    }
    expect(outcome(await update(child.id, { limits: { rpm: 50 } }, key))).toBe('200');
    const foreign = await newCustomer(app);
    const answers = await Promise.all(
      [id, '01977c2a-5b1e-7005-8000-3f2b9c4d5e6f'].map((each) =>
        update(each, { limits: { rpm: 1 } }, foreign.token),
      ),
    );
    expect(answers.map(outcome)).toEqual(['404 not_found', '404 not_found']);
    const project = { project_id: foreign.projectId };
    expect(outcome(await update(id, project))).toBe('404 not_found');
    const standard = await limited({}, 'standard');
    expect(outcome(await update(id, { limits: { rpm: 1 } }, standard.key))).toBe(
      '403 permission_denied',
    );
  });
});
