import {
  code,
  defaulting,
  flag,
  integer,
  list,
  optional,
  sha256,
  text,
} from '../../kernel/fields/field.js';
import { contractKind } from '../../records/contract-kinds.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import {
  ASYNC_CLASSES,
  CACHE_BYPASSES,
  CACHE_SCOPES,
  HISTORY_MESSAGES_MAX,
  REASONING_EFFORTS,
} from './contract-vocabulary.js';
import { TRANSFORM_RESULT_FIELDS } from './tables.js';
import { TOKENS_MAX, TRANSFORMS, WORKLOAD_DATA_CLASSES } from './vocabulary.js';

/** The longest that a workload contract lets answers be kept, in seconds. */
export const CACHE_SECONDS_MAX = 86_400;

/** What a contract says of the requests of a workload. */
export const CONTRACT_FIELDS = {
  contractKey: text('What the workload is called; `default` is that of requests that name none.', {
    max: 64,
  }),
  exactCacheEnabled: flag('Whether equal requests may be answered from the cache.'),
  exactCacheSeconds: defaulting(
    integer('How long an answer is kept, and how old a kept one may be.', {
      min: 1,
      max: CACHE_SECONDS_MAX,
    }),
    3_600,
  ),
  exactCacheByClient: optional(
    flag(
      'True keeps the answers of each `metadata.client_id` apart, as the scope `client` does; ' +
        'the scope decides where it is stated.',
    ),
  ),
  exactCacheScope: optional(
    code(CACHE_SCOPES, 'Who shares kept answers; the organization unless it is stated.'),
  ),
  exactCacheBypass: optional(
    code(CACHE_BYPASSES, 'Which directives of clients are obeyed; all unless it is stated.'),
  ),
  outputTokensMax: optional(
    integer('The most tokens of one choice of an answer; a lower limit of the request holds.', {
      min: 1,
      max: TOKENS_MAX,
    }),
  ),
  reasoningEffortMax: optional(
    code(REASONING_EFFORTS, 'The most reasoning; models that cannot reason are not told.'),
  ),
  historyMessagesMax: optional(
    integer(
      'How many messages before the last one of the user are sent, in whole turns and without ' +
        'those of the system, which are always sent.',
      { min: 0, max: HISTORY_MESSAGES_MAX },
    ),
  ),
  historyTokensMax: optional(
    integer('How many tokens these messages may have together, counted by o200k.', {
      min: 0,
      max: TOKENS_MAX,
    }),
  ),
  retrievalTokensMax: optional(
    integer('How many tokens the kept blocks of `gw_context` may have together.', {
      min: 0,
      max: TOKENS_MAX,
    }),
  ),
  asyncFrom: optional(
    code(
      ASYNC_CLASSES,
      'From which `metadata.interaction_class` on the receipt recommends asynchronous work.',
    ),
  ),
} as const;

/** The contracts of workloads: versions only grow. */
export const WORKLOAD_CONTRACTS = contractKind({
  kind: 'workload_shape',
  type: 'WorkloadContract',
  description: 'A version of what holds for the requests of a workload.',
  body: CONTRACT_FIELDS,
  key: 'contractKey',
  list: { field: 'workloadContracts', permission: 'workloads.read', by: ['contractKey'] },
});

/** Receipts of projected transforms: once for a reference. */
export const TRANSFORM_RECEIPTS = receiptKind({
  kind: 'context_transform',
  type: 'ContextTransformReceipt',
  description: 'What transforms of a context would save, sealed once; never authoritative.',
  queries: 'workloads.read',
  content: {
    transformRef: text('What the caller calls the transform.'),
    dataClass: optional(code(WORKLOAD_DATA_CLASSES, 'The class of the data, as it was stated.')),
    textSha256: optional(sha256('SHA-256 of the text in UTF-8; null where its length was stated.')),
    transforms: list(code(TRANSFORMS, 'A transform.'), 'What is done, in this order.'),
    ...TRANSFORM_RESULT_FIELDS,
    authoritative: flag('False: a projection, not a measurement of a model.'),
  },
});
