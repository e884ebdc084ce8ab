import { exampleRequest } from './example.js';
import type { OpenApiInfo } from './openapi.js';
import type { JsonSchema } from './openapi-schema.js';
import type { CompiledRow, RestTable } from './row.js';
import { ADDRESS_PLACE } from './served.js';

/** The version of the format, which its readers know by the address of its schema. */
const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/**
 * A Postman collection (format 2.1) with a request for each row: its example, in a folder for each
 * file of rows. The address and the token are variables. Registering and logging in set the token;
 * what a request creates sets the id that requests about such a thing have in their path.
 */
export function buildPostman({ rows, moduleTexts }: RestTable, info: OpenApiInfo): JsonSchema {
  // What sets the token is at the top, where everybody begins.
  const first = rows.filter((row) => tokenScript(row).length > 0);
  const modules = [...new Set([...first, ...rows].map(({ module }) => module))];
  const collections = new Set(rows.flatMap((row) => collectionsOf(row)));
  const ids = [...new Set(rows.flatMap((row) => Object.entries(idVariables(row, collections))))];
  const madeUp = new Map(ids.map(([, { variable, example }]) => [variable, example]));
  return {
    info: {
      name: info.title,
      description: info.description,
      version: info.version,
      schema: FORMAT,
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: ADDRESS_PLACE, type: 'string' },
      { key: 'token', value: '', type: 'string' },
      ...[...madeUp].map(([key, value]) => ({ key, value, type: 'string' })),
    ],
    item: modules.map((name) => ({
      name,
      description: moduleTexts.get(name) ?? name,
      item: rows.filter(({ module }) => module === name).map((row) => item(row, collections)),
    })),
  };
}

function item(row: CompiledRow, collections: ReadonlySet<string>): JsonSchema {
  const { method, auth } = row.contract;
  const { body } = exampleRequest(row);
  const script = [...tokenScript(row), ...idScript(row, collections)];
  return {
    name: row.summary,
    id: row.name,
    ...(script.length > 0
      ? { event: [{ listen: 'test', script: { type: 'text/javascript', exec: script } }] }
      : {}),
    request: {
      method,
      description: [row.summary, row.description].filter((text) => text !== '').join('\n\n'),
      ...(auth === 'P' ? { auth: { type: 'noauth' } } : {}),
      header: body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      url: urlOf(row, collections),
      ...(body === undefined
        ? {}
        : {
            body: {
              mode: 'raw',
              raw: JSON.stringify(body, null, 2),
              options: { raw: { language: 'json' } },
            },
          }),
    },
    response: [],
  };
}

function urlOf(row: CompiledRow, collections: ReadonlySet<string>): JsonSchema {
  const example = exampleRequest(row);
  const { condition } = row;
  const chosen =
    condition?.kind === 'query' ? { [condition.parameter]: condition.values[0] ?? '' } : {};
  const query = Object.entries({ ...example.query, ...chosen });
  const path = row.contract.path
    .slice(1)
    .replace(/\{\+?(\w+)\}/g, ':$1')
    .split('/');
  const ids = idVariables(row, collections);
  const values = Object.entries(example.path).map(([key, value]) => {
    const variable = ids[key]?.variable;
    return { key, value: variable === undefined ? value : `{{${variable}}}` };
  });
  const search = query.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
  return {
    raw: `{{base_url}}/${path.join('/')}${search === '' ? '' : `?${search}`}`,
    host: ['{{base_url}}'],
    path,
    ...(query.length > 0 ? { query: query.map(([key, value]) => ({ key, value })) } : {}),
    ...(values.length > 0 ? { variable: values } : {}),
  };
}

/** The path under which a row makes things, where it makes any that have an id. */
function collectionsOf({ contract, shape }: CompiledRow): readonly string[] {
  const fields = shape.kind === 'value' ? (shape.field.fields ?? []) : [];
  const makes = contract.method === 'POST' && fields.some(({ key }) => key === 'id');
  return makes ? [contract.path] : [];
}

/** The parameters of a path that name what an earlier request has made, by their names. */
function idVariables(
  row: CompiledRow,
  collections: ReadonlySet<string>,
): Readonly<Record<string, { readonly variable: string; readonly example: string }>> {
  const { path } = row.contract;
  const example = exampleRequest(row).path;
  const found = [...path.matchAll(/\/\{\+?(\w+)\}/g)].flatMap(({ 1: name = '', index }) => {
    const collection = path.slice(0, index);
    if (!collections.has(collection)) return [];
    return [[name, { variable: variableOf(collection), example: example[name] ?? '' }] as const];
  });
  return Object.fromEntries(found);
}

/** `/v1/gw/prompts` → `prompts_id`. */
function variableOf(collection: string): string {
  const words = collection.replace(/^\/(v1\/(gw\/)?)?/, '').match(/[A-Za-z0-9]+/g) ?? [];
  return `${words.join('_')}_id`;
}

function idScript(row: CompiledRow, collections: ReadonlySet<string>): readonly string[] {
  const [collection] = collectionsOf(row);
  if (collection === undefined || !collections.has(collection)) return [];
  return [
    'if (pm.response.code < 300)',
    `  pm.collectionVariables.set("${variableOf(collection)}", pm.response.json().id);`,
  ];
}

/** Whoever logs in goes on with the token that was given. */
function tokenScript({ shape }: CompiledRow): readonly string[] {
  const fields = shape.kind === 'value' ? (shape.field.fields ?? []) : [];
  if (!fields.some(({ key }) => key === 'accessToken')) return [];
  return [
    'if (pm.response.code < 300)',
    '  pm.collectionVariables.set("token", pm.response.json().accessToken);',
  ];
}
