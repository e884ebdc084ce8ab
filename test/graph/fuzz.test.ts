import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenMembers, spread } from '../rest-compat/fuzz/broken.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../support/app.js';
import { documentOf, madeUp, ROOT_FIELDS, type RootField } from '../support/root-fields.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 500);
});
afterAll(() => app?.stop());

const BROKEN = 25;
const AT_ONCE = 4;
const PATIENCE_MS = 120_000;
/** Which of the broken ones are taken; `FUZZ_SEED` takes others, and a failure names its own. */
const seed = Number(process.env.FUZZ_SEED ?? 20_779);

const FIELDS = ROOT_FIELDS.filter(
  ({ operation, field }) => operation !== 'subscription' && field.args.length > 0,
);

/** A request to the field with every argument, and what its variables are broken into. */
function brokenCalls(root: RootField): readonly { wrong: string; body: string }[] {
  const all = Object.fromEntries(root.field.args.map(({ name, type }) => [name, madeUp(type)]));
  const { query, variables } = documentOf(root, all);
  const head = `{"query":${JSON.stringify(query)},"variables":`;
  const broken = spread([...brokenMembers(variables)], BROKEN, seed);
  return broken.map(([wrong, text]) => ({ wrong, body: `${head}${text}}` }));
}

/** What is wrong with an answer: a fault of the server, or an error without a code. */
async function faultOf(root: RootField, { wrong, body }: { wrong: string; body: string }) {
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${customer.token}`,
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
      const faults: string[] = [];
      const work = async () => {
        for (let next = left.pop(); next; next = left.pop()) {
          faults.push(...(await faultOf(root, next)));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      expect(faults).toEqual([]);
    },
    PATIENCE_MS,
  );
});
