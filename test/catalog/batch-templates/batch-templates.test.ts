import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { batchPrice, servesTemplate } from '../../../src/catalog/batch-templates/price.rules.js';
import {
  BATCH_TEMPLATES,
  BATCH_TEMPLATES_FILE,
  BATCH_TEMPLATES_PATH,
} from '../../../src/catalog/batch-templates/templates.js';
import { listPrice } from '../../../src/catalog/providers/price.js';
import { yamlFile } from '../../../src/platform/data-file.js';
import { graphql, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const PATH = '/v1/gw/batches/templates';
type Body = Record<string, unknown>;

describe('the file of templates', () => {
  it('satisfies its JSON Schema, and names models of the catalogue', async () => {
    const schema = z.toJSONSchema(BATCH_TEMPLATES_FILE, { unrepresentable: 'any' });
    const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
    validate(yamlFile(BATCH_TEMPLATES_PATH));
    expect(validate.errors).toBeNull();
    expect(validate({ templates: [{ code: 'X' }] })).toBe(false);
    const codes = BATCH_TEMPLATES.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    const models = app.server.services.registry.providers.flatMap(({ models: all }) => all);
    const ids = new Set(models.map(({ id }) => id));
    expect(BATCH_TEMPLATES.filter(({ model }) => !ids.has(model))).toEqual([]);
  });
});

describe('a template', () => {
  it('is priced by the list price in force, and says from when packing pays', async () => {
    const { status, body } = await rest<{ data: Body[] }>(app, 'GET', PATH);
    expect(status).toBe(200);
    expect(body.data).toHaveLength(BATCH_TEMPLATES.length);
    const tickets = body.data.find(({ code }) => code === 'ticket_classification') ?? {};
    const { registry } = app.server.services;
    const models = registry.providers.flatMap((provider) => provider.models);
    const price = models.find(({ id }) => id === tickets.model)?.prices.at(-1);
    const input = Number(price?.microRubPerMillion.input_uncached) / 1e12;
    const output = Number(price?.microRubPerMillion.output_text) / 1e12;
    const single = 1_000 * (920 * input + 25 * output);
    const packed = (50 * 700 + 220_000) * input + 25_000 * output;
    expect(tickets.sync_rub_per_thousand).toBeCloseTo(single, 4);
    expect(tickets.async_rub_per_thousand).toBeCloseTo(packed, 4);
    const pays = Math.ceil((50 * single) / (single - packed) - 1e-6);
    expect(tickets).toMatchObject({
      verdict: 'pays',
      pays_from_rows: pays,
      price_effective_from: price?.effectiveFrom,
      price_source: price?.sourceKind,
      price_vat_basis: price?.vatBasis,
    });
    const vectors = body.data.find(({ code }) => code === 'knowledge_embeddings');
    expect(vectors).toMatchObject({ verdict: 'never_pays', pays_from_rows: null });
  });

  it('is priced with another model that is named, in both voices; an unknown is told', async () => {
    const { body } = await rest<{ data: Body[] }>(app, 'GET', `${PATH}?model=sandbox/gw-mini`);
    expect(new Set(body.data.map(({ model }) => model))).toEqual(new Set(['sandbox/gw-mini']));
    const { data } = await graphql<{ batchTemplates: Body[] }>(
      app,
      '{ batchTemplates(model: "sandbox/gw-mini") { code paysFromRows } }',
    );
    expect(data.batchTemplates).toEqual(
      body.data.map(({ code, pays_from_rows: paysFromRows }) => ({ code, paysFromRows })),
    );
    const vectors = body.data.filter(({ verdict }) => verdict === 'cannot_serve');
    expect(vectors).toMatchObject([{ code: 'knowledge_embeddings', sync_rub_per_thousand: null }]);
    const embed = await rest<{ data: Body[] }>(app, 'GET', `${PATH}?model=sandbox/gw-embed`);
    expect(embed.body.data.map(({ code, verdict }) => `${code} ${verdict}`)).toEqual(
      body.data.map(({ code, job_type: kind }) =>
        kind === 'embeddings' ? `${code} never_pays` : `${code} cannot_serve`,
      ),
    );
    const wrong = await rest<{ error: Body }>(app, 'GET', `${PATH}?model=sandbox/gw-mni`);
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'model']);
    expect(wrong.body.error.message).toContain('sandbox/gw-mini');
  });
});

describe('the row from which packing pays', () => {
  const tokens = fc.record({
    instruction_tokens: fc.integer({ min: 0, max: 5_000 }),
    row_input_tokens: fc.integer({ min: 1, max: 5_000 }),
    row_output_tokens: fc.integer({ min: 0, max: 2_000 }),
    rows_per_request: fc.integer({ min: 1, max: 200 }),
    check_rows: fc.integer({ min: 0, max: 200 }),
  });
  const money = fc.bigInt({ min: 1_000_000n, max: 5_000_000_000n });

  it('is the first whose requests and check cost less in all, and each one after it too', () => {
    fc.assert(
      fc.property(tokens, money, money, (given, input, output) => {
        const price = listPrice('2026-01-01', { input, output }, 'primary');
        const found = batchPrice(given, price);
        if (!found) throw new Error('a price of both parts prices every row');
        const instruction = BigInt(given.instruction_tokens) * input;
        const row = BigInt(given.row_input_tokens) * input;
        const own = row + BigInt(given.row_output_tokens) * output;
        const single = (rows: number) => BigInt(rows) * (instruction + own);
        const packed = (rows: number) => {
          const requests = Math.ceil(rows / given.rows_per_request);
          return single(given.check_rows) + BigInt(requests) * instruction + BigInt(rows) * own;
        };
        const costsLess = (rows: number) => packed(rows) < single(rows);
        const from = found.paysFromRows;
        if (from === null) {
          expect([found.verdict, instruction === 0n || given.rows_per_request === 1]).toEqual([
            'never_pays',
            true,
          ]);
          expect(costsLess(100_000)).toBe(false);
          return;
        }
        expect([found.verdict, costsLess(from), costsLess(from - 1)]).toEqual([
          'pays',
          true,
          false,
        ]);
        const after = Array.from({ length: 2 * given.rows_per_request }, (_, at) => from + at);
        expect(after.filter((rows) => !costsLess(rows))).toEqual([]);
      }),
    );
  });

  it('is behind the one at which both cost the same, and behind a request begun', () => {
    const price = listPrice('2026-01-01', { input: 35_000_000n, output: 70_000_000n }, 'primary');
    const summary = BATCH_TEMPLATES.find(({ code }) => code === 'call_summary');
    expect(summary && batchPrice(summary, price)).toMatchObject({ paysFromRows: 266 });
    const pair = { instruction_tokens: 100, row_input_tokens: 50, row_output_tokens: 25 };
    const even = { ...pair, rows_per_request: 2, check_rows: 1 };
    expect(batchPrice(even, price)).toMatchObject({ verdict: 'pays', paysFromRows: 6 });
  });

  it('is not told where the price lacks a part that the rows use', () => {
    const embeddings = listPrice('2026-01-01', { input: 1_000_000n }, 'primary');
    const [first] = BATCH_TEMPLATES;
    expect(first && batchPrice(first, embeddings)).toBeUndefined();
  });
});

it('a model serves a template where a whole packed request fits it', () => {
  const [first] = BATCH_TEMPLATES;
  if (!first) throw new Error('there is a template');
  const room = { operation: 'chat', contextWindow: 5_600, maxOutputTokens: 500 } as const;
  expect([
    servesTemplate(first, room),
    servesTemplate(first, { ...room, contextWindow: 5_599 }),
    servesTemplate(first, { ...room, maxOutputTokens: 499 }),
    servesTemplate(first, { ...room, operation: 'embeddings' }),
  ]).toEqual([true, false, false, false]);
});

describe('the providers', () => {
  it('are listed with their status, and each with dated prices and their source', async () => {
    const list = await rest<{ data: Body[] }>(app, 'GET', '/v1/gw/providers');
    expect(list.body.data.map(({ id, status }) => `${id} ${status}`)).toEqual(
      app.server.services.registry.providers.map(({ id, status }) => `${id} ${status}`),
    );
    const one = await rest<{ models: Body[] } & Body>(app, 'GET', '/v1/gw/providers/yandex');
    expect(one.body).toMatchObject({
      status: 'adapter_ready',
      homepage: expect.stringMatching(/^https:/),
    });
    const models = await rest<{ data: Body[] }>(app, 'GET', '/v1/gw/providers/yandex/models');
    expect(models.body.data).toEqual(one.body.models);
    for (const { prices, price_in_force: price } of models.body.data) {
      expect(prices).toContainEqual(price);
      expect(price).toMatchObject({
        effective_from: expect.stringMatching(/^2026-/),
        source: expect.stringMatching(/^(primary|secondary)$/),
      });
    }
    const { data } = await graphql<{ provider: Body; providerModels: Body[] }>(
      app,
      '{ provider(id: "yandex") { id status } providerModels(id: "yandex") { id } }',
    );
    expect(data.provider).toEqual({ id: 'yandex', status: 'adapter_ready' });
    expect(data.providerModels).toHaveLength(models.body.data.length);
    for (const path of ['/v1/gw/providers/yandeks', '/v1/gw/providers/yandeks/models']) {
      const none = await rest<{ error: Body }>(app, 'GET', path);
      expect([none.status, none.body.error.code]).toEqual([404, 'not_found']);
      expect(none.body.error.message).toContain('yandex');
    }
  });
});
