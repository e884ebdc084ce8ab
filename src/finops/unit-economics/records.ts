import { receiptKind } from '../../records/receipt-kinds.js';
import { RECEIPT_FIELDS } from './cost-tables.js';

/** FinOps receipts: once for a month that is over, and once a day for one that goes on. */
export const FINOPS_RECEIPTS = receiptKind({
  kind: 'finops',
  type: 'FinopsReceipt',
  description:
    'The metrics of a period, each with where it comes from or what it lacks, sealed once. Costs ' +
    'that are recorded later for the period change no receipt of it.',
  queries: 'unit_economics.read',
  content: RECEIPT_FIELDS,
});
