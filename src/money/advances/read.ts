import type { SnapshotQuery } from '../../platform/database/tenant-snapshot.js';
import { AdvanceBook, type AdvanceLine } from './lots.rules.js';

/** Lines that are read at once. */
const LINES_AT_ONCE = 5_000;

const COLUMNS = `account_version AS version, type, request_id AS "requestId",
  charged_request_id AS "chargedRequestId", created_at AS at, vat_rate_basis_points AS rate,
  posted_delta AS "postedDelta", posted_after AS "postedAfter"`;

/** The index `ledger_entry_by_person` has these lines, and no line of a request. */
const POSTINGS = `SELECT ${COLUMNS} FROM ledger_entry
  WHERE account_id = $1::uuid AND account_version > $2::bigint AND account_version <= $3::bigint
    AND type IN ('top_up', 'refund', 'adjustment', 'credit', 'balance_return')
  ORDER BY account_version LIMIT ${LINES_AT_ONCE}`;

/** The charges that refunds of the account name; of each refund one look at the unique index. */
const REFUNDED = `SELECT ${COLUMNS} FROM ledger_entry
  WHERE account_id = $1::uuid AND account_version <= $2::bigint AND type = 'finalize'
    AND request_id IN (
    SELECT charged_request_id FROM ledger_entry
    WHERE account_id = $1::uuid AND type = 'refund' AND charged_request_id IS NOT NULL)
  ORDER BY account_version`;

type LineRow = AdvanceLine & Record<string, unknown>;

/** A place in the lines of an account: the last line before it, with the balance after it. */
export interface LinePlace {
  readonly version: bigint;
  readonly postedMicro: bigint;
}

/**
 * The book of an account at places, in their order: postings are read in pages by their numbers,
 * and what charges took between them follows from the balances. Its cost is that of the postings.
 */
export async function readAdvances<T>(
  query: SnapshotQuery,
  accountId: string,
  places: readonly LinePlace[],
  at: (book: AdvanceBook) => T,
): Promise<T[]> {
  const last = places.at(-1)?.version ?? 0n;
  const charges = [...(await query<LineRow>(REFUNDED, [accountId, last]))].reverse();
  const book = new AdvanceBook();
  const found: T[] = [];
  let version = 0n;
  for (const place of places) {
    for (let more = true; more; ) {
      const page = await query<LineRow>(POSTINGS, [accountId, version, place.version]);
      for (const line of page) {
        addChargesBefore(book, charges, line.version);
        book.add(line);
      }
      version = page.at(-1)?.version ?? version;
      more = page.length === LINES_AT_ONCE;
    }
    addChargesBefore(book, charges, place.version + 1n);
    book.spendTo(place.postedMicro);
    version = place.version;
    found.push(at(book));
  }
  return found;
}

function addChargesBefore(book: AdvanceBook, charges: AdvanceLine[], version: bigint): void {
  for (let next = charges.at(-1); next && next.version < version; next = charges.at(-1)) {
    charges.pop();
    book.add(next);
  }
}
