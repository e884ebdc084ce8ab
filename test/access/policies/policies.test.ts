import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, newPolicy, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app.stop());

const FULL = {
  name: 'production',
  budgets: { daily_rub: 1000.5, monthly_rub: 20000 },
  allowed_models: ['sandbox/gw-mini'],
  limits: { rpm: 600, tpm: 100000, concurrency: 50, max_output_tokens: 4096 },
  hybrid: 'rf_only',
  firewall: { card: 'mask', passport: 'block' },
  firewall_custom: [
    {
      name: 'project_name',
      words: ['Северное сияние'],
      patterns: ['NS-[0-9]{4}'],
      mode: 'mask',
      data_class: 'C3',
    },
  ],
};
const NOT_NAMED = {
  image: null,
  audio: null,
  video: null,
  file: null,
  sealed: null,
  tokens: null,
};
/** The classes of that policy as versions keep them. */
const STORED_CLASSES = FULL.firewall_custom.map(({ data_class: dataClass, ...rest }) => ({
  ...rest,
  dataClass,
}));

function patch(id: string, body: Record<string, unknown>) {
  return rest<Record<string, unknown> & ErrorBody>(app, 'PATCH', `/v1/gw/policies/${id}`, {
    credential: owner.token,
    body,
  });
}

describe('a policy', () => {
  it('is answered in full by POST, GET and GraphQL alike', async () => {
    const created = await rest(app, 'POST', '/v1/gw/policies', {
      credential: owner.token,
      body: FULL,
    });
    const expected = {
      ...FULL,
      id: expect.any(String),
      project_id: owner.projectId,
      data_class_min: null,
      firewall_unread: NOT_NAMED,
      enabled: true,
      version: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    expect(created).toMatchObject({ status: 200, body: expected });
    expect(Object.keys(created.body).sort()).toEqual(Object.keys(expected).sort());
    const listed = await rest<{ data: object[] }>(app, 'GET', '/v1/gw/policies?limit=1', {
      credential: owner.token,
    });
    expect(listed.body.data).toEqual([created.body]);
    const { data } = await graphql(
      app,
      `query($id: ID!) { node(id: $id) { ... on Policy {
        name version allowedModels hybrid firewall budgets { dailyRub monthlyRub }
        limits { rpm tpm concurrency maxOutputTokens }
        versions { nodes { version name enabled rules {
          budgets { dailyRub monthlyRub }
          allowedModels
          limits { rpm tpm concurrency maxOutputTokens }
          hybrid
          firewall
          firewallCustom { name words patterns mode dataClass }
        } } }
      } } }`,
      { id: created.body.id },
      owner.token,
    );
    expect(data).toEqual({
      node: {
        name: 'production',
        version: 1,
        allowedModels: ['sandbox/gw-mini'],
        hybrid: 'rf_only',
        firewall: FULL.firewall,
        budgets: { dailyRub: '1000.50', monthlyRub: '20000.00' },
        limits: { rpm: 600, tpm: 100000, concurrency: 50, maxOutputTokens: 4096 },
        versions: {
          nodes: [
            {
              version: 1,
              name: 'production',
              enabled: true,
              rules: {
                budgets: { dailyRub: '1000.50', monthlyRub: '20000.00' },
                allowedModels: ['sandbox/gw-mini'],
                limits: { rpm: 600, tpm: 100000, concurrency: 50, maxOutputTokens: 4096 },
                hybrid: 'rf_only',
                firewall: FULL.firewall,
                firewallCustom: STORED_CLASSES,
              },
            },
          ],
        },
      },
    });
  });

  it('may be empty: parts that are left out do not limit', async () => {
    const { body } = await rest(app, 'POST', '/v1/gw/policies', {
      credential: owner.token,
      body: {},
    });
    expect(body).toMatchObject({
      name: 'policy',
      budgets: { daily_rub: null, monthly_rub: null },
      allowed_models: null,
      limits: { rpm: null, tpm: null, concurrency: null, max_output_tokens: null },
      hybrid: null,
      firewall: {},
    });
  });

  it('is refused with every fault named as the caller wrote it', async () => {
    const answer = await rest<ErrorBody>(app, 'POST', '/v1/gw/policies', {
      credential: owner.token,
      body: {
        name: ' ',
        budgets: { daily_rub: -1, monthly_rub: 0 },
        limits: { rpm: 0, max_output_tokens: 2000000 },
        allowed_models: ['sandbox/gw-mini', 'sandbox/gw-minni'],
      },
    });
    expect(answer.body.error.faults?.map(({ path }) => path)).toEqual([
      'name',
      'budgets.daily_rub',
      'budgets.monthly_rub',
      'limits.rpm',
      'limits.max_output_tokens',
      'allowed_models.1',
    ]);
    const typo = await rest<ErrorBody>(app, 'POST', '/v1/gw/policies', {
      credential: owner.token,
      body: { firewall: { card: 'maskk' }, hybrid: 'rf' },
    });
    expect(typo.body.error.faults?.map(({ path }) => path).sort()).toEqual([
      'firewall.card',
      'hybrid',
    ]);
  });

  it('belongs to a project of the organization', async () => {
    const other = await newCustomer(app);
    const answer = await rest(app, 'POST', '/v1/gw/policies', {
      credential: owner.token,
      body: { project_id: other.projectId },
    });
    expect(outcome(answer)).toBe('404 not_found');
  });
});

describe('a change of a policy', () => {
  it('leaves every value that is absent, and lifts what is null', async () => {
    const { id } = await newPolicy(app, owner.token, FULL);
    const changed = await patch(id, {
      limits: { rpm: 1200, tpm: null },
      budgets: { daily_rub: 5 },
      firewall: { email: 'block' },
    });
    expect(changed.body).toMatchObject({
      ...FULL,
      version: 2,
      limits: { ...FULL.limits, rpm: 1200, tpm: null },
      budgets: { ...FULL.budgets, daily_rub: 5 },
      firewall: { ...FULL.firewall, email: 'block' },
    });
    const lifted = await patch(id, {
      allowed_models: null,
      limits: null,
      hybrid: null,
      firewall: null,
      budgets: null,
    });
    expect(lifted.body).toMatchObject({
      name: 'production',
      enabled: true,
      version: 3,
      budgets: { daily_rub: null, monthly_rub: null },
      allowed_models: null,
      limits: { rpm: null, tpm: null, concurrency: null, max_output_tokens: null },
      hybrid: null,
      firewall: {},
    });
    const off = await patch(id, { enabled: false });
    expect(off.body).toMatchObject({ enabled: false, version: 4, name: 'production' });
  });

  it('appends a version, and none can be changed or removed', async () => {
    const { id } = await newPolicy(app, owner.token, { name: 'kept' });
    await patch(id, { name: 'renamed' });
    const { pool } = app.owner;
    const { rows } = await pool.query(
      'SELECT version, name FROM policy_version WHERE policy_id = $1 ORDER BY version',
      [id],
    );
    expect(rows).toEqual([
      { version: 1, name: 'kept' },
      { version: 2, name: 'renamed' },
    ]);
    for (const sql of ["UPDATE policy_version SET name = 'x'", 'DELETE FROM policy_version']) {
      await expect(pool.query(sql)).rejects.toThrow('append-only');
    }
  });

  it('of another version than was expected is refused and names the current one', async () => {
    const { id } = await newPolicy(app, owner.token, { name: 'contended' });
    await patch(id, { limits: { rpm: 10 }, expected_version: 1 });
    const answer = await patch(id, { limits: { rpm: 20 }, expected_version: 1 });
    expect(outcome(answer)).toBe('409 policy_version_conflict');
    expect(answer.body.error.message).toContain('version 2');
    const now = await patch(id, { limits: { rpm: 20 }, expected_version: 2 });
    expect(now.body).toMatchObject({ version: 3, limits: { rpm: 20 } });
  });

  it('loses nothing when changes race: each has a version of its own', async () => {
    const { id } = await newPolicy(app, owner.token, { name: 'raced' });
    const answers = await Promise.all([1, 2, 3, 4].map((rpm) => patch(id, { limits: { rpm } })));
    expect(answers.map(({ body }) => body.version).sort()).toEqual([2, 3, 4, 5]);
    const expected = await Promise.all(
      [1, 2, 3].map((rpm) => patch(id, { limits: { rpm }, expected_version: 5 })),
    );
    expect(expected.map(outcome).sort()).toEqual([
      '200',
      '409 policy_version_conflict',
      '409 policy_version_conflict',
    ]);
  });

  it('that is not valid changes nothing', async () => {
    const { id } = await newPolicy(app, owner.token, FULL);
    const answer = await patch(id, { name: 'x', limits: { rpm: -5 } });
    expect(outcome(answer)).toBe('400 invalid_request');
    expect((await patch(id, {})).body).toMatchObject({ ...FULL, version: 2 });
  });
});
