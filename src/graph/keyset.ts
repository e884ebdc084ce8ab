import { fail, failOnFaults } from '../kernel/errors/fail.js';
import { isUuid } from '../kernel/ids.js';
import type { Order } from './filters.js';
import { PAGE_DEFAULT, PAGE_MAX } from './limits.js';

/** The arguments of a list that is read in one direction. */
export interface ConnectionArgs {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly orderBy?: Order;
}

/** A page of a list that is ordered by an integer that grows. */
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
 * Reads one page. `read` gets the exclusive bound behind which the page begins (undefined for the
 * beginning of the list), how many rows to return, and whether the key grows along the list: it
 * falls unless the caller asks otherwise. Rows that are inserted meanwhile never move a page.
 * @throws invalid_cursor, invalid_request
 */
export function keysetPage<R>(
  args: ConnectionArgs,
  keyOf: (row: R) => bigint,
  read: (beyond: bigint | undefined, limit: number, grows: boolean) => Promise<readonly R[]>,
): Promise<KeysetPage<R>> {
  return pageOf(args, (row) => writeCursor(`k:${keyOf(row)}`), readKey, read);
}

/** The same for rows that are ordered, newest first, by their ids, which are uuids of version 7. */
export function idPage<R extends { readonly id: string }>(
  args: ConnectionArgs,
  read: (below: string | undefined, limit: number) => Promise<readonly R[]>,
): Promise<KeysetPage<R>> {
  return pageOf(args, ({ id }) => writeCursor(`i:${id}`), readId, read);
}

/**
 * A page of a list whose places are more than a number: `cursorOf` writes the place of a row and
 * `readCursor` reads it again.
 * @throws invalid_request, and what `readCursor` throws
 */
export async function pageOf<R, K>(
  args: ConnectionArgs,
  cursorOf: (row: R) => string,
  readCursor: (cursor: string) => K,
  read: (beyond: K | undefined, limit: number, grows: boolean) => Promise<readonly R[]>,
): Promise<KeysetPage<R>> {
  const size = args.first ?? PAGE_DEFAULT;
  const inBounds = size >= 1 && size <= PAGE_MAX;
  const message = `first must be from 1 to ${PAGE_MAX}.`;
  failOnFaults(inBounds ? [] : [{ path: 'first', code: 'out_of_range', message }]);
  const beyond = args.after == null ? undefined : readCursor(args.after);
  const rows = await read(beyond, size + 1, args.orderBy === 'oldest_first');
  const edges = rows.slice(0, size).map((node) => ({ node, cursor: cursorOf(node) }));
  return {
    edges,
    pageInfo: {
      hasNextPage: rows.length > size,
      hasPreviousPage: beyond !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** The largest integer of PostgreSQL's int8. */
const KEY_MAX = 2n ** 63n - 1n;

function writeCursor(key: string): string {
  return Buffer.from(key).toString('base64url');
}

function readKey(cursor: string): bigint {
  const digits = /^k:(\d{1,19})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  const key = digits === undefined ? undefined : BigInt(digits);
  if (key === undefined || key > KEY_MAX) return fail('invalid_cursor', { param: 'cursor' });
  return key;
}

function readId(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const id = text.startsWith('i:') ? text.slice(2) : '';
  return isUuid(id) ? id : fail('invalid_cursor', { param: 'cursor' });
}
