import {
  anyText,
  canonicalObjectSql,
  nullableText,
  plainText,
  timeText,
  wholeNumber,
} from '../../records/canonical-sql.js';
import { ENTRY_LEAF } from '../ledger/entry-leaf.js';
import { type BookTable, type Spelling, spelledColumns } from './columns.js';

const SPELL = {
  id: plainText,
  optional_id: nullableText,
  text: anyText,
  number: wholeNumber,
  big: plainText,
  time: timeText,
  json: (column: string) => anyText(`${column}::text`),
} satisfies Record<Spelling, (column: string) => unknown>;

/** The text of the leaf of a row: canonical JSON of its columns, and of which table it is. */
function leafOf(table: BookTable, alias: string): string {
  const columns = [...spelledColumns(table)].map(
    ([name, spelling]) => [name, SPELL[spelling](`${alias}.${name}`)] as const,
  );
  const members = [...columns, ['kind', table] as const];
  return canonicalObjectSql(Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** The text of a usage row `u`. Objects in it are texts as PostgreSQL spells them. */
export const USAGE_LEAF = leafOf('usage_event', 'u');

/** The text of a hold row `h`: what of it never changes. */
const HOLD_LEAF = leafOf('hold', 'h');

/**
 * The leaves of a period of $1 from $2 to $3: each ledger line, behind a hold line its hold row,
 * and each usage row. They stand in the order of their times, so the root over them does not depend
 * on how many were read at once.
 */
export const PERIOD_LEAVES = `
  SELECT e.created_at AS at, 0 AS rank, e.account_id AS id, e.account_version AS version,
    ${ENTRY_LEAF} AS leaf
  FROM ledger_entry e
  WHERE e.tenant_id = $1 AND e.created_at >= $2 AND e.created_at < $3
  UNION ALL
  SELECT e.created_at, 1, e.account_id, e.account_version, ${HOLD_LEAF}
  FROM ledger_entry e JOIN hold h ON h.account_id = e.account_id AND h.request_id = e.request_id
  WHERE e.tenant_id = $1 AND e.created_at >= $2 AND e.created_at < $3 AND e.type = 'hold'
    AND h.tenant_id = $1
  UNION ALL
  SELECT u.created_at, 2, u.id, 0, ${USAGE_LEAF}
  FROM usage_event u
  WHERE u.tenant_id = $1 AND u.created_at >= $2 AND u.created_at < $3`;

/** The order of the leaves. */
export const LEAF_ORDER = 'at, rank, id, version';
