import { type GraphQLInputType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenMembers, spread } from '../rest-compat/fuzz/broken.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../support/app.js';
import {
  CHANGES_ITS_CALLER,
  documentOf,
  madeUp,
  ROOT_FIELDS,
  type RootField,
} from '../support/root-fields.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 500);
});
afterAll(() => app?.stop());

const BROKEN = 50;
const AT_ONCE = 4;
const PATIENCE_MS = 120_000;
/** Which of the broken ones are taken; `FUZZ_SEED` takes others, and a failure names its own. */
const seed = Number(process.env.FUZZ_SEED ?? 20_779);

const FIELDS = ROOT_FIELDS.filter(
  ({ operation, field }) => operation !== 'subscription' && field.args.length > 0,
);

interface BrokenCall {
  readonly wrong: string;
  readonly body: string;
}

/**
 * Requests to the field with every argument, whose variables are broken: half of them hold no more
 * than they have to, half hold everything that they may, and where the arguments are too few for
 * fifty, the request itself is broken.
 */
function brokenCalls(root: RootField): readonly BrokenCall[] {
  const least = Object.fromEntries(root.field.args.map(({ name, type }) => [name, madeUp(type)]));
  const most = Object.fromEntries(root.field.args.map(({ name, type }) => [name, filled(type)]));
  const { query, variables } = documentOf(root, least);
  const head = `{"query":${JSON.stringify(query)},"variables":`;
  const ofVariables = (given: object, count: number) =>
    spread([...brokenMembers({ ...given })], count, seed).map(([wrong, text]) => ({
      wrong,
      body: `${head}${text}}`,
    }));
  const few = ofVariables(variables, BROKEN / 2);
  const broken = [...few, ...ofVariables({ ...variables, ...most }, BROKEN - few.length)];
  const request = { query, variables, operationName: null, extensions: {} };
  const whole = [...brokenMembers(request)].map(([wrong, body]) => ({ wrong, body }));
  return [...broken, ...spread(whole, BROKEN - broken.length, seed)];
}

const LEVELS = 4;

/** A value with everything in it that a type has room for, so many levels deep. */
function filled(type: GraphQLInputType, levels = LEVELS): unknown {
  if (isNonNullType(type)) return filled(type.ofType, levels);
  if (isListType(type)) return [filled(type.ofType, levels)];
  if (!isInputObjectType(type) || levels === 0) return madeUp(type);
  const fields = Object.values(type.getFields());
  return Object.fromEntries(fields.map((field) => [field.name, filled(field.type, levels - 1)]));
}

/** What is wrong with an answer: a fault of the server, or an error without a code. */
async function faultOf(
  root: RootField,
  { token }: Customer,
  { wrong, body }: { wrong: string; body: string },
) {
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    },
    body,
  });
  const text = await response.text();
  const asked = `${root.name}, ${wrong} (seed ${seed})`;
  const isFault = response.status >= 500 || text.includes('"internal_error"');
  if (isFault) return [`${asked}: ${response.status} ${text.slice(0, 300)}`];
  const { errors = [] } = JSON.parse(text) as { errors?: { extensions?: { code?: string } }[] };
  return errors.some(({ extensions }) => extensions?.code === undefined)
    ? [`${asked}: an error without a code: ${text.slice(0, 300)}`]
    : [];
}

describe('broken variables', () => {
  it.each(FIELDS)(
    'of $operation $name are refused, never a fault of the server',
    async (root) => {
      const left = [...brokenCalls(root)];
      expect(left).toHaveLength(BROKEN);
      const faults: string[] = [];
      const asking = CHANGES_ITS_CALLER.has(root.name) ? await newCustomer(app) : customer;
      const work = async () => {
        for (let next = left.pop(); next; next = left.pop()) {
          faults.push(...(await faultOf(root, asking, next)));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      expect(faults).toEqual([]);
    },
    PATIENCE_MS,
  );
});
