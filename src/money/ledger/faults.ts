import pg from 'pg';

/**
 * What an error of a ledger statement says. `fenced`: another process owns the epoch. `statement`:
 * the database answered that this very statement cannot be executed, nothing of it happened and
 * sending it again is useless. `absent`: anything else; it may or may not have happened.
 */
export type LedgerFault = 'fenced' | 'statement' | 'absent';

const FENCED = 'GW001';

/** A hold was changed under a statement that settles many: nothing of the batch happened. */
const CHANGED = 'GW002';

/** Data, integrity, syntax or right, limits, raised, internal (PostgreSQL appendix A). */
const STATEMENT_CLASSES = new Set(['22', '23', '42', '54', 'P0', 'XX']);

/** Sorts an error of a ledger statement. */
export function faultOf(error: unknown): LedgerFault {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return 'absent';
  if (error.code === FENCED) return 'fenced';
  if (error.code === CHANGED) return 'statement';
  return STATEMENT_CLASSES.has(error.code.slice(0, 2)) ? 'statement' : 'absent';
}
