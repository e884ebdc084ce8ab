import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRestTable } from '../../../src/app/rest.js';
import { rest, startApp, type TestApp } from '../../support/app.js';
import { backdateTenants, type Example, ExampleRun, type RanExample } from './examples.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: Record<string, unknown> }>>;
  };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

/** What seals a period that is over, which an organization of today does not have. */
const OF_ENDED_PERIODS = ['sealBillingIntegrity', 'closeMonth'];

const rows = new Map((await loadRestTable()).rows.map((row) => [row.name, row]));
let app: TestApp;
let description: Description;
let operations: readonly Operation[];
beforeAll(async () => {
  app = await startApp();
  description = (await rest<Description>(app, 'GET', '/openapi.json')).body;
  operations = Object.values(description.paths).flatMap((item) => Object.values(item));
});
afterAll(() => app?.stop());

function rowOf({ operationId }: Operation) {
  const row = rows.get(operationId.charAt(0).toUpperCase() + operationId.slice(1));
  if (!row) throw new Error(`no row is called ${operationId}`);
  return row;
}

/** The example of an operation, read from the description alone. */
function exampleIn({ parameters = [], requestBody }: Operation): Example {
  const named = description.components.parameters;
  const all = parameters.map((each) => named[each.$ref?.split('/').at(-1) ?? ''] ?? each);
  const of = (place: string) =>
    Object.fromEntries(
      all
        .filter((each) => each.in === place && each.example !== undefined)
        .map(({ name, example }) => [name, String(example)]),
    );
  return {
    path: of('path'),
    query: of('query'),
    body: requestBody && (requestBody.content['application/json']?.example ?? {}),
  };
}

describe('the description, read from its begin to its end on a fresh server', () => {
  const answers: RanExample[] = [];
  const early: string[] = [];
  beforeAll(async () => {
    const run = new ExampleRun(app, [...rows.values()]);
    for (const operation of operations) {
      const row = rowOf(operation);
      const lacked = run.lackedBy(row);
      if (lacked) early.push(`${operation.operationId} comes before ${lacked}, which it needs`);
      if (OF_ENDED_PERIODS.includes(operation.operationId)) await backdateTenants(app);
      answers.push(await run.run(row, exampleIn(operation)));
    }
  });

  it('tells of what is made before it tells of what is done with it', () => {
    expect(early).toEqual([]);
  });

  it('has an example for every operation that works as it stands', () => {
    const wrong = answers.filter(({ row, status }) => status !== row.contract.status);
    expect(wrong.map(({ asked, status, body }) => ({ asked, status, body }))).toEqual([]);
    expect(answers).toHaveLength(operations.length);
  });
});
