import {
  anyText,
  canonicalObjectSql,
  nullableText,
  plainText,
  timeText,
  wholeNumber,
} from '../../records/canonical-sql.js';

/** The text of a line of the ledger, of a row `e`. Money is text, in micro-rubles. */
export const ENTRY_LEAF = canonicalObjectSql({
  account_id: plainText('e.account_id'),
  account_version: plainText('e.account_version'),
  actor_id: nullableText('e.actor_id'),
  amount_micro: plainText('e.amount_micro'),
  charged_request_id: nullableText('e.charged_request_id'),
  contra: plainText('e.contra'),
  created_at: timeText('e.created_at'),
  description: anyText('e.description'),
  held_after: plainText('e.held_after'),
  held_delta: plainText('e.held_delta'),
  kind: 'ledger_entry',
  posted_after: plainText('e.posted_after'),
  posted_delta: plainText('e.posted_delta'),
  request_id: plainText('e.request_id'),
  tenant_id: plainText('e.tenant_id'),
  type: plainText('e.type'),
  vat_micro: plainText('e.vat_micro'),
  vat_rate_basis_points: wholeNumber('e.vat_rate_basis_points'),
});

/** The hash of a leaf with this text, by RFC 6962. */
export function leafHashSql(leaf: string): string {
  return `sha256('\\x00'::bytea || convert_to(${leaf}, 'UTF8'))`;
}
