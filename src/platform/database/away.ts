import pg from 'pg';
import { AWAY_RETRY_AFTER_MS, GatewayError } from '../../kernel/errors/fail.js';

/** Lost connections, too many of them, a server that starts or stops (PostgreSQL appendix A). */
const AWAY_CLASSES = new Set(['08', '53', '57']);

const AWAY_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT', 'ENOTFOUND'],
  ...['EPIPE', 'ETIMEDOUT'],
]);

/** What the driver says of its own accord, without a code. */
const AWAY_TEXTS = [
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
];

/** True when an error says that the database does not answer, and not that a statement is wrong. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: string };
  if (error instanceof pg.DatabaseError) return AWAY_CLASSES.has(code?.slice(0, 2) ?? '');
  if (code !== undefined) return AWAY_CODES.has(code);
  return AWAY_TEXTS.some((text) => error.message.startsWith(text));
}

const CAUSES_MAX = 4;

/** The error, or the cause of it, by which the database does not answer; undefined for others. */
export function saysAway(error: unknown, level = 0): Error | undefined {
  if (!(error instanceof Error) || level > CAUSES_MAX) return undefined;
  // A statement that took too long was stopped by a server that is there.
  if (error instanceof pg.DatabaseError && error.code === STOPPED) return undefined;
  return isAway(error) ? error : saysAway(error.cause, level + 1);
}

/**
 * Makes a pool tell an absent database as `ledger_unavailable`, which callers are told to retry,
 * in place of an error of sockets, which would look like a fault of the gateway.
 */
export function tellAway(pool: pg.Pool): void {
  pool.query = telling(pool.query.bind(pool));
  pool.connect = telling(pool.connect.bind(pool));
  pool.on('connect', (client) => {
    client.query = telling(client.query.bind(client));
  });
}

/** The same function with its rejections renamed; with a callback it answers no promise. */
function telling<F>(call: F): F {
  const told = (...words: unknown[]) => {
    const result = (call as (...all: unknown[]) => unknown)(...words);
    return result instanceof Promise ? result.catch(renameAway) : result;
  };
  return told as F;
}

/** PostgreSQL's `query_canceled`: what a server says of a statement that took too long. */
const STOPPED = '57014';

/**
 * Throws the error of a report. Where the server itself has stopped a statement at the limit that
 * it was given, the database is there, and the report was too much: `report_timed_out`.
 */
export function renameStopped(error: unknown): never {
  const told = error instanceof GatewayError ? error.cause : error;
  if (told instanceof pg.DatabaseError && told.code === STOPPED) {
    throw new GatewayError('report_timed_out', { cause: told });
  }
  return renameAway(error);
}

/** Throws the error, renamed when it says that the database does not answer. */
export function renameAway(error: unknown): never {
  if (!isAway(error)) throw error;
  const retryAfterMs = AWAY_RETRY_AFTER_MS;
  throw new GatewayError('ledger_unavailable', { retryAfterMs, cause: error });
}
