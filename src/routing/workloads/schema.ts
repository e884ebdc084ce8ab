import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { inputOf, outputOf } from '../../graph/table-types.js';
import { contractEffect } from './effect.js';
import { CONTRACT_EFFECT } from './effect-tables.js';
import { TRANSFORM_RECEIPTS, WORKLOAD_CONTRACTS } from './records.js';
import './reference.js';
import {
  admission,
  CONTRACT_INPUT,
  planDedup,
  publishContract,
  sealTransform,
  TRANSFORM_SEAL_INPUT,
} from './service.js';
import { ADMISSION, ADMISSION_INPUT, DEDUP, DEDUP_INPUT } from './tables.js';
import './what-ifs.js';

builder.queryFields((t) => ({
  workloadAdmission: t.field({
    type: outputOf(ADMISSION),
    description: 'Whether this node would serve a request now, by its real load.',
    complexity: { field: 1, multiplier: 1 },
    args: {
      input: t.arg({
        type: inputOf(ADMISSION_INPUT),
        required: true,
        description: 'What is known of the request.',
      }),
    },
    resolve: (_root, { input }, ctx) => admission(ctx, input),
  }),
  workloadContractEffect: t.field({
    type: outputOf(CONTRACT_EFFECT),
    description:
      'What a contract would have done in the last seven days: a dry run of ' +
      '`workloadContractPublish`.',
    authScopes: { can: 'workloads.write' },
    complexity: { field: 30, multiplier: 1 },
    args: {
      input: t.arg({
        type: inputOf(CONTRACT_INPUT),
        required: true,
        description: 'What would hold for the workload.',
      }),
    },
    resolve: (_root, { input }, ctx) => contractEffect(authorized(ctx), input),
  }),
  documentDedup: t.field({
    type: outputOf(DEDUP),
    description: 'Whether a stored result may stand for a document: only if all five parts match.',
    authScopes: { can: 'workloads.read' },
    args: {
      input: t.arg({
        type: inputOf(DEDUP_INPUT),
        required: true,
        description: 'The document and the stored result.',
      }),
    },
    resolve: (_root, { input }, ctx) => planDedup(authorized(ctx), input),
  }),
}));

builder.mutationFields((t) => ({
  workloadContractPublish: t.field({
    type: WORKLOAD_CONTRACTS.type,
    description: 'Publishes the next version of a contract; it holds from the next request on.',
    authScopes: { can: 'workloads.write' },
    args: {
      input: t.arg({
        type: inputOf(CONTRACT_INPUT),
        required: true,
        description: 'What holds for the workload.',
      }),
    },
    resolve: (_root, { input }, ctx) => publishContract(authorized(ctx), input),
  }),
  contextTransformSeal: t.field({
    type: TRANSFORM_RECEIPTS.type,
    description: 'Projects transforms of a context and seals the projection, once for a reference.',
    authScopes: { can: 'workloads.write' },
    args: {
      input: t.arg({
        type: inputOf(TRANSFORM_SEAL_INPUT),
        required: true,
        description: 'The text, or its length, and what is done to it.',
      }),
    },
    resolve: (_root, { input }, ctx) => sealTransform(authorized(ctx), input),
  }),
}));
