import { receiptKind } from '../../records/receipt-kinds.js';
import { RECEIPT_FIELDS } from './tables.js';

/** Receipts of incidents: one for each, sealed when it is recorded. */
export const INCIDENT_RECEIPTS = receiptKind({
  kind: 'abuse_incident',
  type: 'AbuseIncidentReceipt',
  description:
    'What an incident was and what the gateway did to the key, sealed in its transaction. What ' +
    'is undone later stands in the action and in the audit trail.',
  content: RECEIPT_FIELDS,
});
