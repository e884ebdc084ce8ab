import { receiptKind } from '../../records/receipt-kinds.js';
import { OPERATION_RECEIPT } from '../ledger/operation-receipts.js';
import { OPERATION_CONTENT } from './tables.js';

/** Operations on balances: once for a line of the ledger. */
export const BALANCE_OPERATION_RECEIPTS = receiptKind({
  kind: OPERATION_RECEIPT,
  type: 'BalanceOperation',
  description: 'An operation on the balance by administrators of the platform, with its document.',
  queries: 'billing.read',
  content: OPERATION_CONTENT,
});
