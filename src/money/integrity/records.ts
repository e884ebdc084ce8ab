import { receiptKind } from '../../records/receipt-kinds.js';
import { RECEIPT_CONTENT } from './tables.js';

/** Receipts of integrity: once for a period. */
export const INTEGRITY_RECEIPTS = receiptKind({
  kind: 'billing_integrity',
  type: 'BillingIntegrityReceipt',
  description: 'What the three checks say of a period, sealed once for it.',
  queries: 'billing.read',
  content: RECEIPT_CONTENT,
});
