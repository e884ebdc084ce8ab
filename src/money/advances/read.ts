import type { SnapshotQuery } from '../../platform/database/tenant-snapshot.js';
import { AdvanceBook, type AdvanceLine, type AdvanceState } from './lots.rules.js';

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

/**
 * The charges in a range of lines that refunds name, which are later than they, or that the caller
 * names; of each one look at the unique index.
 */
const REFUNDED = `SELECT c.* FROM (
    SELECT charged_request_id AS id FROM ledger_entry
    WHERE account_id = $1::uuid AND account_version > $2::bigint AND type = 'refund'
      AND charged_request_id IS NOT NULL
    UNION SELECT unnest($4::uuid[])
  ) named CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM ledger_entry
    WHERE account_id = $1::uuid AND request_id = named.id AND type = 'finalize' OFFSET 0
  ) c
  WHERE c.version > $2::bigint AND c.version <= $3::bigint
  ORDER BY c.version`;

type LineRow = AdvanceLine & Record<string, unknown>;

/** A place in the lines of an account: the last line before it, with the balance after it. */
export interface LinePlace {
  readonly version: bigint;
  readonly postedMicro: bigint;
}

/**
 * The book of an account, read on from place to place: postings in pages by their numbers; what
 * charges took between them follows from the balances. Its cost is that of the postings.
 */
export class AdvanceReading {
  private readonly book = new AdvanceBook();
  private readonly alsoCharges: readonly string[];
  private version = 0n;

  /** @param alsoCharge a charge that is about to be refunded */
  constructor(
    readonly accountId: string,
    alsoCharge: string | null = null,
  ) {
    this.alsoCharges = alsoCharge === null ? [] : [alsoCharge];
  }

  /**
   * Reads on up to a place.
   * @returns false where a refund is of a charge that an earlier reading passed over, since nobody
   * had refunded it then: what it took is not known, and the book has to be read anew
   */
  async readTo(query: SnapshotQuery, place: LinePlace): Promise<boolean> {
    const { accountId, book } = this;
    const isWhole = this.version === 0n;
    const range = [accountId, this.version, place.version];
    const charges = await query<LineRow>(REFUNDED, [...range, this.alsoCharges]);
    const left = [...charges].reverse();
    let isKnown = true;
    for (let more = true; more; ) {
      const page = await query<LineRow>(POSTINGS, [accountId, this.version, place.version]);
      for (const line of page) {
        addChargesBefore(book, left, line.version);
        isKnown &&= line.chargedRequestId === null || book.hasCharge(line.chargedRequestId);
        book.add(line);
      }
      this.version = page.at(-1)?.version ?? this.version;
      more = page.length === LINES_AT_ONCE;
    }
    addChargesBefore(book, left, place.version + 1n);
    book.spendTo(place.postedMicro);
    this.version = place.version;
    return isWhole || isKnown;
  }

  /** The book with a line that was written after the place that was read last. */
  add(line: AdvanceLine): void {
    this.book.add(line);
    this.version = line.version;
  }

  state(): AdvanceState {
    return this.book.state();
  }
}

/** The states of the advances of an account at places, in their order. */
export async function readAdvances(
  query: SnapshotQuery,
  accountId: string,
  places: readonly LinePlace[],
): Promise<AdvanceState[]> {
  const reading = new AdvanceReading(accountId);
  const found: AdvanceState[] = [];
  for (const place of places) {
    await reading.readTo(query, place);
    found.push(reading.state());
  }
  return found;
}

function addChargesBefore(book: AdvanceBook, charges: AdvanceLine[], version: bigint): void {
  for (let next = charges.at(-1); next && next.version < version; next = charges.at(-1)) {
    charges.pop();
    book.add(next);
  }
}
