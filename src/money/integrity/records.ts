import type { ValuesOf } from '../../kernel/fields/field.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import { RECEIPT_CONTENT } from './tables.js';

/** What a receipt of integrity says. */
export type IntegrityContent = ValuesOf<typeof RECEIPT_CONTENT>;

/** Receipts of integrity: once for a period, and again where its rows contradict the latest. */
export const INTEGRITY_RECEIPTS = receiptKind({
  kind: 'billing_integrity',
  type: 'BillingIntegrityReceipt',
  description: 'What the rows of a period say, sealed once for it.',
  queries: 'billing.read',
  content: RECEIPT_CONTENT,
});
