import { fail } from '../../kernel/errors/fail.js';
import type { Window } from '../../kernel/window.rules.js';

/** Where a row stands in an export, and what the export is of. */
export interface FocusPlace {
  /** The window of the export, which a later page keeps where it was left open. */
  readonly window: Window;
  /** What the first page saw: a later page sees the same. */
  readonly snapshot: string;
  /** Begin of its charge period. */
  readonly period: Date;
  /** The key of its group. */
  readonly key: string;
  /** Its number among the rows of the group. */
  readonly ordinal: number;
}

/** The place of a row as an opaque text. */
export function writePlace({ window, snapshot, period, key, ordinal }: FocusPlace): string {
  const times = [window.from, window.to, period].map((at) => at.getTime());
  return Buffer.from(['f', ...times, snapshot, key, ordinal].join(' ')).toString('base64url');
}

const PLACE = /^f (\d{1,15}) (\d{1,15}) (\d{1,15}) (\d+:\d+:[\d,]*) ([0-9a-f]{32}) (\d{1,3})$/;

/**
 * The place that a cursor names.
 * @throws invalid_cursor for what no page has given
 */
export function readPlace(cursor: string): FocusPlace {
  const parts = PLACE.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!parts || !isSnapshot(parts[4])) return fail('invalid_cursor', { param: 'cursor' });
  const [, from, to, period, snapshot = '', key = '', ordinal] = parts;
  return {
    window: { from: new Date(Number(from)), to: new Date(Number(to)) },
    snapshot,
    period: new Date(Number(period)),
    key,
    ordinal: Number(ordinal),
  };
}

const SNAPSHOT_XID_MAX = 2n ** 63n;

/** `xmin:xmax:xip,…` with its numbers in order, as PostgreSQL reads it. */
function isSnapshot(text = ''): boolean {
  const [least = '', most = '', open = ''] = text.split(':');
  if (open !== '' && !/^\d+(,\d+)*$/.test(open)) return false;
  const [min, max, ...between] = [least, most, ...open.split(',').filter(Boolean)].map(BigInt);
  if (min === undefined || max === undefined || min < 1n) return false;
  const inOrder = between.every((xid, index) => {
    const before = between[index - 1];
    return xid >= min && xid < max && (before === undefined || before < xid);
  });
  return inOrder && min <= max && max < SNAPSHOT_XID_MAX;
}
