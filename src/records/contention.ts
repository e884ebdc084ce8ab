import { AWAY_RETRY_AFTER_MS, GatewayError } from '../kernel/errors/fail.js';

/** What PostgreSQL says where transactions are in one another's way (its appendix A). */
const CODES: ReadonlySet<unknown> = new Set([
  ...['40001', '40P01', '55P03'],
  // What Prisma makes of the first two.
  ...['P2034', 'TransactionWriteConflict'],
]);

const DEPTH_MAX = 5;

/**
 * Whether work was undone because others held what it needed: a deadlock, a conflict of writes, or
 * a lock that was waited for too long. The same work may succeed when it is done again.
 */
export function isContention(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > DEPTH_MAX) return false;
  const { code, kind, originalCode, cause, meta, driverAdapterError } = error as Words;
  if ([code, kind, originalCode].some((each) => CODES.has(each))) return true;
  return [cause, meta, driverAdapterError].some((each) => isContention(each, depth + 1));
}

type Words = Partial<
  Record<'code' | 'kind' | 'originalCode' | 'cause' | 'meta' | 'driverAdapterError', unknown>
>;

/** What is answered where that goes on. */
export function contended(cause?: unknown): GatewayError {
  return new GatewayError('change_contended', { retryAfterMs: AWAY_RETRY_AFTER_MS, cause });
}
