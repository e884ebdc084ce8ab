import { receiptKind } from '../../records/receipt-kinds.js';
import { FORECAST_FIELDS, RECEIPT_FIELDS } from './tables.js';

/** Forecasts, each recorded once, so that they can be compared with what was really spent. */
export const FORECASTS = receiptKind({
  kind: 'cost_forecast',
  type: 'CostForecast',
  description: 'What a run will cost, recorded before it is made.',
  queries: 'finops.read',
  content: FORECAST_FIELDS,
});

/** Receipts of costs: once for a request or a reference. */
export const COST_RECEIPTS = receiptKind({
  kind: 'cost_receipt',
  type: 'CostReceipt',
  description: 'What was paid for, part by part.',
  content: RECEIPT_FIELDS,
});
