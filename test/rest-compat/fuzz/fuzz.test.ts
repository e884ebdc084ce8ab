import { dereference } from '@readme/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleRequest } from '../../../rest-compat/example.js';
import { publishedPath } from '../../../rest-compat/rest-directive.js';
import type { CompiledRow } from '../../../rest-compat/row.js';
import { loadRestTable } from '../../../src/app/rest.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { BROKEN_MIN, type BrokenRequest, brokenRequests, spread } from './broken.js';

interface MediaType {
  readonly schema?: object;
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>
  >;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

let app: TestApp;
let paths: Paths;
const { rows } = await loadRestTable();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
/** Which of the broken ones are taken; `FUZZ_SEED` takes others, and a failure names its own. */
const seed = Number(process.env.FUZZ_SEED ?? 20_779);

beforeAll(async () => {
  app = await startApp();
  const { body } = await rest(app, 'GET', '/openapi.json');
  ({ paths } = (await dereference(body as never)) as unknown as { paths: Paths });
});
afterAll(() => app?.stop());

/** A group of operations, each asked fifty times. */
const PATIENCE_MS = 180_000;
const AT_ONCE = 4;
const WAIT_MS_MAX = 20_000;

async function ask(row: CompiledRow, broken: BrokenRequest, customer: Customer): Promise<string[]> {
  const { method, path: template, auth } = row.contract;
  const path = template.replace(/\{\+?(\w+)\}/g, (_, name: string) => broken.path[name] ?? '');
  const asked = `${row.name}, ${broken.wrong} (seed ${seed})`;
  const response = await fetch(`${app.url}${path}?${broken.query}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(auth === 'B' && { authorization: `Bearer ${customer.token}` }),
    },
    redirect: 'manual',
    signal: AbortSignal.timeout(WAIT_MS_MAX),
    ...(method !== 'GET' && broken.body !== undefined && { body: broken.body }),
  });
  const text = await response.text();
  if (response.status >= 500) return [`${asked}: ${response.status} ${text.slice(0, 300)}`];
  // A path that has become another one, by `..` already in the client, is another operation's.
  const hasSteps = Object.values(broken.path).some((value) => value.includes('..'));
  const isElsewhere = response.status === 404 && text.includes('"unknown_url"');
  if (hasSteps || isElsewhere) return [];
  return contradictions(row, response, text).map((fault) => `${asked}: ${fault}`);
}

/** What an answer has that the description does not. */
function contradictions(row: CompiledRow, response: Response, text: string): string[] {
  const { path, method } = row.contract;
  const documented = paths[publishedPath(path)]?.[method.toLowerCase()]?.responses;
  const answer =
    documented?.[response.status] ?? documented?.[`${Math.floor(response.status / 100)}XX`];
  if (!answer) return [`${response.status} is not documented: ${text.slice(0, 200)}`];
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0] ?? '';
  if (text === '' && !answer.content) return [];
  const media = answer.content?.[type];
  if (!media) return [`${response.status} in ${type} is not documented`];
  if (type !== 'application/json' || !media.schema) return [];
  if (ajv.validate(media.schema, JSON.parse(text))) return [];
  return [`${response.status}: ${ajv.errorsText()}: ${text.slice(0, 200)}`];
}

/** Every fault that an operation shows; requests go a few at a time. */
async function faultsOf(row: CompiledRow, customer: Customer): Promise<string[]> {
  const all = brokenRequests(exampleRequest(row));
  expect(all.length).toBeGreaterThanOrEqual(BROKEN_MIN);
  const left = [...spread(all, BROKEN_MIN, seed)];
  const faults: string[] = [];
  const work = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      faults.push(...(await ask(row, next, customer)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return faults;
}

const groups = new Map<string, CompiledRow[]>();
for (const row of rows) {
  const [, first = '', second = '', third = ''] = row.contract.path.split('/');
  const group = second === 'gw' ? third : first;
  groups.set(group, [...(groups.get(group) ?? []), row]);
}

describe('fifty broken requests of each operation', () => {
  it.each([...groups])(
    'under %s are answered as the description says',
    async (_, members) => {
      const customer = await newCustomer(app, 500);
      const faults: string[] = [];
      for (const row of members) faults.push(...(await faultsOf(row, customer)));
      expect(faults).toEqual([]);
    },
    PATIENCE_MS,
  );
});
