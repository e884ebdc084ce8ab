import { PAGE_DEFAULT } from './limits.js';

/** The price of a connection: about one point for each item it may return. */
export function pageComplexity(args: { first?: number | null; last?: number | null }) {
  const size = args.first ?? args.last ?? PAGE_DEFAULT;
  return { field: 1, multiplier: Math.max(1, size) };
}

/** Newest first: ids are ordered by time. */
export const NEWEST_FIRST = { id: 'desc' } as const;
