import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTEXT_RULES } from '../../../src/prompts/context-policies/vocabulary.js';
import { type ErrorBody, newMember, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { belongingsOf } from './samples.js';

let app: TestApp;
let customer: Customer;
let stranger: Customer;

beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
  stranger = await newCustomer(app);
});
afterAll(() => app.stop());

const PATH = '/v1/gw/context-policies';
const STRICT = {
  name: 'support knowledge',
  allow_sources: ['wiki/*'],
  block_sources: ['wiki/drafts/*'],
  data_classes: ['C0', 'C1'],
  token_budget: 10,
  freshness_days: 30,
  citation_required: true,
  provenance_required: true,
};

interface Created {
  readonly id: string;
  readonly [name: string]: unknown;
}

function create(body: unknown, credential = customer.key) {
  return rest<Created & ErrorBody>(app, 'POST', PATH, { credential, body });
}

function evaluate(id: string, body: unknown, credential = customer.key) {
  return rest(app, 'POST', `${PATH}/${id}/evaluate`, { credential, body });
}

describe('a context policy', () => {
  it('is created with the fields of the specification, and says back all of them', async () => {
    const { status, body } = await create(STRICT);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      ...STRICT,
      created_by: customer.keyId,
      created_at: expect.any(String),
    });
  });

  it('asks for nothing where nothing is stated', async () => {
    const { body } = await create({});
    expect(body).toMatchObject({
      name: 'context policy',
      allow_sources: null,
      block_sources: [],
      data_classes: null,
      token_budget: null,
      freshness_days: null,
      citation_required: false,
      provenance_required: false,
    });
    const pack = await evaluate(body.id, { items: [{ source: 'anywhere' }] });
    expect(pack.body).toMatchObject({ decision: 'allow', violations: [] });
  });

  it('is listed newest first, to its own organization alone', async () => {
    const other = await newCustomer(app);
    const first = await create({ name: 'first' }, other.key);
    const second = await create({ name: 'second' }, other.key);
    const { body } = await rest<{ data: Created[] }>(app, 'GET', PATH, { credential: other.key });
    expect(body.data).toEqual([second.body, first.body]);
  });

  it('is refused with every fault named', async () => {
    const wrong = { name: ' ', allow_sources: ['', 'a'], token_budget: 0, freshness_days: 1.5 };
    const { status, body } = await create({ ...wrong, freshness_days: 0 });
    expect(status).toBe(400);
    expect(body.error.faults?.map(({ path }) => path)).toEqual([
      'name',
      'allow_sources.0',
      'token_budget',
      'freshness_days',
    ]);
    expect(outcome(await create(wrong))).toBe('400 invalid_request');
  });

  it('cannot be changed in the database', async () => {
    const { body } = await create({});
    const change = app.owner.pool.query('UPDATE context_policy SET name = $2 WHERE id = $1', [
      body.id,
      'other',
    ]);
    await expect(change).rejects.toThrow();
  });

  it('is created by those who may write prompts', async () => {
    const viewer = await newMember(app, customer.token, 'viewer');
    expect(outcome(await create({}, viewer.token))).toBe('403 permission_denied');
  });
});

describe('the evaluation of a context pack', () => {
  it('names each violating item, its rule and its fix', async () => {
    const { body: policy } = await create(STRICT);
    const good = {
      id: 'refunds',
      source: 'wiki/refunds',
      data_class: 'C1',
      text: 'Three days.',
      updated_at: '2026-01-31T00:00:00Z',
      citation: 'wiki/refunds#terms',
      provenance: 'export',
    };
    const draft = { ...good, id: 'draft', source: 'wiki/drafts/x', data_class: 'C3', citation: '' };
    const bare = { id: 'bare', tokens: 20 };
    const asked = { items: [good, draft, bare], as_of: '2026-02-01T00:00:00Z' };
    const { status, body } = await evaluate(policy.id, asked);
    expect(status).toBe(200);
    const fixes = new Map<string, string>(CONTEXT_RULES.rows.map(({ code, fix }) => [code, fix]));
    const found = (
      item_id: string | null,
      position: number | null,
      rule: string,
      message: string,
    ) => ({
      item_id,
      position,
      rule,
      message,
      fix: fixes.get(rule),
    });
    expect(body).toEqual({
      policy_id: policy.id,
      decision: 'block',
      violations: [
        found(
          'draft',
          1,
          'source_blocked',
          'The source wiki/drafts/x matches the blocked wiki/drafts/*.',
        ),
        found(
          'draft',
          1,
          'data_class_not_allowed',
          'The class C3 is not allowed; allowed: C0, C1.',
        ),
        found('draft', 1, 'citation_missing', 'The item has no citation.'),
        found('bare', 2, 'source_missing', 'The item has no source.'),
        found('bare', 2, 'data_class_missing', 'The item has no data class.'),
        found('bare', 2, 'date_missing', 'The item does not say when it was updated.'),
        found('bare', 2, 'citation_missing', 'The item has no citation.'),
        found('bare', 2, 'provenance_missing', 'The item has no provenance.'),
        found(
          null,
          null,
          'token_budget_exceeded',
          'The items have 26 tokens, 16 more than 10; ' +
            'the largest: bare (20), draft (3), refunds (3).',
        ),
      ],
      items: 3,
      violating_items: 2,
      tokens: { total: 26, unknown_items: 0, source: 'mixed' },
      as_of: '2026-02-01T00:00:00.000Z',
    });
    const inOne = await evaluate(policy.id, { context_pack: asked });
    expect(inOne.body).toEqual(body);
  });

  it('judges the texts: a stated class is not below what the firewall finds', async () => {
    const { body: policy } = await create({ data_classes: ['C0', 'C1', 'C3'] });
    const text = 'Клиент Иванов И. И., паспорт 45 08 123456, звонить +79123456789.';
    const items = [
      { id: 'public', data_class: 'C0', text: 'Возврат за три дня.' },
      { id: 'lied', data_class: 'C0', text },
      { id: 'told', data_class: 'C3', text },
      { id: 'nested', data_class: 'C1', text: JSON.stringify({ note: JSON.stringify({ text }) }) },
    ];
    const { body } = await evaluate(policy.id, { items });
    const fix =
      'State the class that the text has, or remove from the text what the message names.';
    const of = (item_id: string, position: number, stated: string) => ({
      item_id,
      position,
      rule: 'data_class_understated',
      message: `The item states ${stated}, but its text is C3: phone, passport.`,
      fix,
    });
    expect(body).toMatchObject({
      decision: 'block',
      violations: [of('lied', 1, 'C0'), of('nested', 3, 'C1')],
      violating_items: 2,
    });
    expect(JSON.stringify(body)).not.toMatch(/123456|79123/);
    const { body: open } = await create({});
    const free = await evaluate(open.id, { items: [{ text }, { data_class: 'C0', text }] });
    expect(free.body).toMatchObject({
      decision: 'block',
      violations: [{ position: 1, rule: 'data_class_understated' }],
    });
  });

  it('writes nothing', async () => {
    const { body: policy } = await create(STRICT);
    const count = async () => {
      const { rows } = await app.owner.pool.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM audit_event WHERE tenant_id = $1',
        [customer.tenantId],
      );
      return rows[0]?.n;
    };
    const before = await count();
    await evaluate(policy.id, { items: [{ id: 'a' }] });
    expect(await count()).toBe(before);
  });

  it('is refused without a pack, with two, and with an id or a class that is wrong', async () => {
    const { body: policy } = await create({});
    const tried = async (body: unknown) => outcome(await evaluate(policy.id, body));
    expect(await tried({})).toBe('400 invalid_request');
    expect(await tried({ items: [], context_pack: { items: [] } })).toBe('400 invalid_request');
    expect(await tried({ items: [{ id: 'a' }, { id: 'a' }] })).toBe('400 invalid_request');
    expect(await tried({ items: [{ data_class: 'C9' }] })).toBe('400 invalid_request');
    expect(await tried({ items: [{ tokens: -1 }] })).toBe('400 invalid_request');
    expect(await tried({ items: [] })).toBe('200');
  });

  it('by another organization’s policy behaves exactly like that by an unknown one', async () => {
    const { ContextPolicy: id = '' } = await belongingsOf(app, stranger);
    const unknown = '0192f0c1-7a3b-7016-8000-3f2b9c4d5e6f';
    const told = async (each: string) => {
      const { status, body } = await evaluate(each, { items: [] });
      const { message, code } = body.error as ErrorBody['error'];
      return { status, code, message: message.replace(each, 'ID') };
    };
    expect(await told(id)).toEqual(await told(unknown));
    expect(outcome(await evaluate(id, { items: [] }))).toBe('404 not_found');
  });

  it('is a query of GraphQL', async () => {
    const { body: policy } = await create(STRICT);
    const { data } = await graphql(
      app,
      `query($id: ID!) {
        contextPolicyEvaluate(id: $id, items: [{ id: "a", source: "crm" }]) {
          decision
          violations { itemId rule }
        }
      }`,
      { id: policy.id },
      customer.key,
    );
    expect(data).toMatchObject({
      contextPolicyEvaluate: {
        decision: 'block',
        violations: expect.arrayContaining([{ itemId: 'a', rule: 'source_not_allowed' }]),
      },
    });
  });
});
