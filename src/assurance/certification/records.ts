import { receiptKind } from '../../records/receipt-kinds.js';
import { CERTIFICATION_CONTENT } from './tables.js';

/** Receipts of decided reviews: once for each review. */
export const CERTIFICATION_RECEIPTS = receiptKind({
  kind: 'certification',
  type: 'CertificationReceipt',
  description: 'What a review of a badge ended in, sealed by the decision.',
  queries: 'certification.read',
  content: CERTIFICATION_CONTENT,
});
