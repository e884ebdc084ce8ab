import { receiptKind } from '../../records/receipt-kinds.js';
import { ERASURE_FIELDS } from './tables.js';

/** Receipts of erasures: one for each. */
export const ERASURE_RECEIPTS = receiptKind({
  kind: 'personal_data_erasure',
  type: 'PersonalDataErasureReceipt',
  description: 'That an organization has erased its personal data, sealed in its transaction.',
  content: ERASURE_FIELDS,
  queries: 'personal_data.erase',
});
