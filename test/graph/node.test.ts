import { isInterfaceType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSchema } from '../../src/app/schema.js';
import { NODES_MAX } from '../../src/graph/limits.js';
import { newId } from '../../src/kernel/ids.js';
import { newKey, newMember, newPolicy } from '../journeys/people.js';
import { graphql, type ShownError, startApp, type TestApp } from '../support/app.js';
import { type Belongings, newBelongings, unknownLike } from '../support/belongings.js';
import { statementsOf } from './statements.js';

const schema = await openSchema();

let app: TestApp;
let own: Belongings;
let foreign: Belongings;
beforeAll(async () => {
  app = await startApp();
  own = await newBelongings(app);
  foreign = await newBelongings(app);
});
afterAll(() => app.stop());

const node = schema.getType('Node');
const TYPES = isInterfaceType(node)
  ? schema.getPossibleTypes(node).map(({ name }) => name)
  : ['the schema has no interface Node'];

async function load(id: string, credential: string | undefined) {
  const query = 'query($id: ID!) { node(id: $id) { __typename id } }';
  return graphql<{ node: unknown }>(app, query, { id }, credential);
}

/** The whole answer without what differs between any two requests. */
async function shown(id: string, credential: string | undefined): Promise<string> {
  const text = JSON.stringify(await load(id, credential));
  return text.replaceAll(id, '<id>').replace(/"requestId":"[^"]+"/, '"requestId":"<request>"');
}

describe('node(id)', () => {
  it.each(TYPES)('loads a %s of the own organization', async (type) => {
    const id = own.ids[type] ?? '';
    const answer = await load(id, own.token);
    expect(answer).toEqual({ data: { node: { __typename: type, id } }, extensions: { cost: 1 } });
  });

  it.each(TYPES)('answers a foreign %s exactly as an unknown one', async (type) => {
    const id = foreign.ids[type] ?? '';
    const answer = await shown(id, own.token);
    expect(answer).toBe(await shown(unknownLike(id), own.token));
    expect(answer).toContain('"code":"not_found"');
    expect(await shown(id, foreign.token)).toContain(`"__typename":"${type}"`);
  });

  it('asks for a credential, whatever the id', async () => {
    const answers = await Promise.all(
      [own.keyId, unknownLike(own.keyId), NO_KIND].map((id) => shown(id, undefined)),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('"code":"missing_credential"');
  });

  it('needs the permission of the list of the thing, existing or not', async () => {
    // Each walk has a key of its own: a key may ask so often in a minute.
    const { key } = await newKey(app, own.token, 'agent');
    const { key: another } = await newKey(app, own.token, 'agent');
    const { key: third } = await newKey(app, own.token, 'agent');
    const readable = await readableBy(key, another);
    // An agent's key reads the profile, and the calls and actions that it asked for itself.
    const types = ['IntegrationAction', 'Project', 'Tenant', 'ToolCall'];
    expect(readable).toEqual({ own: types, unknown: types });
    for (const type of ['IntegrationAction', 'ToolCall']) {
      const others = own.ids[type] ?? '';
      const answer = await shown(others, third);
      expect(answer).toBe(await shown(unknownLike(others), third));
      expect(answer).toContain('"code":"not_found"');
    }
    const viewer = await newMember(app, own.token, 'viewer');
    const all = TYPES.filter((type) => type !== 'AuditEvent').sort();
    expect(await readableBy(viewer.token)).toEqual({ own: all, unknown: all });
  });

  async function readableBy(credential: string, another = credential) {
    const permitted = async (idOf: (type: string) => string, as: string) => {
      const answers: string[] = [];
      // One after another: a burst of them may be refused for the load that it is.
      for (const type of TYPES) answers.push(await shown(idOf(type), as));
      const isRefused = (at: number) => answers[at]?.includes('"code":"permission_denied"');
      return TYPES.filter((_, at) => !isRefused(at)).sort();
    };
    const idOf = (type: string) => own.ids[type] ?? '';
    return {
      own: await permitted(idOf, credential),
      unknown: await permitted((type) => unknownLike(idOf(type)), another),
    };
  }

  it('answers ids of other things, of no kind and of no shape as unknown', async () => {
    const ids = [newId('Session'), '01977c2a-5b1e-7fff-8000-3f2b9c4d5e6f', NO_KIND];
    const answers = await Promise.all(ids.map((id) => load(id, own.token)));
    expect(answers.map(({ errors }) => errors?.map(({ extensions }) => extensions.code))).toEqual(
      ids.map(() => ['not_found']),
    );
  });

  it('takes nothing for an id that is no uuid', async () => {
    for (const id of ['x', '', '0']) {
      const { errors } = await load(id, own.token);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['graphql_invalid']);
    }
  });
});

/** A uuid that the gateway has not made. */
const NO_KIND = '00000000-0000-4000-8000-000000000000';

interface Listed {
  readonly data: {
    readonly nodes: ({ readonly __typename: string; readonly id: string } | null)[];
  };
  readonly errors?: readonly (ShownError & { readonly path: readonly (string | number)[] })[];
}

async function loadAll(ids: readonly string[], credential: string | undefined): Promise<Listed> {
  const query = 'query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
  return (await graphql(app, query, { ids }, credential)) as unknown as Listed;
}

describe('nodes(ids)', () => {
  it('loads everything of the own organization, each thing at the place of its id', async () => {
    const ids = TYPES.map((type) => own.ids[type] ?? '');
    const { data, errors } = await loadAll(ids, own.token);
    expect(errors).toBeUndefined();
    expect(data.nodes).toEqual(TYPES.map((type) => ({ __typename: type, id: own.ids[type] })));
    const [first = '', second = ''] = ids;
    const repeated = await loadAll([second, first, second], own.token);
    expect(repeated.data.nodes.map((node) => node?.id)).toEqual([second, first, second]);
  });

  it('has null in the place of foreign and unknown ids, and says no more', async () => {
    const foreignIds = TYPES.map((type) => foreign.ids[type] ?? '');
    const others = [NO_KIND, newId('Session')];
    for (const ids of [foreignIds, foreignIds.map(unknownLike), others]) {
      const { data, errors } = await loadAll([own.keyId, ...ids, own.projectId], own.token);
      expect(errors).toBeUndefined();
      expect(data.nodes).toEqual([
        { __typename: 'ApiKey', id: own.keyId },
        ...ids.map(() => null),
        { __typename: 'Project', id: own.projectId },
      ]);
    }
  });

  it('fails the ids alone that the caller may not read, existing or not', async () => {
    const { key } = await newKey(app, own.token, 'agent');
    const { data, errors } = await loadAll([own.projectId, own.keyId, unknownLike(own.keyId)], key);
    expect(data.nodes).toEqual([{ __typename: 'Project', id: own.projectId }, null, null]);
    expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['nodes', 1], 'permission_denied'],
      [['nodes', 2], 'permission_denied'],
    ]);
  });

  it('asks for a credential, and takes at most a hundred ids', async () => {
    const unnamed = await loadAll([own.keyId, NO_KIND], undefined);
    expect(unnamed.errors?.map(({ extensions }) => extensions.code)).toEqual([
      'missing_credential',
    ]);
    const many = Array.from({ length: NODES_MAX }, () => own.keyId);
    expect((await loadAll(many, own.token)).data.nodes).toHaveLength(NODES_MAX);
    const { errors } = await loadAll([...many, own.keyId], own.token);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['invalid_request']);
    expect((await loadAll([], own.token)).data.nodes).toEqual([]);
  });

  it('reads each kind with one statement, with what hangs on its things', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => newKey(app, own.token, 'agent')));
    const policies = [own.ids.Policy ?? ''];
    for (const name of ['second', 'third']) {
      policies.push((await newPolicy(app, own.token, { name })).id);
    }
    const query = `query($ids: [ID!]!) { nodes(ids: $ids) {
      ... on ApiKey { name } ... on Policy { versions(first: 2) { nodes { id } } }
    } }`;
    const statements = (ids: readonly string[]) =>
      statementsOf(async () => {
        const { errors } = await graphql(app, query, { ids }, own.token);
        expect(errors).toBeUndefined();
      });
    const few = await statements([own.keyId, policies[0] ?? '']);
    expect(await statements([own.keyId, ...keys.map(({ id }) => id), ...policies])).toBe(few);
  });
});
