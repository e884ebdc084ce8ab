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
import { TRANSFORM_RESULT_FIELDS } from './tables.js';
import { TRANSFORMS, WORKLOAD_DATA_CLASSES } from './vocabulary.js';

/** An answer is kept for a day at most. */
/** The longest that a workload contract lets answers be kept, in seconds. */
export const CACHE_SECONDS_MAX = 86_400;

/** What a contract says of the requests of a workload. */
export const CONTRACT_FIELDS = {
  contractKey: text('What the workload is called; `default` is that of requests that name none.', {
    max: 64,
  }),
  exactCacheEnabled: flag('Whether equal requests may be answered from the cache.'),
  exactCacheSeconds: defaulting(
    integer('How long an answer is kept.', { min: 1, max: CACHE_SECONDS_MAX }),
    3_600,
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
