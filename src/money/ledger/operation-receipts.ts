import { RECEIPT_TEXTS } from '../../records/receipt-texts.js';

/** The kind of receipt that each line of an operation on a balance has. */
export const OPERATION_RECEIPT = 'balance_operation';

/** Lines that a person has posted, other than top-ups: each is an operation. */
export const BY_OPERATION = `(type IN ('credit', 'adjustment', 'balance_return')
  OR (type = 'refund' AND actor_id IS NOT NULL))`;

/**
 * Lines of operations whose receipt is missing or tells another amount, as rows of (tenant,
 * subject, detail); `lines` has the columns of the ledger. Line and receipt are of one transaction.
 */
export function withoutReceipt(lines: string): string {
  return `
    SELECT tenant_id, request_id::text, type || ' of ' || posted_delta || ', its receipt '
      || COALESCE('says ' || (told ->> 'amount_rub'), 'is missing')
    FROM ${lines} CROSS JOIN LATERAL (
      SELECT (SELECT r.content::jsonb FROM ${RECEIPT_TEXTS} r
        WHERE r.tenant_id = ${lines}.tenant_id AND r.kind = '${OPERATION_RECEIPT}'
          AND r.seal_key = ${lines}.request_id::text) AS told
      OFFSET 0
    ) receipt
    WHERE ${BY_OPERATION}
      AND (told ->> 'amount_rub')::numeric * 1000000 IS DISTINCT FROM posted_delta`;
}
