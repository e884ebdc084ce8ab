import { fail } from '../kernel/errors/fail.js';

/**
 * Where a row stands in a feed. Rows are ordered by the transaction that wrote them first, because
 * a counter alone is drawn before the commit: a reader that goes by it passes over late commits.
 */
export interface Position {
  readonly txid: bigint;
  readonly seq: bigint;
}

/** Before the first row of any feed. */
export const FEED_START: Position = { txid: 0n, seq: 0n };

/** The largest counter, so that a position with it stands after all rows of its transaction. */
export const SEQ_MAX = 2n ** 63n - 1n;

const CURSOR_BYTES = 16;

/** The opaque cursor of a position: two 64-bit integers in base64url. */
export function encodeCursor({ txid, seq }: Position): string {
  const bytes = Buffer.alloc(CURSOR_BYTES);
  bytes.writeBigInt64BE(txid, 0);
  bytes.writeBigInt64BE(seq, 8);
  return bytes.toString('base64url');
}

/**
 * The position that a cursor holds.
 * @throws invalid_cursor when the text was not made by `encodeCursor`
 */
export function decodeCursor(cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== CURSOR_BYTES || bytes.toString('base64url') !== cursor) failCursor();
  const position = { txid: bytes.readBigInt64BE(0), seq: bytes.readBigInt64BE(8) };
  if (position.txid < 0n || position.seq < 0n) failCursor();
  return position;
}

function failCursor(): never {
  fail('invalid_cursor', { param: 'after' });
}
