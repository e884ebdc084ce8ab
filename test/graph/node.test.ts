import { isInterfaceType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/app/schema.js';
import { newKey, newMember } from '../journeys/people.js';
import { graphql, startApp, type TestApp } from '../support/app.js';
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
      [own.keyId, unknownLike(own.keyId), 'no-such-id'].map((id) => shown(id, undefined)),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('"code":"missing_credential"');
  });

  it('needs the permission of the list of the thing, existing or not', async () => {
    const { key } = await newKey(app, own.token, 'agent');
    const readable = await readableBy(key);
    // An agent's key reads the profile: the organization and its projects.
    expect(readable).toEqual({ own: ['Project', 'Tenant'], unknown: ['Project', 'Tenant'] });
    const viewer = await newMember(app, own.token, 'viewer');
    const all = TYPES.filter((type) => type !== 'AuditEvent').sort();
    expect(await readableBy(viewer.token)).toEqual({ own: all, unknown: all });
  });

  async function readableBy(credential: string) {
    const permitted = async (idOf: (type: string) => string) => {
      const answers = await Promise.all(TYPES.map((type) => shown(idOf(type), credential)));
      const isRefused = (at: number) => answers[at]?.includes('"code":"permission_denied"');
      return TYPES.filter((_, at) => !isRefused(at)).sort();
    };
    const idOf = (type: string) => own.ids[type] ?? '';
    return {
      own: await permitted(idOf),
      unknown: await permitted((type) => unknownLike(idOf(type))),
    };
  }

  it('answers ids of other things, of no kind and of no shape as unknown', async () => {
    const ids = [own.ids.Request ?? '', '01977c2a-5b1e-7fff-8000-3f2b9c4d5e6f', 'x', ''];
    const answers = await Promise.all(ids.map((id) => load(id, own.token)));
    expect(answers.map(({ errors }) => errors?.map(({ extensions }) => extensions.code))).toEqual(
      ids.map(() => ['not_found']),
    );
  });
});
