import { fail, failOnFaults } from '../kernel/errors/fail.js';
import { PAGE_DEFAULT, PAGE_MAX } from './limits.js';

/** The arguments of a connection. */
export interface ConnectionArgs {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

/** A page of a list that is ordered, newest first, by an integer that grows. */
export interface KeysetPage<R> {
  readonly edges: { readonly node: R; readonly cursor: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/**
 * Reads one page. `read` gets the exclusive upper bound (undefined for the newest) and how many
 * rows to return. Rows that are inserted meanwhile never move a page.
 * @throws invalid_cursor, invalid_request
 */
export async function keysetPage<R>(
  args: ConnectionArgs,
  keyOf: (row: R) => bigint,
  read: (below: bigint | undefined, limit: number) => Promise<readonly R[]>,
): Promise<KeysetPage<R>> {
  const size = args.first ?? PAGE_DEFAULT;
  const inBounds = size >= 1 && size <= PAGE_MAX && args.last == null && args.before == null;
  const message = `first must be from 1 to ${PAGE_MAX}; last and before are not supported here.`;
  failOnFaults(inBounds ? [] : [{ path: 'first', code: 'out_of_range', message }]);
  const below = args.after == null ? undefined : readCursor(args.after);
  const rows = await read(below, size + 1);
  const edges = rows.slice(0, size).map((node) => ({ node, cursor: writeCursor(keyOf(node)) }));
  return {
    edges,
    pageInfo: {
      hasNextPage: rows.length > size,
      hasPreviousPage: below !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** The largest integer of PostgreSQL's int8. */
const KEY_MAX = 2n ** 63n - 1n;

function writeCursor(key: bigint): string {
  return Buffer.from(`k:${key}`).toString('base64url');
}

function readCursor(cursor: string): bigint {
  const digits = /^k:(\d{1,19})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  const key = digits === undefined ? undefined : BigInt(digits);
  if (key === undefined || key > KEY_MAX) return fail('invalid_cursor', { param: 'cursor' });
  return key;
}
