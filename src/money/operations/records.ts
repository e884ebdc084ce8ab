import type { SealedContent } from '../../kernel/fields/sealed.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import { OPERATION_RECEIPT } from '../ledger/operation-receipts.js';
import { OPERATION_CONTENT } from './tables.js';

/** Operations of before made a document by themselves, beside those of their month. */
function formerOperation(content: SealedContent): SealedContent {
  return { documents: [], ...content };
}

/** Operations on balances: once for a line of the ledger. */
export const BALANCE_OPERATION_RECEIPTS = receiptKind({
  kind: OPERATION_RECEIPT,
  type: 'BalanceOperation',
  description: 'An operation on the balance by administrators of the platform.',
  queries: 'billing.read',
  content: OPERATION_CONTENT,
  former: formerOperation,
});
