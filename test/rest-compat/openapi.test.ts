import { validate } from '@readme/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildOpenApi, openApiDocuments } from '../../rest-compat/openapi.js';
import { ADDRESS_PLACE } from '../../rest-compat/served.js';
import { startToy, type Toy, toyTable } from './toy/server.js';

const ADDRESS = 'https://gw.test';

const INFO = {
  title: 'Toy',
  version: '1.0.0',
  description: 'A toy.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

interface Described {
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: { schemas: Record<string, unknown> };
}

const described = JSON.parse(
  JSON.stringify(buildOpenApi(toyTable(), INFO)).replaceAll(ADDRESS_PLACE, ADDRESS),
) as Described;

let toy: Toy;
beforeAll(async () => {
  toy = await startToy({
    documents: openApiDocuments(() => buildOpenApi(toyTable(), INFO)),
    addressOf: () => ADDRESS,
  });
});
afterAll(() => toy.close());

describe('the OpenAPI description', () => {
  it('is valid by the parser that documentation tools use', async () => {
    const copy = structuredClone(described);
    expect(await validate(copy as unknown as Parameters<typeof validate>[0])).toMatchObject({
      valid: true,
      warnings: [],
    });
  });

  it('says of an operation what row and schema say', () => {
    expect(described.paths['/v1/gw/things']?.get).toMatchObject({
      operationId: 'listThings',
      tags: ['things'],
      summary: 'Lists the things, newest first.',
      description: 'All things.\n\nWith `format=csv`: Exports the things as a table.',
      security: [{ x_api_key: [] }, { api_key: [] }, { basic: [] }, { bearer: [] }],
      parameters: [
        {
          name: 'kind',
          in: 'query',
          required: false,
          schema: { type: 'array', items: { $ref: '#/components/schemas/ThingKind' } },
        },
        {
          name: 'since',
          schema: { $ref: '#/components/schemas/DateTime' },
        },
        {
          name: 'limit',
          schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
        },
        { name: 'cursor' },
        { name: 'format', schema: { enum: ['json', 'csv'] } },
        { name: 'bom', schema: { type: 'boolean' } },
      ],
    });
    expect(described.paths['/v1/gw/things']?.post).toMatchObject({
      requestBody: {
        required: true,
        content: {
          'application/json': {
            example: { name: 'lamp', price_rub: 12.5 },
            schema: { $ref: '#/components/schemas/CreateThingRequest' },
          },
        },
      },
    });
    expect(JSON.stringify(described.paths['/v1/gw/things']?.get)).not.toContain('dempot');
    expect(described.paths['/v1/gw/things']?.post).toMatchObject({
      parameters: [{ name: 'Idempotency-Key', in: 'header', required: false }],
      responses: { 200: { headers: { 'idempotent-replayed': {} } } },
    });
    expect(described.components.schemas.CreateThingRequest).toMatchObject({
      required: ['name'],
      properties: { name: { type: 'string' } },
    });
    expect(described.components.schemas.StepInput).toMatchObject({
      properties: { step_name: { type: 'string' }, p95_latency_ms: { default: 100 } },
      required: ['step_name'],
    });
    expect(described.paths['/v1/gw/things/{id}']?.get).toMatchObject({ security: [] });
    expect(described.paths['/v1/echo']?.post).toMatchObject({
      responses: { 200: { content: { 'application/json': {}, 'text/event-stream': {} } } },
    });
  });

  it('describes the answers that the server gives', async () => {
    const ajv = new Ajv2020({ strict: false, formats: { int32: true } });
    ajv.addSchema({ $id: 'toy', ...described });
    const headers = { authorization: 'Bearer x' };
    for (const path of ['/v1/gw/things', '/names', '/v1/gw/both']) {
      const escaped = path.replaceAll('/', '~1');
      const pointer = `toy#/paths/${escaped}/get/responses/200/content/application~1json/schema`;
      const answer = await (await fetch(toy.url + path, { headers })).json();
      expect(ajv.validate({ $ref: pointer }, answer), ajv.errorsText()).toBe(true);
      expect(ajv.validate({ $ref: pointer }, { object: 'list' })).toBe(false);
    }
    const missing = await (await fetch(`${toy.url}/v1/gw/things/none`)).json();
    expect(ajv.validate({ $ref: 'toy#/components/schemas/Error' }, missing)).toBe(true);
  });

  it('is served as JSON and as YAML of the same content', async () => {
    const json = await fetch(`${toy.url}/openapi.json`);
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const yaml = await fetch(`${toy.url}/openapi.yaml`);
    const content = await json.json();
    expect(content).toEqual(described);
    expect(parse(await yaml.text())).toEqual(content);
  });
});
