import type { QueryResultRow } from 'pg';
import {
  EMPTY_ROOT,
  HASH_BYTES,
  type Range,
  rootOf,
  rootOfRow,
  subtreesOf,
} from '../../kernel/merkle.rules.js';

/** How many levels of the tree one tile holds, and so how many hashes. */
const TILE_LEVELS = 8;
/** The most hashes of a tile. */
export const TILE_HASHES = 2 ** TILE_LEVELS;

/** Reads rows of one tenant, in one snapshot of the log or of what only grows. */
export type ReadRows = <R extends QueryResultRow>(
  text: string,
  values: readonly unknown[],
) => Promise<readonly R[]>;

interface TileRow {
  readonly level: number;
  readonly index: bigint;
  readonly hashes: Buffer;
}

const TILES = `SELECT level::int, index, hashes FROM log_tile
  WHERE tenant_id = $1 AND (level, index) IN (SELECT * FROM unnest($2::int[], $3::bigint[]))`;

/** Where the hashes of a subtree stand: a row of them side by side in one tile. */
function placeOf({ level, index }: { readonly level: number; readonly index: number }) {
  const tileLevel = Math.floor(level / TILE_LEVELS);
  const wide = 2 ** (level % TILE_LEVELS);
  const first = index * wide;
  const tile = Math.floor(first / TILE_HASHES);
  return { tileLevel, tile, from: first % TILE_HASHES, wide };
}

/**
 * The roots of ranges of a tenant's tree, each a part that RFC 6962 would split off. One statement
 * reads the tiles: at most a few of each level, of which a tree of 2^32 leaves has four.
 * @throws Error where the log lacks a hash that it must have
 */
export async function rootsOf(
  read: ReadRows,
  tenantId: string,
  ranges: readonly Range[],
): Promise<readonly Uint8Array[]> {
  const places = ranges.map((range) => subtreesOf(range).map(placeOf));
  const wanted = new Map(places.flat().map((at) => [`${at.tileLevel}/${at.tile}`, at]));
  if (wanted.size === 0) return ranges.map(() => EMPTY_ROOT);
  const tiles = [...wanted.values()];
  const rows = await read<TileRow & QueryResultRow>(TILES, [
    tenantId,
    tiles.map(({ tileLevel }) => tileLevel),
    tiles.map(({ tile }) => tile),
  ]);
  const found = new Map(rows.map(({ level, index, hashes }) => [`${level}/${index}`, hashes]));
  return places.map((parts) =>
    rootOf(
      parts.map(({ tileLevel, tile, from, wide }) => {
        const hashes = found.get(`${tileLevel}/${tile}`);
        const row = hashes?.subarray(from * HASH_BYTES, (from + wide) * HASH_BYTES);
        if (row?.length !== wide * HASH_BYTES) throw new Error('the log lacks a hash');
        return rootOfRow(row);
      }),
    ),
  );
}
