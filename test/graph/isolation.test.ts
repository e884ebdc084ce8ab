import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isNonNullType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleRequest } from '../../rest-compat/example.js';
import type { CompiledRow } from '../../rest-compat/row.js';
import { loadRestTable } from '../../src/app/rest.js';
import { documentOf, madeUp, ROOT_FIELDS, type RootField } from '../access/fields.js';
import { graphql, rest, startApp, type TestApp } from '../support/app.js';
import { type Belongings, newBelongings, unknownLike } from './belongings.js';

let app: TestApp;
let own: Belongings;
let foreign: Belongings;
beforeAll(async () => {
  app = await startApp();
  own = await newBelongings(app);
  foreign = await newBelongings(app);
});
afterAll(() => app.stop());

/** An answer without what differs between any two requests. */
function comparable(answer: unknown, id: string): string {
  return JSON.stringify(answer)
    .replaceAll(id, '<id>')
    .replace(/\bkey-\d+/g, '<key>')
    .replace(/"(requestId|request_id|preview_id)":"[^"]+"/g, '"$1":"<new id>"')
    .replace(/"(\w+At|\w+_at)":"[^"]+"/g, '"$1":"<time>"');
}

/** Every row of the other tenant, as text. */
async function allOf({ tenantId }: Belongings): Promise<string> {
  const { pool } = app.server.services;
  const tables = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE column_name = 'tenant_id' AND table_schema = 'public' ORDER BY 1`,
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<{ text: string }>(
      `SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') AS text
       FROM ${name} t WHERE tenant_id = $1`,
      [tenantId],
    );
    texts.push(`${name}: ${rows[0]?.text}`);
  }
  return texts.join('\n');
}

/** Parts of a chat request that go on to the provider: the gateway looks nothing up by them. */
const READ_BY_PROVIDERS = new Set([
  'ChatFormatInput',
  'ChatMessageInput',
  'ChatToolChoiceInput',
  'ChatToolInput',
]);

/** Ways to put an id into a field: each of its arguments that takes one, also inside inputs. */
function placesOf({ field }: RootField): ((id: string) => Record<string, unknown>)[] {
  return field.args.flatMap((arg) =>
    placesIn(arg.type).map((place) => (id: string) => ({ [arg.name]: place(id) })),
  );
}

function placesIn(type: GraphQLInputType): ((id: string) => unknown)[] {
  const named = getNamedType(type);
  if (READ_BY_PROVIDERS.has(named.name)) return [];
  if (isInputObjectType(named)) {
    return Object.values(named.getFields()).flatMap((field) =>
      placesIn(field.type).map((place) => (id: string) => {
        const rest = madeUp(isNonNullType(type) ? type.ofType : type) as Record<string, unknown>;
        return { ...withFreshKeys(rest), [field.name]: place(id) };
      }),
    );
  }
  const takesId = named.name === 'UUID' || named.name === 'ID' || named.name === 'String';
  return takesId && getNullableType(type) === named ? [(id) => id] : [];
}

let keys = 0;

/** Keys are taken once in an organization, so that every call gets its own. */
function withFreshKeys(input: Record<string, unknown>): Record<string, unknown> {
  keys += 1;
  const pairs = Object.entries(input).map(([name, value]) =>
    name.endsWith('Key') ? [name, `key-${keys}`] : [name, value],
  );
  return Object.fromEntries(pairs);
}

/** Pages are asked for one item, so that the walk stays within what a caller may spend. */
function smallPage({ field }: RootField): Record<string, unknown> {
  return field.args.some(({ name }) => name === 'first') ? { first: 1 } : {};
}

const FIELDS = ROOT_FIELDS.filter(
  (root) => root.operation !== 'subscription' && root.permission && placesOf(root).length > 0,
);

describe('GraphQL', () => {
  it.each(FIELDS)('$operation $name takes a foreign id for an unknown one', async (root) => {
    const before = await allOf(foreign);
    for (const place of placesOf(root)) {
      const answerTo = async (id: string) => {
        const { query, variables } = documentOf(root, { ...smallPage(root), ...place(id) });
        return comparable(await graphql(app, query, variables, own.token), id);
      };
      const unknown = await answerTo(unknownLike(foreign.tenantId));
      expect(unknown).not.toContain('internal_error');
      for (const id of Object.values(foreign.ids)) expect(await answerTo(id)).toBe(unknown);
    }
    expect(await allOf(foreign)).toBe(before);
  });
});

const ROWS = loadRestTable().rows.filter(
  ({ contract, variables }) =>
    contract.auth === 'B' && variables.some((row) => isIdName(row.name, row.type)),
);

function isIdName(name: string, type: GraphQLInputType): boolean {
  const { name: typeName } = getNamedType(type);
  return typeName === 'UUID' || typeName === 'ID' || (typeName === 'String' && /id$/i.test(name));
}

describe('REST', () => {
  it.each(ROWS)('$name takes a foreign id for an unknown one', async (row) => {
    const before = await allOf(foreign);
    for (const { name, type } of row.variables) {
      if (!isIdName(name, type)) continue;
      for (const id of Object.values(foreign.ids)) {
        const answers = [];
        for (const tried of [id, unknownLike(id)]) {
          const { status, body } = await callWith(row, name, tried);
          answers.push(comparable({ status, body }, tried));
        }
        expect(answers[0]).toBe(answers[1]);
        expect(answers[0]).not.toContain('internal_error');
      }
    }
    expect(await allOf(foreign)).toBe(before);
  });

  it('finds the own things by the same calls, so that the comparison means something', async () => {
    const calls = await Promise.all([
      rest(app, 'GET', `/usage?request_id=${own.ids.Request}`, { credential: own.token }),
      rest(app, 'GET', `/usage?key_id=${own.keyId}`, { credential: own.token }),
      rest(app, 'GET', `/billing/ledger?key_id=${own.keyId}`, { credential: own.token }),
      rest(app, 'GET', `/v1/gw/policies?limit=1&project_id=${own.projectId}`, {
        credential: own.token,
      }),
    ]);
    expect(calls.map(({ body }) => (body as { data: unknown[] }).data.length)).toEqual([
      1, 1, 2, 1,
    ]);
  });
});

async function callWith(row: CompiledRow, name: string, value: string) {
  const { path, query, body } = exampleRequest(row);
  const inPath = name in path;
  const places = inPath ? { ...path, [name]: value } : path;
  const filled = row.contract.path.replace(/\{\+?(\w+)\}/g, (_, place) =>
    encodeURIComponent(places[place] ?? ''),
  );
  const condition = row.condition?.kind === 'query' ? row.condition : undefined;
  const search = new URLSearchParams({
    ...query,
    ...(inPath || body ? {} : { [name]: value }),
    ...(condition ? { [condition.parameter]: condition.value } : {}),
  });
  return rest(app, row.contract.method, `${filled}?${search}`, {
    credential: own.token,
    body: body && !inPath ? { ...body, [name]: value } : body,
  });
}
