import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleRequest } from '../../rest-compat/example.js';
import { loadRestTable } from '../../src/app/rest.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../support/app.js';

interface Refusal {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly faults: readonly { readonly path: string; readonly message: string }[];
  };
}

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

function post<T = Record<string, unknown>>(path: string, body: unknown) {
  return rest<T>(app, 'POST', path, { credential: customer.token, body });
}

const ROWS = (await loadRestTable()).rows;
const CONTROLS = ROWS.filter(({ contract }) => contract.control);
const OPAQUE = ['CreateChatCompletion', 'CreateEmbeddings'];

describe('what seals, appends or sets refuses what it does not know:', () => {
  it('every mutation behind a credential, but those whose body goes on to a provider', () => {
    const lenient = ROWS.filter(({ operationKind, contract }) => {
      return operationKind === 'mutation' && contract.auth === 'B' && !contract.control;
    });
    expect(lenient.map(({ name }) => name).sort()).toEqual(OPAQUE);
  });

  it('and beside these the dry runs of controls, and the beacon', () => {
    const others = CONTROLS.filter(({ operationKind, contract }) => {
      return operationKind !== 'mutation' || contract.auth === 'P';
    });
    expect(others.map(({ name }) => name).sort()).toEqual([
      'DryRunBudget',
      'DryRunPolicy',
      'DryRunPolicyChange',
      'DryRunWorkloadContract',
      'SendAnalyticsBeacon',
      'SubmitLogCosignatures',
    ]);
  });

  it.each(CONTROLS.map((row) => [row.name, row] as const))(
    '%s refuses a field that it does not know, before it does anything',
    async (_, row) => {
      const { path, body } = exampleRequest(row);
      const { method, path: template } = row.contract;
      const filled = template.replace(/\{(\w+)\}/g, (_place, name: string) => path[name] ?? '');
      const answer = await rest<Refusal>(app, method, `${filled}?zebra=1`, {
        credential: customer.token,
        body: body && { ...body, zebra_crossing: { limit: 1 } },
      });
      expect(answer.status).toBe(400);
      expect(answer.body.error.code).toBe('invalid_request');
      expect(answer.body.error.faults.map((fault) => fault.path).sort()).toEqual(
        body ? ['zebra', 'zebra_crossing'] : ['zebra'],
      );
    },
  );

  it.each([
    [
      'a budget',
      { budgets: { dayly: 1, weekly_rub: 100 } },
      ['budgets.dayly', 'budgets.weekly_rub'],
    ],
    ['a limit', { limits: { per_second: 5 } }, ['limits.per_second']],
    ['the model list', { allowed_model: ['sandbox/gw-mini'] }, ['allowed_model']],
    ['a class of the firewall', { firewall: { cards: 'mask' } }, ['firewall.cards']],
    [
      'a class of its own',
      { firewall_custom: [{ name: 'x', mode: 'mask', word: ['y'] }] },
      ['firewall_custom.0.word'],
    ],
    ['the choice of a dry run', { dry_run: 'yes' }, ['dry_run']],
  ])('name every misspelt part of %s, and write nothing', async (_, body, paths) => {
    const answer = await post<Refusal>('/v1/gw/policies', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.faults.map(({ path }) => path)).toEqual(paths);
    const list = await rest<{ data: unknown[] }>(app, 'GET', '/v1/gw/policies', {
      credential: customer.token,
    });
    expect(list.body.data).toEqual([]);
  });

  it('say what was most likely meant', async () => {
    const { body } = await post<Refusal>('/v1/gw/policies', { allowed_model: [] });
    expect(body.error.message).toBe(
      '`allowed_model` is not a field of this operation. Did you mean `allowed_models`?',
    );
  });

  it('let pass a choice that is not made, and the id of the path', async () => {
    const created = await post<{ id: string }>('/v1/gw/policies', { dry_run: false });
    expect(created.status).toBe(200);
    const { id } = created.body;
    const body = { id, dry_run: false, limits: { rpm: 7 } };
    const path = `/v1/gw/policies/${id}`;
    const changed = await rest(app, 'PATCH', path, { credential: customer.token, body });
    expect(changed.body).toMatchObject({ id, limits: { rpm: 7 } });
  });

  it('refuse an expiry that keys do not have', async () => {
    const { status, body } = await post<Refusal>('/api-keys', {
      keyType: 'service',
      expiresInDays: 30,
    });
    expect(status).toBe(400);
    expect(body.error.faults.map(({ path }) => path)).toEqual(['expiresInDays']);
  });
});

describe('a body of a control', () => {
  /** Sends bytes as they are: no value that is written as JSON repeats a key. */
  const send = async (method: string, path: string, body: string) => {
    const authorization = `Bearer ${customer.token}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(app.url + path, { method, headers, body });
    return { status: response.status, body: (await response.json()) as Refusal };
  };

  it.each(CONTROLS.filter(({ contract }) => contract.method !== 'DELETE'))(
    'of $name that gives a key twice is refused with every such path',
    async (row) => {
      const { path, body } = exampleRequest(row);
      const filled = row.contract.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
      const inside = JSON.stringify(body).slice(1, -1);
      const twice = `{${inside}${inside === '' ? '' : ','}"q":{"a":1,"\\u0061":2},"q":[]}`;
      const answer = await send(row.contract.method, filled, twice);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
      expect(answer.body.error.faults.map(({ message }) => message)).toEqual(
        expect.arrayContaining([
          '`q.a` stands twice in the body; give it once.',
          '`q` stands twice in the body; give it once.',
        ]),
      );
    },
  );

  it('that gives a limit twice is refused, over REST and GraphQL', async () => {
    const text = '{"limits":{"rpm":1,"rpm":60000}}';
    const { body } = await send('POST', '/v1/gw/policies', text);
    expect(body.error.message).toBe('`limits.rpm` stands twice in the body; give it once.');
    const literal = 'mutation { policyCreate(input: { limits: { rpm: 1, rpm: 60000 } }) { id } }';
    const { errors } = await graphql(app, literal, {}, customer.token);
    expect(errors?.[0]?.message).toContain('There can be only one input field named "rpm".');
  });

  it('elsewhere is what JSON makes of it', async () => {
    const text = '{"plan":"x","plan":"team","monthly_requests":1,"cost_per_request_rub":1}';
    expect((await send('POST', '/v1/gw/price-book/quote', text)).status).toBe(200);
  });

  it.each([
    ['DELETE', () => `/api-keys/${customer.keyId}`],
    ['POST', () => `/v1/gw/migration/projects/${customer.projectId}/rollback`],
    ['POST', () => `/v1/gw/integrations/actions/${customer.projectId}/rollback`],
  ] as const)('that takes none is refused: %s', async (method, path) => {
    const answer = await send(method, path(), '{"dry_run":true,"reason":"a test"}');
    expect(answer.status).toBe(400);
    expect(answer.body.error.faults).toEqual([
      expect.objectContaining({ path: 'dry_run' }),
      expect.objectContaining({ path: 'reason' }),
    ]);
    const list = await send(method, path(), '["dry_run"]');
    expect([list.status, list.body.error.message]).toEqual([
      400,
      'The body must be a JSON object.',
    ]);
  });

  it('may be empty where none is taken, and its key is still there until then', async () => {
    const { status, body } = await send('DELETE', `/api-keys/${customer.keyId}`, '{}');
    expect([status, (body as unknown as { status: string }).status]).toEqual([200, 'revoked']);
    const argument = `mutation { apiKeyRevoke(id: "${customer.keyId}", dryRun: true) { id } }`;
    const { errors } = await graphql(app, argument, {}, customer.token);
    expect(errors?.[0]?.message).toContain('Unknown argument "dryRun"');
  });
});

it('a credential is remembered only where the hold of the funds checks it again', () => {
  const held = ROWS.filter(({ contract }) => contract.credential === 'HELD');
  expect(held.map(({ rootFields }) => rootFields)).toEqual([
    ['chatCompletionCreate'],
    ['chatCompletionStream'],
    ['embeddingsCreate'],
  ]);
});

describe('aliases', () => {
  const MASKED = { card: 'mask', secret: 'mask', prompt_injection: 'mask' };

  it.each([
    ['budgets.daily', { budgets: { daily: 100 } }, { budgets: { daily_rub: 100 } }],
    ['budgets.monthly', { budgets: { monthly: 9 } }, { budgets: { monthly_rub: 9 } }],
    ['daily_rub', { daily_rub: 100 }, { budgets: { daily_rub: 100, monthly_rub: null } }],
    [
      'monthly_rub',
      { monthly_rub: 9, budgets: { daily: 1 } },
      { budgets: { daily_rub: 1, monthly_rub: 9 } },
    ],
    ['allow_list', { allow_list: ['sandbox/gw-mini'] }, { allowed_models: ['sandbox/gw-mini'] }],
    ['models', { models: ['sandbox/gw-mini'] }, { allowed_models: ['sandbox/gw-mini'] }],
    ['hybrid: true', { hybrid: true }, { hybrid: 'hybrid' }],
    ['hybrid: false', { hybrid: false }, { hybrid: 'rf_only' }],
    ['firewall: mask', { firewall: 'mask' }, { firewall: MASKED }],
    ['requests_per_minute', { limits: { requests_per_minute: 5 } }, { limits: { rpm: 5 } }],
    ['requestsPerMinute', { limits: { requestsPerMinute: 5 } }, { limits: { rpm: 5 } }],
    ['tokens_per_minute', { limits: { tokens_per_minute: 5000 } }, { limits: { tpm: 5000 } }],
  ])('%s sets what it means, in a new policy and in a change', async (_, body, expected) => {
    const created = await post<{ id: string }>('/v1/gw/policies', body);
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject(expected);
    const path = `/v1/gw/policies/${created.body.id}`;
    const options = { credential: customer.token, body };
    const changed = await rest(app, 'PATCH', path, options);
    expect(changed.body).toMatchObject(expected);
  });

  it('set every class of the firewall by one mode', async () => {
    const { body } = await post<{ firewall: object }>('/v1/gw/policies', { firewall: 'block' });
    expect(new Set(Object.values(body.firewall))).toEqual(new Set(['block']));
    expect(Object.keys(body.firewall)).toHaveLength(19);
  });

  it('beside the name that they stand for are a fault', async () => {
    const twice = { daily_rub: 1, budgets: { daily_rub: 1 }, models: [], allowed_models: [] };
    const { status, body } = await post<Refusal>('/v1/gw/policies', twice);
    expect(status).toBe(400);
    expect(body.error.faults.map(({ message }) => message)).toEqual([
      '`allowed_models` and `models` are one field; give it once.',
      '`daily_rub` and `budgets.daily_rub` are one field; give it once.',
    ]);
  });

  it('are published where their field is described', async () => {
    const { body } = await rest(app, 'GET', '/openapi.json');
    const text = JSON.stringify(body);
    for (const alias of ['allow_list', 'models', 'daily', 'monthly', 'requests_per_minute']) {
      expect(text).toMatch(new RegExp(`Also accepted as [^.]*\`${alias}\``));
    }
    expect(text).toContain('`daily_rub` beside it is accepted for `budgets.daily_rub`.');
    expect(text).toContain('`true` is accepted for `hybrid`. `false` is accepted for `rf_only`.');
    expect(text).toContain('One value in its place stands for every field.');
  });

  it('take a field from the query or from the body, never from both', async () => {
    const body = { name: 'both', hybrid: 'hybrid' };
    const both = await post<Refusal>('/v1/gw/policies?hybrid=rf_only', body);
    expect([both.status, both.body.error.message]).toEqual([
      400,
      '`hybrid` stands in the query and in the body; give it once.',
    ]);
  });
});

it('a control that its path names takes no other id in its body', async () => {
  const made = await post<{ id: string }>('/v1/gw/policies', { name: 'one' });
  const patched = await rest<Refusal>(app, 'PATCH', `/v1/gw/policies/${made.body.id}`, {
    credential: customer.token,
    body: { id: customer.tenantId, enabled: false },
  });
  expect([patched.status, patched.body.error.faults.map(({ path }) => path)]).toEqual([
    400,
    ['id'],
  ]);
  const top = await post<Refusal>('/billing/top-up/manual', { amount_rub: 1, amount: 500 });
  expect([top.status, top.body.error.faults.map(({ path }) => path)]).toEqual([400, ['amount']]);
});
