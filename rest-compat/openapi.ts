import { getNullableType, isInputObjectType, isRequiredInputField } from 'graphql';
import { stringify as yamlText } from 'yaml';
import { ERRORS } from '../src/kernel/errors/catalogue.js';
import type { ErrorRow } from '../src/kernel/errors/row.js';
import type { VariableRow } from './bind.js';
import { tableTypes } from './codecs/table-format.js';
import { type ExampleRequest, exampleRequest } from './example.js';
import type { ServedDocument } from './hooks.js';
import {
  bodyVariables,
  isRequired,
  rowParameters,
  variableTexts,
  withLimits,
} from './openapi-parameters.js';
import { described, type JsonSchema, SchemaComponents } from './openapi-schema.js';
import { publishedPath } from './rest-directive.js';
import type { CompiledRow, RestTable } from './row.js';
import { rowsByPath } from './row-rules.js';
import { takesBody } from './table.js';

/** What the description says about the service as a whole. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly license: { readonly name: string; readonly identifier: string };
  /** One sentence for each module, by its name. */
  readonly tagTexts?: Readonly<Record<string, string>>;
}

/** The OpenAPI 3.1 description of a table: nothing in it is written twice. */
export function buildOpenApi(table: RestTable, info: OpenApiInfo): JsonSchema {
  const components = new SchemaComponents(table.names);
  const { tagTexts = {}, ...about } = info;
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const group of rowsByPath(table.rows).values()) {
    const row = group.find(({ condition }) => !condition);
    if (!row) continue;
    const { method, path } = row.contract;
    const item = paths[publishedPath(path)] ?? {};
    const others = group.filter(({ condition }) => condition);
    item[method.toLowerCase()] = operation([row, ...others], components);
    paths[publishedPath(path)] = item;
  }
  const modules = [...new Set(table.rows.map((row) => row.module))];
  return {
    openapi: '3.1.0',
    info: about,
    servers: [{ url: '/' }],
    tags: modules.map((name) => described({ name }, tagTexts[name])),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, or the access token of a member.',
        },
      },
      responses: errorResponses(),
      schemas: { ...sorted(components.schemas), Error: ERROR_SCHEMA },
    },
  };
}

/** The description as documents to serve: /openapi.json and /openapi.yaml, made once. */
export function openApiDocuments(
  table: RestTable,
  info: OpenApiInfo,
): ReadonlyMap<string, ServedDocument> {
  const description = once(() => buildOpenApi(table, info));
  const json = once(() => JSON.stringify(description()));
  const yaml = once(() => yamlText(description(), { aliasDuplicateObjects: false }));
  return new Map([
    ['/openapi.json', { contentType: 'application/json; charset=utf-8', text: json }],
    ['/openapi.yaml', { contentType: 'application/yaml; charset=utf-8', text: yaml }],
  ]);
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The row that takes what no condition takes, and the others of its method and path. */
type RowGroup = readonly [CompiledRow, ...CompiledRow[]];

function operation(rows: RowGroup, components: SchemaComponents): JsonSchema {
  const [row] = rows;
  const texts = variableTexts(row);
  const example = exampleRequest(row);
  const parameters = [
    ...rowParameters(rows, example, components),
    ...(isKeyed(row) ? [KEY_PARAMETER] : []),
  ];
  const withBody = takesBody(row.contract) && bodyVariables(row).length > 0;
  return {
    operationId: row.name.charAt(0).toLowerCase() + row.name.slice(1),
    tags: [row.module],
    summary: row.summary,
    ...described({}, longText(rows)),
    ...(row.contract.auth === 'B' ? { security: [{ bearer: [] }] } : { security: [] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(withBody ? { requestBody: requestBody(row, texts, example, components) } : {}),
    responses: {
      [row.contract.status]: success(rows, components),
      ...Object.fromEntries(
        errorStatuses(row).map((status) => [
          status,
          { $ref: `#/components/responses/Error${status}` },
        ]),
      ),
    },
  };
}

function longText([row, ...others]: RowGroup): string {
  const fields = row.shape.kind === 'fields' ? row.shape.fields : [row.shape.field];
  const texts = [
    row.description,
    ...fields.map((field) => field.description ?? ''),
    row.contract.control ? 'Unknown fields are refused, at every depth.' : '',
    ...others.map((other) => `With \`${other.contract.when}\`: ${other.summary}`),
  ];
  return [...new Set(texts)].filter((text) => text !== '').join('\n\n');
}

/** Whether a request of this row may carry a key, as `answerRow` decides. */
function isKeyed({ contract }: CompiledRow): boolean {
  return contract.auth === 'B' && contract.method !== 'GET';
}

const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text of your own that names this request, such as a UUID. Repeated with the same key and ' +
    'body, it is done and charged once, and the first answer is given again. Another body under ' +
    'the key is refused; failures keep nothing, so that repeating one tries again.',
  schema: { type: 'string' },
} as const;

const REPLAYED_HEADER = {
  'idempotent-replayed': {
    description: '`true` where this is the kept answer of an earlier request with the same key.',
    schema: { type: 'string' },
  },
} as const;

function requestBody(
  row: CompiledRow,
  texts: ReadonlyMap<string, string>,
  example: ExampleRequest,
  components: SchemaComponents,
): JsonSchema {
  const variables = bodyVariables(row);
  const [whole] = variables;
  const content = { schema: {}, example: example.body };
  if (row.contract.body !== undefined && whole) {
    const schema = components.presentInput(whole.type, row.names);
    content.schema = described(schema, texts.get(whole.name));
    return { required: needsBody(whole), content: { 'application/json': content } };
  }
  const properties = Object.fromEntries(
    variables.map((variable) => [
      variable.name,
      described(withLimits(components.input(variable.type), variable), texts.get(variable.name)),
    ]),
  );
  const required = variables.filter(isRequired).map((variable) => variable.name);
  content.schema = { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
  return { required: required.length > 0, content: { 'application/json': content } };
}

/** An absent body is an empty object, which is enough where no field is required. */
function needsBody({ type }: VariableRow): boolean {
  const named = getNullableType(type);
  return !isInputObjectType(named) || Object.values(named.getFields()).some(isRequiredInputField);
}

const CONTENT_TYPES = {
  JSON: 'application/json',
  SSE: 'text/event-stream',
  PROMETHEUS: 'text/plain',
  TEXT: 'text/plain',
  BASE64: 'application/octet-stream',
} as const;

function success(rows: RowGroup, components: SchemaComponents): JsonSchema {
  const schemas = new Map<string, JsonSchema[]>();
  for (const row of rows) {
    const { codec, contentType } = row.contract;
    const isValue = codec === 'JSON' || codec === 'SSE';
    const schema = isValue ? components.answer(row.shape) : { type: 'string' };
    const types =
      codec === 'CSV' ? tableTypes(row.condition) : [contentType ?? CONTENT_TYPES[codec]];
    for (const each of types) {
      const type = each.split(';', 1)[0] ?? each;
      schemas.set(type, [...(schemas.get(type) ?? []), schema]);
    }
  }
  // Forms of one answer that share a content type are alternatives.
  const content = Object.fromEntries(
    [...schemas].map(([type, [first, ...others]]) => [
      type,
      { schema: others.length > 0 ? { anyOf: [first, ...others] } : first },
    ]),
  );
  const headers = isKeyed(rows[0]) ? { ...HEADERS, ...REPLAYED_HEADER } : HEADERS;
  return { description: 'Success.', headers, content };
}

const HEADERS = {
  'x-request-id': {
    description: 'The id of this request; quote it to support.',
    schema: { type: 'string' },
  },
} as const;

/** The statuses that a row can fail with, from what it is and does. */
function errorStatuses(row: CompiledRow): readonly number[] {
  const { auth, method, path } = row.contract;
  const statuses = new Set([400, 429, 500, 503]);
  if (auth === 'B') for (const status of [401, 403]) statuses.add(status);
  if (row.pathParameters.length > 0) statuses.add(404);
  if (takesBody(row.contract)) for (const status of [408, 413]) statuses.add(status);
  if (method === 'POST' && auth === 'B') for (const status of [409, 422]) statuses.add(status);
  if (path.startsWith('/v1/chat/') || path.startsWith('/v1/embeddings')) {
    for (const status of [402, 404, 502, 504]) statuses.add(status);
  }
  const known = new Set(Object.values<ErrorRow>(ERRORS).map((error) => error.status));
  return [...statuses].filter((status) => known.has(status)).sort((a, b) => a - b);
}

/** One response for each status of the catalogue, with the codes that have it. */
function errorResponses(): Record<string, JsonSchema> {
  const byStatus = new Map<number, [string, ErrorRow][]>();
  for (const entry of Object.entries<ErrorRow>(ERRORS)) {
    const { status } = entry[1];
    byStatus.set(status, [...(byStatus.get(status) ?? []), entry]);
  }
  const responses: Record<string, JsonSchema> = {};
  for (const [status, entries] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[`Error${status}`] = {
      description: entries.map(([code, row]) => `- \`${code}\`: ${row.cause}`).join('\n'),
      headers: HEADERS,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  return responses;
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code', 'request_id', 'doc_url'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: { type: ['string', 'null'], description: 'The field that is at fault.' },
        code: { type: 'string', enum: Object.keys(ERRORS) },
        request_id: { type: 'string' },
        doc_url: { type: 'string', description: 'Cause and fix of this code.' },
        faults: {
          type: 'array',
          description: 'Every fault of a bad request.',
          items: {
            type: 'object',
            required: ['path', 'code', 'message'],
            properties: {
              path: { type: 'string' },
              code: { enum: ['missing', 'wrong_type', 'out_of_range', 'unknown_value', 'invalid'] },
              message: { type: 'string' },
            },
          },
        },
      },
    },
  },
} as const;

function sorted(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}
