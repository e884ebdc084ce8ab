import { MICRO_PER_RUB } from '../../kernel/money.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** Kinds of ledger entries. */
export const LEDGER_TYPES = vocabulary(
  'LedgerEntryType',
  'What kind of money operation a ledger entry is.',
  [
    { code: 'top_up', description: 'Funds were added to the account.' },
    { code: 'hold', description: 'Funds were reserved for a request.' },
    { code: 'finalize', description: 'A request was charged and its reservation ended.' },
    { code: 'release', description: 'A reservation ended without a charge.' },
    { code: 'refund', description: 'A charge was given back.' },
    { code: 'adjustment', description: 'A correction by the operator, either way.' },
    { code: 'credit', description: 'Funds given by the operator.' },
    { code: 'balance_return', description: 'Unused funds were returned to the customer.' },
  ],
);

/** How a request ended. */
export const USAGE_STATUSES = vocabulary('UsageStatus', 'How a request ended.', [
  { code: 'complete', description: 'Answered in full.' },
  { code: 'partial', description: 'Cut off; what had been produced was charged.' },
  { code: 'failed', description: 'Not answered; nothing was charged.' },
]);

/** What can be asked of a model. */
export const USAGE_OPERATIONS = vocabulary('UsageOperation', 'What can be asked of a model.', [
  { code: 'chat', description: 'An answer in words, or calls of tools.' },
  { code: 'embeddings', description: 'Vectors of texts.' },
]);

/** Who counted the tokens of a request. */
export const USAGE_SOURCES = vocabulary('UsageSource', 'Who counted the tokens of a request.', [
  { code: 'upstream', description: 'The provider counted them.' },
  {
    code: 'estimated',
    description: 'The gateway counted them: the provider gave no figures or contradictory ones.',
  },
]);

/** Classes of the service level; the targets of each are those of `gw_slo`. */
export const SLA_CLASSES = vocabulary(
  'SlaClass',
  'A class of the service level; its targets stand in the receipt `gw_slo`.',
  [
    {
      code: 'standard',
      description: 'The class that every organization begins with.',
      latencyMsMax: 30_000,
      timeToFirstTokenMsMax: 3_000,
      targetBasisPoints: 9_500,
    },
    {
      code: 'business',
      description: 'Shorter latency targets than `standard`.',
      latencyMsMax: 20_000,
      timeToFirstTokenMsMax: 2_000,
      targetBasisPoints: 9_900,
    },
    {
      code: 'enterprise',
      description: 'The shortest latency targets.',
      latencyMsMax: 15_000,
      timeToFirstTokenMsMax: 1_500,
      targetBasisPoints: 9_950,
    },
  ],
);

/** A class of the service level. */
export type SlaClass = CodeOf<typeof SLA_CLASSES>;

/** What a class aims at; an unknown one aims at what every organization begins with. */
export function slaTargets(code: string): (typeof SLA_CLASSES.rows)[number] {
  const row = SLA_CLASSES.find(code) ?? SLA_CLASSES.find('standard');
  if (!row) throw new TypeError('there is no class of the service level');
  return row;
}

/** What a new organization begins with. */
export const DEFAULT_TERMS = {
  plan: 'prepaid',
  slaClass: 'standard',
  commitMicro: 0n,
  reason: 'The terms of every new organization.',
} as const;

/** Bounds of commercial terms. */
export const TERMS_BOUNDS = {
  planChars: 60,
  reasonChars: 500,
  commitMicroMax: 1_000_000_000n * MICRO_PER_RUB,
  /** How far ahead terms may begin: five years. */
  aheadMs: 5 * 366 * 86_400_000,
} as const;
