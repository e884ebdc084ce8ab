import FindMyWay from 'find-my-way';
import { takesBody } from './compile-row.js';
import type { QueryParameters } from './query-text.js';
import {
  pathParameters,
  publishedPath,
  type RestCredential,
  type RestMethod,
} from './rest-directive.js';
import type { CompiledRow, RestTable } from './row.js';
import { rowsByPath } from './row-rules.js';

/** The rows of one method and path, with what must be known before one is chosen. */
export interface RouteGroup {
  /** Rows with a condition first, in their order; the last one takes the rest. */
  readonly rows: readonly CompiledRow[];
  readonly fallback: CompiledRow;
  readonly needsCredential: boolean;
  readonly credential: RestCredential;
  /** True where the body is read: by rows that take one, and by controls that refuse one. */
  readonly readsBody: boolean;
  readonly bodyBytesMax: number;
  readonly restParameter: string | undefined;
}

/** A request that has a path in the table. */
export interface Match {
  readonly group: RouteGroup;
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly query: QueryParameters;
}

/** Finds the rows of a request in a radix tree. */
export interface RestRouter {
  find(method: string, url: string): Match | undefined;
  /** The methods that a path answers, without HEAD and OPTIONS. */
  methodsOf(url: string): readonly RestMethod[];
  readonly paths: readonly string[];
}

const METHODS: readonly RestMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const PARAMETER_LENGTH_MAX = 2048;

/** Builds the router over a table. */
export function buildRouter(table: RestTable): RestRouter {
  const router = FindMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: PARAMETER_LENGTH_MAX,
  });
  for (const rows of rowsByPath(table.rows).values()) {
    const group = groupOf(rows);
    const { method, path } = group.fallback.contract;
    router.on(method, routerPath(path), NOT_CALLED, group);
  }
  const find = (method: string, url: string): Match | undefined => {
    const found = router.find(method as RestMethod, url);
    if (!found) return undefined;
    const group = found.store as RouteGroup;
    const path = found.params;
    if (group.restParameter !== undefined) path[group.restParameter] = path['*'];
    return { group, path, query: found.searchParams };
  };
  return {
    find,
    methodsOf: (url) => METHODS.filter((method) => find(method, url)),
    paths: [...new Set(table.rows.map((row) => publishedPath(row.contract.path)))],
  };
}

/** The row that takes a request, by its conditions; `accept` is the header of that name. */
export function chooseRow(
  group: RouteGroup,
  query: QueryParameters,
  body: unknown,
  accept?: string,
): CompiledRow {
  for (const row of group.rows) {
    const { condition } = row;
    if (!condition) continue;
    if (condition.kind === 'query') {
      const asked = query[condition.parameter];
      if (condition.values.includes(String(asked))) return row;
      if (asked === undefined && isAccepted(row, accept)) return row;
      continue;
    }
    if (fieldIsTrue(body, condition.field)) return row;
  }
  return group.fallback;
}

/** Whether the client names the type of the row's answer, and does not take JSON as well. */
function isAccepted({ contract: { contentType } }: CompiledRow, accept = ''): boolean {
  const [type = ''] = (contentType ?? '').split(';', 1);
  const named = accept.toLowerCase();
  return type !== '' && named.includes(type) && !named.includes('application/json');
}

function fieldIsTrue(body: unknown, field: string): boolean {
  return typeof body === 'object' && body !== null && Reflect.get(body, field) === true;
}

/** The router's handlers are not used, only what is stored beside them. */
function NOT_CALLED(): void {}

function groupOf(rows: readonly CompiledRow[]): RouteGroup {
  const fallback = rows.find((row) => !row.condition);
  if (!fallback) throw new Error('a path without a row for all other requests');
  return {
    rows,
    fallback,
    needsCredential: fallback.contract.auth === 'B',
    credential: fallback.contract.credential,
    readsBody: rows.some(({ contract }) => takesBody(contract) || contract.control),
    bodyBytesMax: Math.max(...rows.map((row) => row.contract.bodyBytesMax)),
    restParameter: pathParameters(fallback.contract.path).rest,
  };
}

function routerPath(path: string): string {
  return path
    .replaceAll(':', '::')
    .replace(/\{\+\w+\}$/, '*')
    .replace(/\{(\w+)\}/g, ':$1');
}
