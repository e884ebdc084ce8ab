import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ALIASES_MAX,
  COMPLEXITY_MAX,
  POINTS_PER_MINUTE,
  TOKENS_MAX,
} from '../../src/graph/limits.js';
import { chat, invite, newKey, newPolicy } from '../journeys/people.js';
import { appoint } from '../money/operations/world.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../support/app.js';
import { belongingsOfModules } from '../support/modules.js';
import { ROOT_FIELDS } from '../support/root-fields.js';
import { isPaged, statementsOf, wholePage } from './statements.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app);
});
afterAll(() => app.stop());

interface Failed {
  readonly errors?: readonly { readonly message: string; readonly extensions: object }[];
  readonly extensions?: { readonly cost: number };
}

async function run(query: string, credential = owner.token): Promise<Failed> {
  const { body } = await rest<Failed>(app, 'POST', '/graphql', { credential, body: { query } });
  return body;
}

async function costOf(query: string): Promise<number | undefined> {
  return (await run(query)).extensions?.cost;
}

const UUID = /^[0-9a-f-]{36}$/;

describe('an operation that is refused before it runs', () => {
  it('has code and request id when it does not parse or fit the schema', async () => {
    const shown = (message: string | RegExp) => ({
      errors: [
        {
          message: expect.stringMatching(message),
          locations: expect.any(Array),
          extensions: {
            code: 'graphql_invalid',
            requestId: expect.stringMatching(UUID),
            docUrl: expect.stringMatching(/\/docs\/errors\/graphql_invalid$/),
          },
        },
      ],
    });
    expect(await run('{ me {')).toEqual(shown('Syntax Error'));
    expect(await run('{ mee { kind } }')).toEqual(shown('Did you mean "me"'));
    expect(await run('query($id: ID!) { node(id: $id) { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'graphql_invalid', requestId: expect.stringMatching(UUID) } }],
    });
  });

  it('is told which limit it passes: cost, aliases, tokens', async () => {
    const aliases = Array.from({ length: ALIASES_MAX + 1 }, (_, at) => `a${at}: me { kind }`);
    const refusals = {
      cost: [
        '{ policies(first: 200) { nodes { versions(first: 200) { nodes { id } } } } }',
        `points; ${COMPLEXITY_MAX} are allowed`,
      ],
      aliases: [`{ ${aliases.join(' ')} }`, `more than ${ALIASES_MAX} aliases`],
      tokens: [`{ ${'me { kind } '.repeat(TOKENS_MAX / 4 + 1)} }`, `${TOKENS_MAX} tokens`],
    };
    for (const [query = '', message = ''] of Object.values(refusals)) {
      const { errors } = await run(query);
      expect(errors?.[0]).toMatchObject({
        message: expect.stringContaining(message),
        extensions: { code: 'query_too_complex', requestId: expect.stringMatching(UUID) },
      });
    }
  });

  it('cannot go round in the schema of the schema, where no cost is counted', async () => {
    const round = (levels: number): string =>
      levels === 0 ? 'name' : `fields { type { ${round(levels - 1)} } }`;
    expect((await run(`{ __schema { types { ${round(1)} } } }`)).errors).toBeUndefined();
    const { errors } = await run(`{ __schema { types { ${round(4)} } } }`);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'graphql_invalid' });
  });

  it('may have as many aliases as are allowed', async () => {
    const aliases = Array.from({ length: ALIASES_MAX }, (_, at) => `a${at}: me { kind }`);
    expect((await run(`{ ${aliases.join(' ')} }`)).errors).toBeUndefined();
  });

  it('may spell every field in its own way, as long as each has one name', async () => {
    const fields = [...'abcdefghijklmnopqrst'].map((name) => `${name}: code`);
    const entries = `errorCatalogue { a: code b: message c: cause d: status e: type }`;
    const types = `__schema { q: queryType { r: name s: description t: kind } u: description
      f: mutationType { g: fields { h: name i: description j: isDeprecated } } }`;
    expect((await run(`{ ${entries} ${types} }`)).errors?.[0]?.message).toBeUndefined();
    const { errors } = await run(`{ errorCatalogue { ${fields.join(' ')} } }`);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'query_too_complex' });
  });
});

describe('the price of an operation', () => {
  it('is about one point for each item that it may return, and is told', async () => {
    expect(await costOf('{ apiKeys(first: 50) { nodes { id name keyType } } }')).toBe(51);
    expect(await costOf('{ apiKeys { nodes { id } } }')).toBe(51);
    expect(await costOf('{ ledger(first: 10) { edges { node { id amountRub } } } }')).toBe(11);
    expect(await costOf('{ usage(first: 200) { nodes { id tokens { inputCached } } } }')).toBe(201);
    expect(await costOf('{ me { kind } }')).toBe(1);
  });

  it('multiplies where lists are nested', async () => {
    const query = '{ policies(first: 10) { nodes { versions(first: 5) { nodes { version } } } } }';
    expect(await costOf(query)).toBe(1 + 10 * (1 + 1 + 5));
  });

  it('comes off the minute of the caller alone, who is refused when it is spent', async () => {
    const spender = await newKey(app, owner.token, 'standard');
    const left = async (credential: string) => {
      const { data } = await graphql<{ rateLimit: { limit: number; remaining: number } }>(
        app,
        '{ rateLimit { limit remaining } }',
        {},
        credential,
      );
      return data.rateLimit;
    };
    const whole = await left(spender.key);
    expect(whole.limit).toBe(POINTS_PER_MINUTE);
    const dear = '{ policies(first: 24) { nodes { versions(first: 200) { nodes { id } } } } }';
    const price = 1 + 24 * (1 + 1 + 200);
    expect((await run(dear, spender.key)).extensions?.cost).toBe(price);
    expect((await left(spender.key)).remaining).toBeLessThan(whole.remaining);
    const codes = new Set<unknown>();
    for (let asked = 0; asked < 40 && !codes.has('rate_limit_points'); asked += 1) {
      const { errors } = await run(dear, spender.key);
      codes.add((errors?.[0]?.extensions as { code?: string } | undefined)?.code);
    }
    expect(codes).toEqual(new Set([undefined, 'rate_limit_points']));
    expect((await run('{ me { kind } }')).errors).toBeUndefined();
  });
});

describe('a page', () => {
  const codes = async (query: string) =>
    (await run(query)).errors?.map(({ extensions }) => (extensions as { code: string }).code);

  it('has 1 to 200 items and is read in one direction; nothing is clamped silently', async () => {
    for (const list of ['apiKeys', 'usage', 'ledger', 'policies', 'auditEvents']) {
      for (const size of [0, -1, 201]) {
        expect(await codes(`{ ${list}(first: ${size}) { nodes { id } } }`)).toEqual([
          'invalid_request',
        ]);
      }
      expect(await codes(`{ ${list}(first: 200) { nodes { id } } }`)).toBeUndefined();
    }
    expect(await codes('{ apiKeys(first: 1, last: 1) { nodes { id } } }')).toEqual([
      'invalid_request',
    ]);
  });

  it('refuses every cursor that no list has given out', async () => {
    const texts = ['x', 'GPC:S:x', 'GPC:S:', 'GPC:N:1', 'GPC:J:[1]', 'k:', 'k:-1', 'k:1e3'];
    const cursors = [...texts, `k:${2n ** 63n}`, `k:${'9'.repeat(19)}`].map((text) =>
      Buffer.from(text).toString('base64'),
    );
    for (const cursor of [...cursors, '', '🙂', 'a'.repeat(5_000)]) {
      for (const path of ['/api-keys', '/usage', '/billing/ledger', '/v1/gw/policies']) {
        const answer = await rest<{ error: { code: string; param: string } }>(
          app,
          'GET',
          `${path}?cursor=${encodeURIComponent(cursor)}`,
          { credential: owner.token },
        );
        if (cursor === '' && answer.status === 200) continue;
        expect([path, cursor, answer.status, answer.body.error?.code]).toEqual([
          path,
          cursor,
          400,
          'invalid_cursor',
        ]);
      }
    }
    await rest(app, 'POST', '/v1/gw/policies', { credential: owner.token, body: {} });
    const nested = '{ policies(first: 1) { nodes { versions(after: "x") { nodes { id } } } } }';
    expect(await codes(nested)).toEqual(['invalid_cursor']);
  });
});

/** Enough that a statement for each item shows. */
const MANY = 5;
/** What the node does by itself may go on for a second or two where others are at work. */
const TURNS_MAX = 40;
const PAUSE_MS = 50;

describe('a list', () => {
  let crowd: Customer;
  /** The ids of what the crowd made last, for lists that are parts of one thing. */
  let ids: Readonly<Record<string, string>>;
  beforeAll(async () => {
    crowd = await newCustomer(app, 500);
    // Some lists are for administrators of the platform.
    appoint(app, crowd.userId);
    for (let made = 0; made < MANY; made += 1) {
      await newKey(app, crowd.token, 'agent');
      await newPolicy(app, crowd.token, { name: `policy ${made}` });
      await invite(app, crowd.token, 'viewer');
      await graphql(app, PROJECT, { name: `project ${made}` }, crowd.token);
      ids = await belongingsOfModules(app, crowd);
    }
    const { Prompt: prompt = '' } = ids;
    for (let made = 0; made < MANY; made += 1) {
      const path = `/v1/gw/prompts/${prompt}`;
      const body = { template: `Be kind ${made} times.` };
      await rest(app, 'POST', `${path}/versions`, { credential: crowd.token, body });
      await rest(app, 'POST', `${path}/test`, { credential: crowd.token, body: {} });
    }
    await Promise.all([1, 2, 3].map(() => chat(app, crowd.key)));
  }, 120_000);

  it.each(ROOT_FIELDS.filter(isPaged))(
    '$name makes the same statements for two items as for many',
    async (root) => {
      const statements = async (first: number) => {
        const { query, variables } = wholePage(root, first);
        const given = {
          ...variables,
          ...('promptId' in variables && { promptId: ids.Prompt }),
          ...(root.name === 'promptEvaluationResults' && { id: ids.PromptEvaluation }),
        };
        return statementsOf(async () => {
          const { errors } = await graphql(app, query, given, crowd.token);
          expect(errors).toBeUndefined();
        });
      };
      // What the node asks by itself meanwhile only adds to them: the least is the list's own.
      let [few, many] = [Infinity, Infinity];
      for (let turn = 0; turn < TURNS_MAX; turn += 1) {
        few = Math.min(few, await statements(2));
        many = Math.min(many, await statements(MANY));
        if (few === many) break;
        await sleep(PAUSE_MS);
      }
      expect(few).toBe(many);
    },
  );
});

const PROJECT = 'mutation($name: String!) { projectCreate(name: $name) { id } }';
