import { contractKind } from '../../records/contract-kinds.js';
import type { Journal } from '../../records/journals.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import { EVIDENCE_FIELDS } from './evidence.tables.js';
import { RECEIPT_FIELDS, WTP_FIELDS } from './tables.js';
import { DEAL_OUTCOMES, type DealOutcome } from './vocabulary.js';

/** Hypotheses of willingness to pay: a deal's are 1, 2, 3, and none is ever changed. */
export const WTP_HYPOTHESES = contractKind({
  kind: 'wtp_hypothesis',
  type: 'WtpHypothesis',
  description: 'What somebody believed a customer to be willing to pay, as it was recorded.',
  body: WTP_FIELDS,
  key: 'dealRef',
  list: { field: 'wtpHypotheses', permission: 'commercial.read', by: ['dealRef'] },
});

/** Statements of the deal that a top-up is for: the latest of a top-up decides. */
export const WTP_EVIDENCE = contractKind({
  kind: 'wtp_evidence',
  type: 'WtpEvidence',
  description: 'The deal that a top-up was stated to be for.',
  body: EVIDENCE_FIELDS,
  key: 'topUpId',
  list: { field: 'wtpEvidence', permission: 'commercial.read', by: ['topUpId'] },
});

/** Outcomes of deals: the subject is the reference of the deal. */
export const DEAL_JOURNAL: Journal<DealOutcome> = {
  kind: 'deal_outcome',
  values: DEAL_OUTCOMES.codes,
};

/** Commercial receipts: once for a deal reference. */
export const COMMERCIAL_RECEIPTS = receiptKind({
  kind: 'commercial',
  type: 'CommercialReceipt',
  description: 'What the ledger said of a hypothesis, sealed once for its deal.',
  queries: 'commercial.read',
  content: RECEIPT_FIELDS,
});
