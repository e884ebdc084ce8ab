import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptedValues, boundsWhere, valuesWhere } from '../../src/graph/filters.js';
import { FILTER_VALUES_MAX } from '../../src/graph/limits.js';
import { chat, newKey } from '../journeys/people.js';
import { type Customer, graphql, newCustomer, startApp, type TestApp } from '../support/app.js';

describe('a filter by values', () => {
  it('takes exactly the values that meet both of its conditions', () => {
    const letters = fc.constantFrom('a', 'b', 'c');
    const filters = fc.record({
      eq: fc.option(letters, { nil: null }),
      in: fc.option(fc.array(letters), { nil: null }),
    });
    fc.assert(
      fc.property(filters, letters, (filter, value) => {
        const meets =
          (filter.eq === null || filter.eq === value) &&
          (filter.in === null || filter.in.includes(value));
        const accepted = acceptedValues(filter);
        expect(accepted === undefined || accepted.includes(value)).toBe(meets);
      }),
    );
  });

  it('narrows nothing when it says nothing, and everything away by an empty list', () => {
    for (const filter of [undefined, null, {}, { eq: null, in: null }]) {
      expect(valuesWhere(filter)).toBeUndefined();
    }
    expect(valuesWhere({ in: [] })).toEqual({ in: [] });
    expect(boundsWhere(null)).toEqual({});
    expect(boundsWhere({ gte: null, lte: 5n })).toEqual({ lte: 5n });
    expect(boundsWhere({ lt: 5n, to: 3n })).toEqual({ lt: 3n });
    expect(boundsWhere({ lt: 2n, to: 3n })).toEqual({ lt: 2n });
    expect(boundsWhere({ to: 3n })).toEqual({ lt: 3n });
  });

  it(`takes at most ${FILTER_VALUES_MAX} values`, () => {
    const values = Array.from({ length: FILTER_VALUES_MAX + 1 }, (_, index) => String(index));
    expect(acceptedValues({ in: values.slice(1) })).toHaveLength(FILTER_VALUES_MAX);
    expect(() => acceptedValues({ in: values })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
  const stranger = await newCustomer(app, 500);
  await chat(app, stranger.key);
});
afterAll(() => app.stop());

interface Page {
  readonly totalCount?: number;
  readonly nodes: Readonly<Record<string, unknown>>[];
}

async function list(selection: string, variables: Record<string, unknown> = {}) {
  const heads = Object.keys(variables).map((name) => `$${name}: ${TYPES[name]}`);
  const head = heads.length > 0 ? `(${heads.join(', ')})` : '';
  const query = `query${head} { list: ${selection} }`;
  const { data, errors } = await graphql<{ list: Page }>(app, query, variables, owner.token);
  expect(errors).toBeUndefined();
  return data.list;
}

const TYPES: Readonly<Record<string, string>> = {
  at: 'PeriodBegin',
  ids: '[ID!]',
  amount: 'Rub',
  after: 'String',
};

describe('the list of keys', () => {
  it('is narrowed, ordered and counted, whatever the page', async () => {
    const made = [];
    for (const type of ['agent', 'service', 'agent'] as const) {
      made.push((await newKey(app, owner.token, type)).id);
    }
    const [first, second, third] = made;
    const agents = 'filter: { keyType: { eq: agent }, status: active }';
    const newest = await list(`apiKeys(${agents}, first: 1) { totalCount nodes { id } }`);
    expect(newest).toEqual({ totalCount: 2, nodes: [{ id: third }] });
    const oldest = await list(`apiKeys(${agents}, orderBy: oldest_first) { nodes { id } }`);
    expect(oldest.nodes).toEqual([{ id: first }, { id: third }]);
    expect(await list(`apiKeys(${agents}) { totalCount }`)).toEqual({ totalCount: 2 });
    const types = 'apiKeys(filter: { keyType: { in: [service] } }) { nodes { id } }';
    expect((await list(types)).nodes).toContainEqual({ id: second });
    const revoked = 'apiKeys(filter: { status: revoked }) { totalCount nodes { id } }';
    expect(await list(revoked)).toEqual({ totalCount: 0, nodes: [] });
  });
});

describe('ledger and usage', () => {
  it('are narrowed by time, amount and values, and read from either end', async () => {
    const ids: string[] = [];
    for (const feature of ['a', 'b', 'a']) {
      const { body } = await chat(app, owner.key, 'Hello', { metadata: { feature } });
      ids.push(body.gw_routing.request_id);
    }
    const [first, second, third] = ids;
    const usage = async (filter: string, variables = {}, more = '') =>
      (await list(`usage(filter: { ${filter} }${more}) { nodes { id } }`, variables)).nodes.map(
        ({ id }) => id,
      );
    expect(await usage('feature: { eq: "a" }')).toEqual([third, first]);
    expect(await usage('feature: { in: ["a", "b"] }', {}, ', orderBy: oldest_first')).toEqual(ids);
    expect(await usage('requestId: { in: $ids }', { ids: [first, second] })).toEqual([
      second,
      first,
    ]);
    expect(await usage('amountRub: { gte: $amount }', { amount: '1000000' })).toEqual([]);
    const past = { at: '2020-01-01T00:00:00Z' };
    expect(await usage('createdAt: { lt: $at }', past)).toEqual([]);
    expect(await usage('createdAt: { gte: $at }', past)).toEqual([third, second, first]);
    const held = 'ledger(filter: { type: { eq: top_up }, amountRub: { gte: $amount } })';
    const funds = await list(`${held} { nodes { amountRub } }`, { amount: '500' });
    expect(funds.nodes).toEqual([{ amountRub: '500.00' }]);
  });

  it('are read page by page from the oldest entry on, each entry once', async () => {
    const all = await list('ledger(orderBy: oldest_first, first: 200) { nodes { sequence } }');
    const seen: unknown[] = [];
    let after: string | null = null;
    do {
      const text =
        'ledger(orderBy: oldest_first, first: 2, after: $after) ' +
        '{ nodes { sequence } pageInfo { hasNextPage endCursor } }';
      const page = (await list(text, { after })) as Page & {
        pageInfo: { hasNextPage: boolean; endCursor: string };
      };
      seen.push(...page.nodes);
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(all.nodes);
    expect(seen.length).toBeGreaterThan(4);
  });
});

describe('the audit trail', () => {
  it('is narrowed by what was done and to what', async () => {
    const { id } = await newKey(app, owner.token, 'agent');
    const filter = 'filter: { action: { in: ["apiKeyCreate"] }, subject: { eq: "ApiKey" } }';
    const events = await list(`auditEvents(${filter}, first: 1) { nodes { subjectId actorKind } }`);
    expect(events.nodes).toEqual([{ subjectId: id, actorKind: 'user' }]);
    const found = async (parts: string) =>
      (await list(`auditEvents(filter: { ${parts} }) { nodes { subjectId } }`)).nodes;
    expect(await found(`subjectId: { eq: "${id}" }`)).toEqual([{ subjectId: id }]);
    expect(await found(`subjectId: { eq: "${id}" }, subject: { eq: "Policy" }`)).toEqual([]);
    expect(await found(`subjectId: { eq: "${id}" }, actorId: { eq: "${id}" }`)).toEqual([]);
    expect(await found('actorId: { in: [] }')).toEqual([]);
  });
});
