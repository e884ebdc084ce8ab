import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleRequest } from '../../../rest-compat/example.js';
import type { CompiledRow } from '../../../rest-compat/row.js';
import { loadRestTable } from '../../../src/app/rest.js';
import { isOutsideWorkspaces } from '../../../src/app/row-errors.js';
import { POINTS_PER_MINUTE } from '../../../src/graph/limits.js';
import { permissionsOf } from '../../../src/graph/permissions.js';
import { kindsAt, placesOf } from '../../graph/id-places.js';
import { selectionOf } from '../../graph/matrix/calls.js';
import { type ErrorBody, newMember, outcome } from '../../journeys/people.js';
import { graphql, rest, startApp, type TestApp } from '../../support/app.js';
import { type Belongings, newBelongings } from '../../support/belongings.js';
import {
  documentOf,
  FIELD_OF_ROW,
  ROOT_FIELDS,
  type RootField,
} from '../../support/root-fields.js';
import { limited, type Made, update } from '../keys/limited.js';
import { adopt, newWorkspace, placeMember } from './samples.js';
import { VOICES } from './voices.js';

/** A caller with the id under which its points are counted. */
interface Caller {
  readonly id: string;
  readonly credential: string;
}

let app: TestApp;
let own: Belongings;
let inside: string;
let key: Made;
let sibling: Made;
let bound: readonly Caller[];
let free: Caller;
/** What belongs to the organization or to another workspace, as texts that answers could hold. */
let planted: ReadonlySet<string>;

const CONFINED = 'workspace_caller_confined';
const ASK = { model: 'sandbox/gw-mini', messages: [{ role: 'user', content: 'Да?' }] };

const asked = (credential: string, more: object = {}, headers: Record<string, string> = {}) =>
  rest<{ id: string; gw_routing: { request_id: string } }>(app, 'POST', '/v1/chat/completions', {
    credential,
    body: { ...ASK, max_tokens: 5, ...more },
    headers,
  });

const requestOf = async (credential: string) =>
  (await asked(credential)).body.gw_routing.request_id;

/** What a caller of a workspace may know beside it: what it acts in and who has made its key. */
const ITS_OWN = ['Tenant', 'Project', 'Account', 'User'];

beforeAll(async () => {
  app = await startApp();
  own = await newBelongings(app);
  const workspace = async (name: string) => (await newWorkspace(app, own, { name })).body.id;
  inside = await workspace('inside');
  const outside = await workspace('planted workspace');
  key = await limited(app, own.token, { workspace_id: inside });
  sibling = await limited(app, own.token, { workspace_id: inside, name: 'sibling' });
  const other = await limited(app, own.token, { workspace_id: outside, name: 'planted key' });
  const member = await newMember(app, own.token, 'owner');
  await placeMember(app, own.token, member.userId, inside);
  const colleague = await newMember(app, own.token, 'developer');
  bound = [
    { id: key.id, credential: key.key },
    { id: member.userId, credential: member.token },
  ];
  free = { id: own.userId, credential: own.token };
  const { body: event } = await adopt(app, own.token, {
    workspace_id: outside,
    event: 'employee_invited',
  });
  const hidden = Object.entries(own.ids).filter(([kind]) => !ITS_OWN.includes(kind));
  planted = new Set([
    ...hidden.map(([, id]) => id),
    outside,
    other.id,
    event.id,
    colleague.userId,
    await requestOf(other.key),
    await requestOf(own.key),
    'planted workspace',
    'planted key',
  ]);
});
afterAll(() => app?.stop());

/** What of the organization or of another workspace an answer shows, unless it was asked for. */
function shownOf(answer: unknown, asking: unknown = ''): string[] {
  const [text, question] = [JSON.stringify(answer), JSON.stringify(asking)];
  return [...planted].filter((each) => text.includes(each) && !question.includes(each));
}

/** Whoever asks so much would otherwise be refused for that. */
function refill({ id }: Caller): void {
  app.server.services.counters.adjust(`points:${id}`, POINTS_PER_MINUTE, POINTS_PER_MINUTE);
}

const LEVELS = 2;
const PAGE = { first: 10 };

/** Documents that call a field with every planted id that fits, or as it is without one. */
function documentsOf(root: RootField) {
  const page = root.field.args.some(({ name }) => name === 'first') ? PAGE : {};
  const given = placesOf(root).flatMap((place) =>
    kindsAt(place, Object.keys(own.ids)).map((kind) => place.holding(own.ids[kind] ?? '')),
  );
  const selection = selectionOf(root.field.type, LEVELS);
  return [{}, ...given].map((each) => documentOf(root, { ...page, ...each }, selection));
}

const codesIn = (answer: unknown) =>
  [...JSON.stringify(answer).matchAll(/"code":"([a-z_]+)"/g)].map(([, code]) => code);

const isOutside = ({ name, permission }: RootField) => isOutsideWorkspaces(name, permission);
const READS = ROOT_FIELDS.filter(({ operation, permission, name }) => {
  const isNode = name === 'node' || name === 'nodes';
  return operation === 'query' && permission !== undefined && !isNode;
});
const KEPT = READS.filter((root) => !isOutside(root));
const OUTSIDE = READS.filter(isOutside);
const FEEDS = ROOT_FIELDS.filter(
  ({ operation, permission }) => operation === 'subscription' && permission !== 'inference.run',
);

describe('a caller of a workspace, a key and a member alike,', () => {
  it.each(KEPT)('reads of $name nothing from outside its workspace', async (root) => {
    for (const { query, variables } of documentsOf(root)) {
      for (const caller of bound) {
        refill(caller);
        const answer = await graphql(app, query, variables, caller.credential);
        const codes = codesIn(answer);
        for (const wrong of ['graphql_invalid', 'internal_error', CONFINED]) {
          expect(codes).not.toContain(wrong);
        }
        expect(shownOf(answer, variables)).toEqual([]);
      }
    }
  });

  it.each(OUTSIDE)('is refused $name', async (root) => {
    const { query, variables } = documentOf(root);
    const codes = [];
    for (const caller of bound) {
      refill(caller);
      codes.push(codesIn(await graphql(app, query, variables, caller.credential)));
    }
    const wanted = ['service', 'owner'].map((who) => {
      const rights: ReadonlySet<string> = permissionsOf(who);
      return [rights.has(root.permission ?? '') ? CONFINED : 'permission_denied'];
    });
    expect(codes).toEqual(wanted);
  });

  it.each(FEEDS)('follows no $name', async (root) => {
    const { query, variables } = documentOf(root, {}, selectionOf(root.field.type, LEVELS));
    for (const { credential } of bound) {
      const headers = { accept: 'text/event-stream' };
      const body = { query, variables };
      const answer = await rest<unknown>(app, 'POST', '/graphql', { credential, body, headers });
      expect(String(JSON.stringify(answer.body))).toContain(CONFINED);
    }
  });

  it('finds by node and nodes what is its own, and nothing else', async () => {
    const ids = [...Object.values(own.ids), sibling.id, inside, key.id];
    const may = new Set([sibling.id, inside, key.id, own.tenantId, own.projectId]);
    const query = 'query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
    const one = 'query($id: ID!) { node(id: $id) { __typename id } }';
    for (const caller of bound) {
      for (let at = 0; at < ids.length; at += 20) {
        refill(caller);
        const some = ids.slice(at, at + 20);
        const variables = { ids: some };
        type Found = { nodes: ({ id: string } | null)[] };
        const { data } = await graphql<Found>(app, query, variables, caller.credential);
        const found = data.nodes.flatMap((each) => (each ? [each.id] : []));
        expect(found).toEqual(some.filter((id) => may.has(id)));
      }
      for (const id of new Set(ids.filter((each) => !may.has(each)))) {
        refill(caller);
        const { data, errors } = await graphql(app, one, { id }, caller.credential);
        expect([data, errors?.[0]?.extensions.code]).toEqual([
          { node: null },
          expect.stringMatching(/^(workspace_caller_confined|not_found)$/),
        ]);
      }
    }
  });

  it('sees the requests and keys of its workspace, and no others', async () => {
    const [mine, near] = [await requestOf(key.key), await requestOf(sibling.key)];
    const usage = '{ usage { nodes { id } } }';
    type Usage = { usage: { nodes: { id: string }[] } };
    const seen = async () => {
      const { data } = await graphql<Usage>(app, usage, {}, key.key);
      return data.usage.nodes.map(({ id }) => id);
    };
    await expect.poll(seen).toEqual(expect.arrayContaining([mine, near]));
    expect(shownOf(await seen())).toEqual([]);
    const child = await limited(app, key.key, { name: 'child' }, 'standard');
    const tree = `query($id: ID!) {
      apiKeys { totalCount nodes { id } }
      apiKeyTree { count keys { id } }
      apiKeyDescendants(id: $id) { count keys { id } } }`;
    type Keys = {
      apiKeys: { totalCount: number; nodes: { id: string }[] };
      apiKeyTree: { count: number; keys: { id: string }[] };
      apiKeyDescendants: { count: number; keys: { id: string }[] };
    };
    const { data } = await graphql<Keys>(app, tree, { id: key.id }, key.key);
    const wanted = [child.id, sibling.id, key.id];
    expect(data.apiKeys).toEqual({ totalCount: 3, nodes: wanted.map((id) => ({ id })) });
    expect(data.apiKeyTree.keys.map(({ id }) => id).sort()).toEqual([...wanted].sort());
    expect([data.apiKeyTree.count, data.apiKeyDescendants]).toEqual([
      3,
      { count: 1, keys: [{ id: child.id }] },
    ]);
    const { id } = await limited(app, own.token);
    const risk = { key_ref: id };
    const path = '/v1/gw/abuse/risk-scan';
    const scan = await rest(app, 'POST', path, { credential: key.key, body: risk });
    expect(outcome(scan)).toBe('404 not_found');
  });

  it('is told what to do, in both languages', async () => {
    const told = async (language: string) => {
      const headers = { 'accept-language': language };
      const { body } = await rest<ErrorBody>(app, 'GET', '/billing/ledger', {
        credential: key.key,
        headers,
      });
      return body.error.message;
    };
    expect(await told('en')).toBe(
      `key limited belongs to the workspace ${inside}, and this operation reads or changes what ` +
        'belongs to the whole organization.',
    );
    expect(await told('ru')).toBe(
      'Операция читает или меняет то, что принадлежит всей организации, а вызывающий ' +
        `(key limited) относится к рабочему пространству ${inside}.`,
    );
  });
});

const GET_ROWS = (await loadRestTable()).rows.filter(
  ({ contract }) => contract.method === 'GET' && contract.auth === 'B',
);

/** A row as its example asks for it, its path filled with planted ids of every kind in turn. */
function askedRow(row: CompiledRow, id: string | undefined) {
  const { path, query } = exampleRequest(row);
  const filled = row.contract.path.replace(/\{\+?(\w+)\}/g, (_, name) =>
    encodeURIComponent(id ?? path[name] ?? ''),
  );
  const condition = row.condition?.kind === 'query' ? [row.condition] : [];
  const search = new URLSearchParams({
    ...query,
    ...Object.fromEntries(condition.map(({ parameter, values }) => [parameter, values[0] ?? ''])),
  });
  return `${filled}?${search}`;
}

describe('REST', () => {
  it.each(GET_ROWS)('$name gives a key of a workspace nothing from outside it', async (row) => {
    const root = FIELD_OF_ROW.get(row.name);
    const takesId = row.contract.path.includes('{') && root && !isOutside(root);
    for (const id of [undefined, ...(takesId ? Object.values(own.ids) : [])]) {
      const path = askedRow(row, id);
      const answer = await rest(app, 'GET', path, { credential: key.key });
      if (root && isOutside(root)) expect(outcome(answer)).toBe(`403 ${CONFINED}`);
      else
        expect([outcome(answer) === `403 ${CONFINED}`, shownOf(answer, path)]).toEqual([false, []]);
    }
  });
});

describe('the comparison means something:', () => {
  it('a caller of no workspace is answered the same questions as before', async () => {
    const seen = new Set<string>();
    for (const root of READS) {
      const [first] = documentsOf(root);
      refill(free);
      const answer = await graphql(app, first?.query ?? '', first?.variables, free.credential);
      expect(codesIn(answer)).not.toContain(CONFINED);
      for (const each of shownOf(answer)) seen.add(each);
    }
    expect(seen.size).toBeGreaterThan(planted.size / 4);
  });
});

describe('what a key of a workspace needs', () => {
  it('goes on: chat, embeddings, models, balance, its own rights and repeats', async () => {
    const { key: credential } = await limited(app, own.token, { workspace_id: inside }, 'standard');
    for (const voice of Object.values(VOICES)) {
      expect(await voice({ at: app, credential })).toBe('200');
    }
    for (const path of ['/v1/models', '/billing/balance', '/me', '/projects', '/usage']) {
      expect(outcome(await rest(app, 'GET', path, { credential }))).toBe('200');
    }
    const once = { 'idempotency-key': 'repeat-in-a-workspace' };
    const first = await asked(credential, {}, once);
    const again = await asked(credential, {}, once);
    expect([outcome(first), again.body]).toEqual(['200', first.body]);
  });

  it('comes back with the organization as soon as the key leaves its workspace', async () => {
    const moved = await limited(app, own.token, { workspace_id: inside });
    const ledger = () => rest(app, 'GET', '/billing/ledger', { credential: moved.key });
    expect(outcome(await ledger())).toBe(`403 ${CONFINED}`);
    expect(outcome(await update(app, own.token, moved.id, { workspace_id: null }))).toBe('200');
    expect(outcome(await ledger())).toBe('200');
  });
});
