import type { SealedContent } from '../../kernel/fields/sealed.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import { CLOSE_CONTENT } from './tables.js';

const NONE = '0.00';
const NO_BONUS = {
  opening_rub: NONE,
  given_rub: NONE,
  used_rub: NONE,
  restored_rub: NONE,
  withdrawn_rub: NONE,
  closing_rub: NONE,
};
const NO_CORRECTION = {
  net_rub: NONE,
  vat_rub: NONE,
  gross_rub: NONE,
  rounding: 'half_up_largest_remainder',
  remainder_rub: NONE,
  vat_remainder_rub: NONE,
};

/**
 * Months that were closed before advances were lots have one remainder, took every refund off their
 * own services, and say nothing of lots or of a bonus.
 */
function formerClose(content: SealedContent): SealedContent {
  if (content.remainders !== undefined) return content;
  return {
    corrections: [],
    correction_total: NO_CORRECTION,
    lots: [],
    remainders: [content.remainder ?? null],
    transitions: [],
    bonus: NO_BONUS,
    owed_rub: NONE,
    ...content,
    movements: { returns_rub: NONE, ...(content.movements as SealedContent) },
  };
}

/** Closed months: once for a month. */
export const MONTH_CLOSES = receiptKind({
  kind: 'month_close',
  type: 'MonthClose',
  description: 'A month of the books, closed once: services with their tax, advances, documents.',
  queries: 'billing.read',
  content: CLOSE_CONTENT,
  former: formerClose,
});
