import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { type Document, ownManifest } from './own-manifest.js';
import { charged, micro, requestIds, run } from './wire.js';

const STORE =
  'mutation($m: JSON!) { blueprintManifestStore(manifest: $m) { blueprintId version ' +
  'alreadyStored manifest manifestHash lint { errorCount findings { rule } } } }';
const LINT =
  'query($m: JSON!) { blueprintManifestLint(manifest: $m) { errorCount warningCount ' +
  'findings { rule path } } }';
const LISTED = '{ blueprints { id origin } }';

interface Stored {
  readonly blueprintManifestStore: {
    readonly version: number;
    readonly manifestHash: string;
    readonly alreadyStored: boolean;
  } | null;
}

let app: TestApp;
let owner: Customer;
let stranger: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
  stranger = await newCustomer(app, 500);
});
afterAll(() => app.stop());

async function store(manifest: unknown, { token } = owner) {
  const { data, errors } = await graphql<Stored>(app, STORE, { m: manifest }, token);
  return { stored: data?.blueprintManifestStore, errors };
}

async function listed(token?: string): Promise<string[]> {
  const { data } = await graphql<{ blueprints: { id: string; origin: string }[] }>(
    app,
    LISTED,
    {},
    token,
  );
  return data.blueprints.filter(({ origin }) => origin === 'own').map(({ id }) => id);
}

describe('a manifest of a customer', () => {
  it('is linted as the built-in ones are, and nothing is stored by it', async () => {
    const wrong: Document = ownManifest();
    wrong.steps.push({ ...wrong.steps[0] });
    const good = await graphql(app, LINT, { m: ownManifest() }, owner.token);
    const bad = await graphql(app, LINT, { m: wrong }, owner.token);
    expect([good.data, bad.data]).toEqual([
      { blueprintManifestLint: { errorCount: 0, warningCount: 0, findings: [] } },
      {
        blueprintManifestLint: expect.objectContaining({
          findings: expect.arrayContaining([{ rule: 'duplicate_step_id', path: 'steps.3.id' }]),
        }),
      },
    ]);
    expect(await listed(owner.token)).toEqual([]);
  });

  it('is read as well where it stands in the document itself', async () => {
    const query = '{ blueprintManifestLint(manifest: { id: "mine" }) { findings { rule path } } }';
    const { data, errors } = await graphql<{
      blueprintManifestLint: { findings: { rule: string }[] };
    }>(app, query, {}, owner.token);
    expect(errors).toBeUndefined();
    expect(data.blueprintManifestLint.findings[0]?.rule).toBe('manifest_invalid');
  });

  it('is told from the built-in ones over REST as over GraphQL', async () => {
    const other = await newCustomer(app, 0);
    await store(ownManifest(), other);
    const path = '/v1/gw/blueprints';
    const { body } = await rest<{ data: { id: string; origin: string }[] }>(app, 'GET', path, {
      credential: other.token,
    });
    const own = body.data.filter(({ origin }) => origin === 'own');
    expect(own.map(({ id }) => id)).toEqual([ownManifest().id]);
    const one = await rest<{ origin: string }>(app, 'GET', `${path}/${ownManifest().id}`, {
      credential: other.token,
    });
    expect(one.body.origin).toBe('own');
  });

  it('is stored in versions, listed, read, run and deployed by the same operations', async () => {
    const first = ownManifest();
    const second = { ...first, version: '1.1.0' };
    const versions = [await store(first), await store(first), await store(second)];
    expect(versions.map(({ stored }) => [stored?.version, stored?.alreadyStored])).toEqual([
      [1, false],
      [1, true],
      [2, false],
    ]);
    const hash = versions[2]?.stored?.manifestHash;
    expect(await listed(owner.token)).toEqual(['acme-triage']);
    const path = '/v1/gw/blueprints';
    const credential = owner.token;
    const list = await rest<{ data: { id: string }[] }>(app, 'GET', path, { credential });
    expect(JSON.stringify(list.body)).toContain('acme-triage');
    const read = await rest(app, 'GET', `${path}/acme-triage`, { credential });
    expect(read.body).toMatchObject({ version: '1.1.0', manifest: second, manifest_hash: hash });
    const { body } = await run(app, owner, 'acme-triage');
    expect(body).toMatchObject({ status: 'completed', manifest_hash: hash });
    expect(await charged(app, owner, requestIds(body))).toBe(micro(body.cost_rub));
    const deployed = await rest(app, 'POST', `${path}/acme-triage/deploy`, {
      credential,
      body: {},
    });
    expect(deployed.body).toMatchObject({ blueprint_id: 'acme-triage', manifest_hash: hash });
    const tests = deployed.body.tests as { code: string; passed: boolean }[];
    const passed = tests.filter((test) => test.passed).map(({ code }) => code);
    expect(passed).toContain('manifest_lint');
    // Its run is simulated, and no golden case says what its checks are worth.
    expect(tests.find(({ code }) => code === 'sandbox_run')).toMatchObject({
      passed: false,
      evidence: expect.stringContaining('simulated, which proves nothing; golden cases: 0 of 0'),
    });
  });

  it('of another organization behaves like one that does not exist', async () => {
    await store(ownManifest('acme-secret'));
    expect(await listed(stranger.token)).toEqual([]);
    expect(await listed()).toEqual([]);
    const credential = stranger.token;
    for (const id of ['acme-secret', 'no-such-one']) {
      const path = `/v1/gw/blueprints/${id}`;
      const answers = [
        await rest(app, 'GET', path, { credential }),
        await rest(app, 'POST', `${path}/run`, { credential, body: {} }),
        await rest(app, 'POST', `${path}/deploy`, { credential, body: {} }),
      ];
      expect(answers.map(outcome)).toEqual(Array(3).fill('404 blueprint_unknown'));
    }
    expect((await store(ownManifest('acme-secret'), stranger)).stored?.version).toBe(1);
  });

  it.each<[string, (document: Document) => unknown, string]>([
    ['an id of the server', (d) => ({ ...d, id: 'contract-review' }), 'manifest.id'],
    ['no object', () => [1], 'manifest'],
    ['another shape', (d) => ({ ...d, version: 1 }), 'manifest.version'],
    ['64 KiB', (d) => ({ ...d, description: 'x'.repeat(65_536) }), 'manifest'],
    [
      'more levels than are looked at',
      (d) => ({ ...d, example_input: JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) }),
      'manifest',
    ],
    ['a number that is not exact', (d) => ({ ...d, example_input: { a: 2 ** 60 } }), 'manifest'],
    ['half of a character', (d) => ({ ...d, name: '\ud800' }), 'manifest.name'],
    ['U+0000', (d) => ({ ...d, example_input: { a: 'a\0' } }), 'manifest.example_input.a'],
    ['too many steps', (d) => ({ ...d, steps: Array(13).fill(d.steps[0]) }), 'manifest.steps'],
    [
      'a reference in a schema',
      (d) => ({ ...d, input_schema: { type: 'object', properties: { a: { $ref: '#' } } } }),
      'manifest.input_schema.properties.a.$ref',
    ],
    [
      'a pattern that takes exponential time',
      (d) => ({ ...d, input_schema: { properties: { a: { pattern: '(?=(a+)+$)' } } } }),
      'manifest.input_schema.properties.a.pattern',
    ],
    [
      'a pattern that is large when compiled',
      (d) => ({ ...d, input_schema: { properties: { a: { pattern: '.{1000}'.repeat(28) } } } }),
      'manifest.input_schema.properties.a.pattern',
    ],
    [
      'a schema that does not compile',
      (d) => ({ ...d, input_schema: { type: 'nothing' } }),
      'manifest.input_schema.type',
    ],
    [
      'a template that does not parse',
      (d) => ({ ...d, steps: [{ ...d.steps[0], template: '[user]\n{% include "x" %}' }] }),
      'manifest.steps.0.template',
    ],
    [
      'a cost without a bound',
      (d) => ({ ...d, steps: [{ ...d.steps[0], max_output_tokens: undefined }] }),
      'manifest.models.primary',
    ],
  ])('is refused with %s, and the place is named', async (_name, change, path) => {
    const { stored, errors } = await store(change(ownManifest('acme-refused')));
    expect(stored ?? null).toBe(null);
    const faults = errors?.[0]?.extensions.faults as { path: string }[] | undefined;
    expect(errors?.[0]?.extensions.code).toBe('invalid_request');
    expect(faults?.map((fault) => fault.path)).toContain(path);
    expect(await listed(owner.token)).not.toContain('acme-refused');
  });
});

describe('the output schema of a step', () => {
  it('judges what a transform computes: the violation is named and the run fails', async () => {
    const manifest = ownManifest('acme-counted');
    manifest.steps.unshift({
      id: 'counted',
      type: 'transform',
      title: 'Счёт',
      with: { queues: 'input.queues' },
      set: { queues: { operation: 'count', of: 'queues' } },
      output_schema: {
        type: 'object',
        properties: { queues: { type: 'integer', minimum: 100 }, other: { enum: ['a'] } },
        required: ['queues', 'other'],
      },
    });
    expect((await store(manifest)).errors).toBe(undefined);
    const { status, body } = await run(app, owner, 'acme-counted');
    expect([status, body.status, body.cost_rub, body.steps.length]).toEqual([200, 'failed', 0, 1]);
    expect(body.steps[0]).toMatchObject({
      step: 'counted',
      status: 'failed',
      error_code: 'blueprint_step_output_invalid',
      output_valid: false,
      reason:
        'The output of the step counted does not satisfy its output schema: ' +
        'output.other is missing. output.queues must be >= 100.',
    });
  });

  it('judges what a retrieval finds', async () => {
    const manifest = ownManifest('acme-found');
    const [{ ...llm } = {}, ...rest] = manifest.steps;
    manifest.input_schema.properties.documents = {
      type: 'array',
      maxItems: 2,
      items: {
        type: 'object',
        properties: {
          id: { type: 'string', maxLength: 9 },
          text: { type: 'string', maxLength: 9 },
        },
      },
    };
    const found = {
      id: 'found',
      type: 'retrieve',
      title: 'Поиск',
      with: { documents: 'input.documents', query: 'input.subject' },
      top: 1,
      output_schema: { properties: { found: { minimum: 1 } } },
    };
    const when = { ref: 'steps.found.found', operator: 'above', value: 0 };
    manifest.steps = [found, { ...llm, when }, ...rest];
    expect((await store(manifest)).errors).toBe(undefined);
    const { body } = await run(app, owner, 'acme-found');
    expect(body.steps[0]).toMatchObject({
      error_code: 'blueprint_step_output_invalid',
      output: { found: 0, passages: [] },
    });
  });

  it('of a template that repeats a value, the cost is known before it is sent', async () => {
    const manifest = ownManifest('acme-loud');
    const [first] = manifest.steps;
    const text = String(first?.template);
    const again = `${text}{% for a in (1..900) %}«{{ body }}»{% endfor %}`;
    manifest.steps[0] = { ...first, template: again };
    expect((await store(manifest)).errors).toBe(undefined);
    const body = 'Третий день жду счёт. '.repeat(20);
    const input = { subject: 'Счёт', body, queues: ['Бухгалтерия'] };
    const answer = await run(app, owner, 'acme-loud', { input });
    expect(answer.body).toMatchObject({ status: 'failed', cost_rub: 0 });
    expect(answer.body.steps[0]?.error_code).toBe('blueprint_step_cost_exceeded');
  });
});
