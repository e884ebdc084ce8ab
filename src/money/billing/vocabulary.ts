/** Kinds of ledger entries. */
export const LEDGER_TYPES = [
  { code: 'top_up', description: 'Funds came in.' },
  { code: 'hold', description: 'Funds were reserved for a request.' },
  { code: 'finalize', description: 'A request was charged and its reservation ended.' },
  { code: 'release', description: 'A reservation ended without a charge.' },
  { code: 'refund', description: 'A charge was given back.' },
  { code: 'adjustment', description: 'A correction by the operator, either way.' },
  { code: 'credit', description: 'Funds given by the operator.' },
] as const;

/** A kind of ledger entry. */
export type LedgerType = (typeof LEDGER_TYPES)[number]['code'];

/** How a request ended. */
export const USAGE_STATUSES = [
  { code: 'complete', description: 'Answered in full.' },
  { code: 'partial', description: 'Cut off; what had been produced was charged.' },
  { code: 'failed', description: 'Not answered; nothing was charged.' },
] as const;

/** How a request ended. */
export type UsageStatus = (typeof USAGE_STATUSES)[number]['code'];
