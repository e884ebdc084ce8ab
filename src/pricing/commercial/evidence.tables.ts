import {
  fieldTable,
  flag,
  instant,
  money,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';

/** The reference of a deal. */
export const DEAL_REF = text("The caller's own name of the deal.", { max: 128 });

/** A top-up that is evidence for a deal. */
export const COUNTED_TOP_UP = fieldTable('WtpTopUp', 'A top-up that counts.', {
  requestId: uuid('The id of the top-up in the ledger.'),
  amountMicro: money('The amount that was topped up.'),
  countedMicro: optional(
    money(
      'The part of it that is evidence for this deal. Null in receipts that were sealed while a ' +
        'top-up counted for every deal.',
    ),
  ),
  isStated: optional(
    flag('Whether the top-up was stated for this deal. Null in the same receipts.'),
  ),
  toppedUpAt: instant('The moment of the ledger entry.'),
});

/** A top-up that is stated for a deal. */
export const EVIDENCE_INPUT = fieldTable('WtpEvidenceInput', 'The deal that a top-up is for.', {
  topUpId: uuid('The id of the top-up in the ledger.'),
  dealRef: DEAL_REF,
});

/** What a version of such a statement says. */
export const EVIDENCE_FIELDS = {
  topUpId: text('The id of the top-up in the ledger.'),
  dealRef: text("The caller's own name of the deal that it is for."),
} as const;
