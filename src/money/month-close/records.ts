import { receiptKind } from '../../records/receipt-kinds.js';
import { CLOSE_CONTENT } from './tables.js';

/** Closed months: once for a month. */
export const MONTH_CLOSES = receiptKind({
  kind: 'month_close',
  type: 'MonthClose',
  description: 'A month of the books, closed once: services with their tax, advances, documents.',
  queries: 'billing.read',
  content: CLOSE_CONTENT,
});
