import { getNamedType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleRequest } from '../../rest-compat/example.js';
import type { CompiledRow } from '../../rest-compat/row.js';
import { loadRestTable } from '../../src/app/rest.js';
import { graphql, rest, startApp, type TestApp } from '../support/app.js';
import { type Belongings, newBelongings, unknownLike } from '../support/belongings.js';
import { documentOf, FIELD_OF_ROW, ROOT_FIELDS, type RootField } from '../support/root-fields.js';
import { changedRows, rowsOfTenant } from '../support/tenant-rows.js';
import { isIdType, kindsAt, type Place, placesOf, wordsOf } from './id-places.js';

let app: TestApp;
let own: Belongings;
let foreign: Belongings;
let before: ReadonlyMap<string, string>;
beforeAll(async () => {
  app = await startApp();
  own = await newBelongings(app);
  foreign = await newBelongings(app);
  // What the node has seen of the keys that were used so far is written later by itself.
  await app.server.services.keySightings.write();
  before = await rowsOfTenant(app, foreign.tenantId);
});
afterAll(() => app.stop());

/** An answer without what differs between any two requests. */
function comparable(answer: unknown, id: string): string {
  return JSON.stringify(answer)
    .replaceAll(id, '<id>')
    .replace(/\bkey-\d+/g, '<key>')
    .replace(/"(requestId|request_id|preview_id)":"[^"]+"/g, '"$1":"<new id>"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
}

/** The ids of the kinds that a place may take, and of one that it does not. */
function idsAt(place: Pick<Place, 'type' | 'words'>, { ids }: Belongings): readonly string[] {
  return kindsAt(place, Object.keys(ids)).map((kind) => ids[kind] ?? '');
}

/** Pages are asked for one item, so that the walk stays within what a caller may spend. */
function smallPage({ field }: RootField): Record<string, unknown> {
  return field.args.some(({ name }) => name === 'first') ? { first: 1 } : {};
}

/** Of a list its items, since every list is there; of anything else that it is there. */
function selectionOf({ field }: RootField): string | undefined {
  const type = getNamedType(field.type);
  const isList = isObjectType(type) && 'edges' in type.getFields();
  return isList ? '{ edges { cursor } }' : undefined;
}

const TRIES = 10;

async function answerTo(root: RootField, place: Place, id: string): Promise<string> {
  const given = { ...smallPage(root), ...place.holding(id) };
  const { query, variables } = documentOf(root, given, selectionOf(root));
  // Whoever names so many passwords would otherwise be refused for that.
  app.server.services.counters.adjust(`password:member:${own.userId}`, TRIES, TRIES);
  return comparable(await graphql(app, query, variables, own.token), id);
}

/** Listings are public, so that anybody reports those of others. */
const OF_PUBLIC_THINGS = new Set(['marketplaceListingReport']);

const FIELDS = ROOT_FIELDS.filter(
  (root) =>
    root.operation !== 'subscription' &&
    root.permission &&
    placesOf(root).length > 0 &&
    !OF_PUBLIC_THINGS.has(root.name),
);

describe('GraphQL', () => {
  it.each(FIELDS)('$operation $name takes a foreign id for an unknown one', async (root) => {
    for (const place of placesOf(root)) {
      const unknown = await answerTo(root, place, unknownLike(foreign.tenantId));
      expect(unknown).not.toContain('internal_error');
      for (const id of idsAt(place, foreign)) expect(await answerTo(root, place, id)).toBe(unknown);
    }
  });
});

/** A use case is a name that callers choose, whatever the wire calls it: it is no id of a thing. */
const CHOSEN_NAMES = ['use_case_id'];

const ROWS = (await loadRestTable()).rows.filter(
  ({ name, contract, variables }) =>
    contract.auth === 'B' &&
    variables.some(isId) &&
    !OF_PUBLIC_THINGS.has(FIELD_OF_ROW.get(name)?.name ?? ''),
);

function isId({ name, type }: CompiledRow['variables'][number]): boolean {
  if (CHOSEN_NAMES.includes(name)) return false;
  return isIdType(type) || (getNamedType(type).name === 'String' && /id$/i.test(name));
}

/** What a variable is called, or for a bare `id` what it stands behind in the path. */
function wordsOfVariable(row: CompiledRow, name: string): readonly string[] {
  const [noun = ''] = /[^/]+(?=\/\{id\})/.exec(row.contract.path) ?? [];
  const field = FIELD_OF_ROW.get(row.name)?.name ?? '';
  return name === 'id' ? [...wordsOf(noun), ...wordsOf(field)] : wordsOf(name);
}

describe('REST', () => {
  it.each(ROWS)('$name takes a foreign id for an unknown one', async (row) => {
    for (const { name, type } of row.variables.filter(isId)) {
      const shown = async (id: string) => {
        const { status, body } = await callWith(row, name, id);
        return comparable({ status, body }, id);
      };
      const unknown = await shown(unknownLike(foreign.tenantId));
      expect(unknown).not.toContain('internal_error');
      const place = { type, words: wordsOfVariable(row, name) };
      for (const id of idsAt(place, foreign)) expect(await shown(id)).toBe(unknown);
    }
  });
});

describe('after all calls with foreign ids', () => {
  it('the other organization has every row that it had, unchanged, and no other', async () => {
    expect(changedRows(before, await rowsOfTenant(app, foreign.tenantId))).toEqual([]);
  });
});

/** Fields that first want other arguments, which the examples of their REST rows have. */
const CALLED_BY_ROWS = new Set(['contextPolicyEvaluate', 'balanceRefund', 'wtpEvidenceState']);

/** Fields that cannot be called without an id. */
const NEEDING_ID = FIELDS.flatMap((root) =>
  placesOf(root)
    .filter(
      ({ type, isRequired }) => isIdType(type) && isRequired && !CALLED_BY_ROWS.has(root.name),
    )
    .map((place) => ({ name: `${root.operation} ${root.name}`, root, place })),
);

describe('the comparison means something:', () => {
  it('finds the own things by the same calls', async () => {
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

  it.each(NEEDING_ID)('$name knows an own id from an unknown one', async ({ root, place }) => {
    const unknown = await answerTo(root, place, unknownLike(own.tenantId));
    if (/permission_denied|platform_admin_required/.test(unknown)) return;
    const answers: string[] = [];
    for (const id of idsAt(place, own)) answers.push(await answerTo(root, place, id));
    expect(answers.filter((answer) => answer !== unknown)).not.toEqual([]);
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
    ...(condition ? { [condition.parameter]: condition.values[0] ?? '' } : {}),
  });
  return rest(app, row.contract.method, `${filled}?${search}`, {
    credential: own.token,
    body: body && !inPath ? { ...body, [name]: value } : body,
  });
}
