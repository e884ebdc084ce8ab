import { stringify as yamlText } from 'yaml';
import type { RecordedAnswers } from './answers.js';
import type { ServedDocument } from './hooks.js';
import { type CodesOf, errorResponses, errorSchemas } from './openapi-errors.js';
import { InputSchemas } from './openapi-input.js';
import { AnswerNames } from './openapi-names.js';
import { describeOperation } from './openapi-operation.js';
import { OutputSchemas } from './openapi-output.js';
import { sharedParameters } from './openapi-parameters.js';
import { type JsonSchema, SchemaComponents } from './openapi-schema.js';
import { publishedPath } from './rest-directive.js';
import type { RestTable } from './row.js';
import { rowsByPath } from './row-rules.js';
import { ADDRESS_PLACE, once, servedAt } from './served.js';

/** What the description says about the service as a whole. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly license: { readonly name: string; readonly identifier: string };
}

/** What the application knows of rows beside the table. */
export interface OpenApiSources {
  /** Codes that a row can fail with, beside those of the transport. */
  readonly codesOf?: CodesOf;
  /** What examples were answered; read when the description is made. */
  readonly answers?: () => RecordedAnswers;
}

/** The OpenAPI 3.1 description of a table: nothing in it is written twice. */
export function buildOpenApi(
  table: RestTable,
  info: OpenApiInfo,
  { codesOf = () => [], answers = () => new Map() }: OpenApiSources = {},
): JsonSchema {
  const components = new SchemaComponents();
  const names = new AnswerNames(table.rows, (name) => table.schema.getType(name) !== undefined);
  const sources = {
    inputs: new InputSchemas(components, table.names),
    outputs: new OutputSchemas(components, names),
    answers: answers(),
    codesOf,
    rows: table.rows,
  };
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const group of rowsByPath(table.rows).values()) {
    const row = group.find(({ condition }) => !condition);
    if (!row) continue;
    const { method, path } = row.contract;
    const published = publishedPath(path);
    const item = paths[published] ?? {};
    const others = group.filter(({ condition }) => condition);
    item[method.toLowerCase()] = describeOperation([row, ...others], sources);
    // A path stands where it is removed: whoever reads on reads of nothing that is gone.
    if (method === 'DELETE') delete paths[published];
    paths[published] = item;
  }
  const parameters = sharedParameters(paths);
  return {
    openapi: '3.1.0',
    info: { ...info, contact: { name: 'Documentation', url: `${ADDRESS_PLACE}/docs` } },
    servers: [{ url: ADDRESS_PLACE, description: 'The gateway that serves this description.' }],
    tags: tagsOf(table),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
      headers: HEADERS,
      responses: used(errorResponses(), 'responses', JSON.stringify(paths)),
      schemas: sorted({ ...components.schemas, ...errorSchemas() }),
    },
  };
}

function tagsOf({ rows, moduleTexts }: RestTable): JsonSchema[] {
  const modules = [...new Set(rows.map(({ module }) => module))];
  return modules.map((name) => ({ name, description: moduleTexts.get(name) ?? name }));
}

/** The components that something refers to. */
function used(
  components: Readonly<Record<string, JsonSchema>>,
  kind: string,
  text: string,
): Record<string, JsonSchema> {
  const entries = Object.entries(components);
  return Object.fromEntries(entries.filter(([name]) => text.includes(`/${kind}/${name}"`)));
}

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, or the access token of a member.',
  },
  x_api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'An API key, as it would stand behind `Bearer`.',
  },
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'api-key',
    description: 'The same for clients that call the header so.',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description:
      'An API key as the password, with any user name: for programs that know nothing but this. ' +
      'Access tokens are not taken so, and nothing from a page of a browser.',
  },
} as const;

const HEADERS = {
  RequestId: {
    description: 'The id of this request; quote it to support.',
    schema: { type: 'string' },
  },
  IdempotentReplayed: {
    description: '`true` where this is the kept answer of an earlier request with the same key.',
    schema: { type: 'string' },
  },
  IgnoredFields: {
    description: 'The fields of the request that were not read, where there are any.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'After how many seconds it is worth to try again, where that is known.',
    schema: { type: 'integer' },
  },
} as const;

/** The description as documents to serve: /openapi.json and /openapi.yaml, made once. */
export function openApiDocuments(
  description: () => JsonSchema,
): ReadonlyMap<string, ServedDocument> {
  const json = once(() => JSON.stringify(description()));
  const yaml = once(() => yamlText(description(), { aliasDuplicateObjects: false }));
  return new Map([
    ['/openapi.json', servedAt('application/json; charset=utf-8', json)],
    ['/openapi.yaml', servedAt('application/yaml; charset=utf-8', yaml)],
  ]);
}

function sorted(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}
