import { compileErrors, dereference, validate } from '@readme/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RecordedAnswer, readAnswers } from '../../../rest-compat/answers.js';
import { exampleRequest } from '../../../rest-compat/example.js';
import { publishedPath } from '../../../rest-compat/rest-directive.js';
import type { CompiledRow } from '../../../rest-compat/row.js';
import { ANSWERS_FILE } from '../../../src/app/description.js';
import { loadRestTable } from '../../../src/app/rest.js';
import { rest, startApp, type TestApp } from '../../support/app.js';
import { backdateTenants, ExampleRun, inRunningOrder, type RanExample } from './examples.js';
import { isBuiltAlike, withSamples } from './samples.js';

interface MediaType {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: object;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>
  >;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Types whose content a browser would run as a program of this server. */
const BY_BROWSERS = ['text/html', 'image/svg+xml'];

let app: TestApp;
let text: string;
let description: Description;
const rows = (await loadRestTable()).rows;
beforeAll(async () => {
  app = await startApp();
  const { status, body } = await rest(app, 'GET', '/openapi.json');
  expect(status).toBe(200);
  text = JSON.stringify(body);
  description = (await dereference(JSON.parse(text))) as unknown as Description;
});
afterAll(() => app?.stop());

function operationOf({ contract }: CompiledRow): Operation | undefined {
  return description.paths[publishedPath(contract.path)]?.[contract.method.toLowerCase()];
}

describe('the OpenAPI description', () => {
  it('is valid without errors and warnings', async () => {
    const result = await validate(JSON.parse(text));
    expect(result, compileErrors(result)).toMatchObject({ valid: true, warnings: [] });
  });

  it('holds every row and nothing else, each with the example of the row', () => {
    const documented = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    const served = rows.map(({ contract: { method, path } }) => {
      return `${method.toLowerCase()} ${publishedPath(path)}`;
    });
    expect(documented.sort()).toEqual([...new Set(served)].sort());
    for (const row of rows.filter(({ condition }) => !condition)) {
      const body = operationOf(row)?.requestBody?.content['application/json']?.example;
      const { body: expected } = exampleRequest(row);
      if (body !== undefined) expect({ [row.name]: body }).toEqual({ [row.name]: expected });
    }
  });
});

describe('the examples, run in order on a fresh server', () => {
  const answers: RanExample[] = [];
  beforeAll(async () => {
    const run = new ExampleRun(app, rows);
    for (const row of inRunningOrder(rows)) {
      const answer = await run.run(row);
      answers.push(answer);
      if (row.name === 'RegisterTenant') await backdateTenants(app);
    }
  });

  it('are answered with the documented status', () => {
    const wrong = answers.filter(({ row, status }) => status !== row.contract.status);
    expect(wrong.map(({ asked, status, body }) => ({ asked, status, body }))).toEqual([]);
    expect(answers).toHaveLength(rows.length);
    expect(answers.filter(({ requestId }) => requestId === null)).toEqual([]);
  });

  it('are answered in a documented content type, true to its schema', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    const wrong = answers.flatMap(({ row, asked, status, contentType, body }) => {
      const media = operationOf(row)?.responses[status]?.content?.[contentType];
      if (!media?.schema) return [`${asked}: ${contentType} is not documented`];
      if (contentType !== 'application/json') return [];
      return ajv.validate(media.schema, body) ? [] : [`${asked}: ${ajv.errorsText()}`];
    });
    expect(wrong).toEqual([]);
  });

  // Values differ from run to run; what is built alike stands as it is. `-u` writes the others.
  it('are answered as the description shows it', async () => {
    const recorded = readAnswers(ANSWERS_FILE);
    // A file of bytes has no example.
    const shown = answers.filter(({ row }) => row.contract.codec !== 'BASE64');
    const lines = shown.map((answer) => {
      const now = recordOf(answer);
      const before = recorded.get(now.operation);
      const isFresh =
        before?.contentType === now.contentType && isBuiltAlike(before.body, now.body);
      return JSON.stringify(isFresh ? before : now);
    });
    await expect(`${lines.sort().join('\n')}\n`).toMatchFileSnapshot(ANSWERS_FILE);
  });

  it('load and run nothing in a browser, where they are pages or pictures', () => {
    const shown = answers.filter(({ contentType }) => BY_BROWSERS.includes(contentType));
    const open = shown.filter(({ policy }) => !policy?.startsWith("default-src 'none'"));
    expect(open.map(({ asked }) => asked)).toEqual([]);
    expect(new Set(shown.map(({ contentType }) => contentType))).toEqual(new Set(BY_BROWSERS));
  });

  it('are shown in every operation', () => {
    const silent = rows.filter(({ contract, condition, ...row }) => {
      const content = Object.values(
        operationOf({ contract, condition, ...row })?.responses[contract.status]?.content ?? {},
      );
      return !content.some(({ example, examples }) => example !== undefined || examples);
    });
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

/** A stream is shown by its first event, since its schema is that of one. */
function recordOf({ row, contentType, body }: RanExample): RecordedAnswer {
  const [event = ''] = contentType === 'text/event-stream' ? String(body).split('\n\n') : [];
  const whole = event === '' ? body : JSON.parse(event.replace(/^data: /, ''));
  return { operation: row.name, contentType, body: withSamples(whole, app.url) };
}
