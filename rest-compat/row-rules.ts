import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
} from 'graphql';
import { takesWholeBody } from './bind.js';
import { faultsOfRenames } from './input-names.js';
import type { CompiledRow } from './row.js';

/** What is wrong with a row that validates as GraphQL and still makes no REST path. */
export function faultsOfRow(row: CompiledRow): string[] {
  return [
    ...faultsOfText(row),
    ...faultsOfPath(row),
    ...faultsOfMethod(row),
    ...faultsOfBody(row),
    ...faultsOfCodec(row),
  ];
}

function faultsOfText(row: CompiledRow): string[] {
  const faults: string[] = [];
  if (!/^[A-Z][A-Za-z0-9]*$/.test(row.name)) faults.push('the operation needs a PascalCase name');
  if (row.summary === '') faults.push(`${row.name} needs a # comment directly above it`);
  return faults;
}

const PATH = /^(\/([\w.~:-]+|\{\w+\}))+$|^(\/([\w.~:-]+|\{\w+\}))*\/\{\+\w+\}$/;

function faultsOfPath(row: CompiledRow): string[] {
  const { path } = row.contract;
  if (!PATH.test(path)) return [`the path "${path}" is not of the form /v1/gw/things/{id}`];
  const names = row.variables.map((variable) => variable.name);
  return row.pathParameters
    .filter((name) => !names.includes(name))
    .map((name) => `the path has {${name}} and the operation no $${name}`);
}

function faultsOfMethod(row: CompiledRow): string[] {
  const { method } = row.contract;
  if (method === 'GET' && row.operationKind === 'mutation') return ['GET must not be a mutation'];
  if (method !== 'GET' && method !== 'DELETE') return [];
  return row.variables
    .filter((variable) => isInputObjectType(getNamedType(variable.type)))
    .map((variable) => `$${variable.name} is an input object, which a query string cannot carry`);
}

function faultsOfBody(row: CompiledRow): string[] {
  const { body, method, bodyBytesMax } = row.contract;
  const faults: string[] = [];
  if (bodyBytesMax < 1) faults.push('bodyBytesMax must be positive');
  if (row.condition?.kind === 'body' && method === 'GET')
    faults.push('GET has no body to choose by');
  if (body === undefined) {
    if (row.contract.rename) faults.push('rename needs the body variable');
    return faults;
  }
  if (method === 'GET' || method === 'DELETE') faults.push(`${method} has no body`);
  const variable = row.variables.find((candidate) => candidate.name === body);
  if (!variable) faults.push(`body names $${body}, which the operation lacks`);
  else if (!takesWholeBody(variable.type)) faults.push(`$${body} must be JSON or an input object`);
  else faults.push(...faultsOfBodyNames(row, getNullableType(variable.type)));
  return faults;
}

function faultsOfBodyNames({ contract }: CompiledRow, type: GraphQLInputType): string[] {
  const { rename, control, body } = contract;
  if (isInputObjectType(type)) return rename ? faultsOfRenames(rename, type) : [];
  if (rename) return [`rename needs an input object, which $${body} is not`];
  return control ? [`control cannot be kept: nothing is known of what $${body} holds`] : [];
}

function faultsOfCodec(row: CompiledRow): string[] {
  const { codec, contentType } = row.contract;
  const faults: string[] = [];
  if ((codec === 'SSE') !== (row.operationKind === 'subscription')) {
    faults.push('codec SSE and subscriptions need each other');
  }
  const isTyped = codec === 'TEXT' || codec === 'BASE64';
  if (contentType !== undefined && !isTyped) {
    faults.push('contentType is for the codecs TEXT and BASE64');
  }
  if (contentType === undefined && codec === 'BASE64')
    faults.push('codec BASE64 needs contentType');
  if (codec === 'CSV' && row.shape.kind !== 'list')
    faults.push('codec CSV needs a list at the root');
  if ((isTyped || codec === 'PROMETHEUS') && !isText(row)) {
    faults.push(`codec ${codec} needs a string at the root`);
  }
  return faults;
}

function isText(row: CompiledRow): boolean {
  return row.shape.kind === 'value' && isLeafType(getNullableType(row.shape.field.type));
}

/** What is wrong among rows: names and paths that meet. */
export function faultsAmongRows(rows: readonly CompiledRow[]): string[] {
  const faults: string[] = [];
  const byName = new Map<string, CompiledRow>();
  for (const row of rows) {
    const twin = byName.get(row.name);
    if (twin) faults.push(`${row.location}: the name ${row.name} is taken by ${twin.location}`);
    byName.set(row.name, row);
  }
  faults.push(...faultsOfParameterNames(rows));
  for (const [key, group] of rowsByPath(rows)) {
    const [first, second] = group.filter((row) => !row.condition);
    if (!first) faults.push(`${group[0]?.location}: ${key} needs one row without \`when\``);
    if (second) faults.push(`${second.location}: ${key} is taken by ${first?.location}`);
    for (const row of group) {
      // Both are read before a row of the path is chosen.
      for (const column of ['auth', 'credential'] as const) {
        if (row.contract[column] === group[0]?.contract[column]) continue;
        faults.push(`${row.location}: ${column} must equal that of ${group[0]?.location}`);
      }
    }
  }
  return faults;
}

/** OpenAPI takes `/a/{id}` and `/a/{ref}` for one path, so all methods name it alike. */
function faultsOfParameterNames(rows: readonly CompiledRow[]): string[] {
  const first = new Map<string, CompiledRow>();
  return rows.flatMap((row) => {
    const path = pathPattern(row);
    const twin = first.get(path) ?? row;
    first.set(path, twin);
    if (twin.contract.path === row.contract.path) return [];
    return [`${row.location}: name the parameters of the path as ${twin.location} does`];
  });
}

function pathPattern(row: CompiledRow): string {
  return row.contract.path.replace(/\{(\+?)\w+\}/g, '{$1}');
}

/** The rows that compete for requests: by method and path, names of parameters left out. */
export function rowsByPath(
  rows: readonly CompiledRow[],
): ReadonlyMap<string, readonly CompiledRow[]> {
  const groups = new Map<string, CompiledRow[]>();
  for (const row of rows) {
    const key = `${row.contract.method} ${pathPattern(row)}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}
