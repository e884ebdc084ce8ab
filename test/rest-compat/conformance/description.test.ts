import { beforeAll, describe, expect, it } from 'vitest';
import { documents } from '../../../src/app/description.js';
import { loadRestTable } from '../../../src/app/rest.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
}

interface Media {
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly $ref?: string; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, Media>> }>
  >;
}

interface Description {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: object;
  };
}

const table = await loadRestTable();
const ADDRESS = 'https://gw.test/"quoted"';
let description: Description;
let operations: readonly Operation[] = [];
beforeAll(() => {
  const text = documents(table).get('/openapi.json')?.text(ADDRESS) ?? '';
  description = JSON.parse(text) as Description;
  operations = Object.values(description.paths).flatMap((item) => Object.values(item));
});

/** Whether a schema is named, or made of named ones and plain values. */
function isNamed({ $ref, type, anyOf }: Schema): boolean {
  if ($ref !== undefined) return true;
  if (anyOf) return anyOf.every(isNamed);
  return type !== undefined && !['object', 'array'].some((kind) => [type].flat().includes(kind));
}

describe('the OpenAPI description', () => {
  it('names every body of requests and answers', () => {
    const nameless = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)]
        .flatMap((body) => Object.entries(body?.content ?? {}))
        .filter(([, { schema }]) => !isNamed(schema))
        .map(([type]) => `${operationId}: ${type}`),
    );
    expect(nameless).toEqual([]);
  });

  it('calls what is selected whole by the name of its type', () => {
    const { schemas } = description.components;
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining([
        ...['ChatCompletion', 'ChatCompletionChunk', 'ChatChoice', 'ChatRouting', 'Embeddings'],
        ...['ModelListing', 'ModelListingList', 'PolicyList', 'PolicyCreateInput', 'Error'],
      ]),
    );
    expect(schemas.ChatCompletion?.required).toEqual(
      expect.arrayContaining(['id', 'choices', 'usage', 'gw_routing', 'gw_slo', 'gw_firewall']),
    );
  });

  it('has one schema for failures', () => {
    const references = operations.flatMap(({ responses }) =>
      Object.entries(responses)
        .filter(([status]) => /^[45]/.test(status))
        .map(([, { $ref = '' }]) => $ref.replace(/\d+$/, '')),
    );
    expect([...new Set(references)]).toEqual(['#/components/responses/Error']);
  });

  it('calls each operation once, by the name of its row', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    const rows = table.rows.filter(({ condition }) => !condition);
    const expected = rows.map(({ name }) => name.charAt(0).toLowerCase() + name.slice(1));
    expect([...names].sort()).toEqual(expected.sort());
  });

  it('says of each tag what it is about, and of itself where it is served', () => {
    const silent = description.tags.filter(({ name, description: text }) => text === name);
    expect(silent.map(({ name }) => `${name}.graphql begins with no comment about itself`)).toEqual(
      [],
    );
    expect(new Set(operations.flatMap(({ tags }) => tags)).size).toBe(description.tags.length);
    expect(description.servers).toMatchObject([{ url: ADDRESS }]);
  });

  it('writes a parameter once that several operations take alike', () => {
    const inline = operations.flatMap(({ parameters = [] }) =>
      parameters.flatMap((form) => (form.$ref ? [] : [JSON.stringify(form)])),
    );
    expect(inline.filter((form, index) => inline.indexOf(form) !== index)).toEqual([]);
    expect(Object.keys(description.components.parameters)).toEqual(
      expect.arrayContaining(['Idempotency-Key', 'cursor', 'format', 'from', 'limit', 'to']),
    );
  });
});
