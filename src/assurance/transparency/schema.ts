import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, outputOf, storedFields, typed } from '../../graph/table-types.js';
import {
  bigInteger,
  defaulting,
  fieldTable,
  instant,
  integer,
  list,
  optional,
  sha256,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { codes, publishReference } from '../../records/reference-field.js';
import {
  checkpointById,
  consistencyOf,
  exportLog,
  inclusionAt,
  inclusionOfEntry,
  inclusionOfReceipt,
  latestCheckpoint,
} from './service.js';
import { COSIGNATURE } from './tables.js';
import { LEAF_KINDS, LOG_EXPORT_DEFAULT, LOG_EXPORT_MAX, LOG_RULE } from './vocabulary.js';

const READ = { can: 'transparency.read' } as const;
/** A proof reads some tiles of 256 hashes. */
const COMPLEXITY = { field: 10, multiplier: 1 } as const;

const LogCheckpoint = builder.prismaNode('LogCheckpoint', {
  id: { field: 'id', description: 'The id of the checkpoint.' },
  description: 'What the house has signed of the transparency log of the organization.',
  fields: (t) => ({
    ...storedFields(t, {
      size: bigInteger('How many leaves the log had.'),
      rootSha256: sha256('The root of the tree over them.'),
    }),
    statement: t.string({
      description:
        'What the house has signed: a JWS with organization, size, root and time. Where its key ' +
        'is published no more, the same is signed anew.',
      select: { size: true, rootSha256: true, statement: true, tenantId: true },
      resolve: (checkpoint, _args, { services }) =>
        services.transparencyLog.published(checkpoint.tenantId, checkpoint),
    }),
    ...storedFields(t, { createdAt: instant('When it was signed.') }),
    cosignatures: t.field({
      type: [outputOf(COSIGNATURE)],
      description:
        'The witnesses that have cosigned it under the present publication of the log; proof of ' +
        'it is the note of the checkpoint.',
      select: {
        cosignatures: {
          where: { publication: { endedAt: null } },
          orderBy: [{ createdAt: 'asc' }, { witness: 'asc' }],
        },
      },
      resolve: ({ cosignatures }) =>
        cosignatures.map(({ witness, cosignedAt }) => ({
          witness: witness.split('+')[0] ?? '',
          time: cosignedAt,
        })),
    }),
  }),
});

const HASHES = list(
  sha256('A hash of a node.'),
  'The hashes of the proof, in the order of the RFC.',
);

const INCLUSION = fieldTable(
  'LogInclusion',
  'What proves that a leaf stands in the log of a checkpoint (RFC 6962, 2.1.1).',
  {
    index: bigInteger('The place of the leaf, from 0.'),
    leaf: text('The text of the leaf, as its row says it now.'),
    leafSha256: sha256('The hash of the leaf.'),
    hashes: HASHES,
    checkpoint: typed(LogCheckpoint, 'The checkpoint whose root the proof ends in.'),
  },
);

const CONSISTENCY = fieldTable(
  'LogConsistency',
  'What proves that the log of a checkpoint is the begin of that of a later one (RFC 6962, 2.1.2).',
  {
    first: typed(LogCheckpoint, 'The checkpoint of the smaller log.'),
    second: typed(LogCheckpoint, 'The checkpoint of the larger log.'),
    hashes: HASHES,
  },
);

publishReference({
  module: 'transparency',
  type: 'TransparencyReference',
  description: 'What the transparency log holds, and how anyone verifies it.',
  lists: { leafKinds: codes('leaf_kind', LEAF_KINDS) },
  figures: {
    fields: {
      rule: text('How leaves and nodes are hashed, and what is signed.'),
      verifier: text('The program that verifies an export and proofs without a server.'),
      exportMax: integer('The most leaves of one export; the next begins behind its last.'),
    },
    values: {
      rule: LOG_RULE,
      verifier: 'tools/verify-transparency-log.mjs',
      exportMax: LOG_EXPORT_MAX,
    },
  },
});

ownList({
  field: 'logCheckpoints',
  type: LogCheckpoint,
  description: 'The signed checkpoints of the transparency log.',
  permission: 'transparency.read',
});

const AT = { checkpointId: optional(uuid('The checkpoint; the latest by default.')) };

builder.queryFields((t) => ({
  logCheckpointLatest: t.field({
    type: LogCheckpoint,
    description: 'The checkpoint of all that has been committed by now, signed where it is new.',
    authScopes: READ,
    complexity: COMPLEXITY,
    resolve: (_root, _args, ctx) => latestCheckpoint(authorized(ctx)) as never,
  }),
  logCheckpoint: t.field({
    type: LogCheckpoint,
    description: 'A signed checkpoint by its id.',
    authScopes: READ,
    args: argsOf(t, { id: uuid('The checkpoint that is read.') }),
    resolve: (_root, { id }, ctx) => checkpointById(authorized(ctx), id) as never,
  }),
  logInclusion: t.field({
    type: outputOf(INCLUSION),
    description: 'Proves that a leaf stands in the log, by its place.',
    authScopes: READ,
    complexity: COMPLEXITY,
    args: argsOf(t, { index: bigInteger('The place of the leaf, from 0.'), ...AT }),
    resolve: (_root, { index, checkpointId }, ctx) =>
      inclusionAt(authorized(ctx), index, checkpointId) as never,
  }),
  logEntryInclusion: t.field({
    type: outputOf(INCLUSION),
    description: 'Proves that a line of the ledger stands in the log.',
    authScopes: READ,
    complexity: COMPLEXITY,
    args: argsOf(t, { sequence: bigInteger('The `sequence` of the line.'), ...AT }),
    resolve: (_root, { sequence, checkpointId }, ctx) =>
      inclusionOfEntry(authorized(ctx), sequence, checkpointId) as never,
  }),
  logReceiptInclusion: t.field({
    type: outputOf(INCLUSION),
    description: 'Proves that a sealed receipt stands in the log.',
    authScopes: READ,
    complexity: COMPLEXITY,
    args: argsOf(t, { id: text('The id of the receipt.'), ...AT }),
    resolve: (_root, { id, checkpointId }, ctx) =>
      inclusionOfReceipt(authorized(ctx), id, checkpointId) as never,
  }),
  logConsistency: t.field({
    type: outputOf(CONSISTENCY),
    description: 'Proves that nothing in the log has changed between two checkpoints.',
    authScopes: READ,
    complexity: COMPLEXITY,
    args: argsOf(t, {
      id: uuid('One of the checkpoints.'),
      withId: optional(uuid('The other checkpoint; the latest by default.')),
    }),
    resolve: (_root, { id, withId }, ctx) => consistencyOf(authorized(ctx), id, withId) as never,
  }),
  logExport: t.string({
    description:
      'The transparency log as text, one leaf a line; behind its end the checkpoint, the one ' +
      'before it, and proofs of both and of the last leaf.',
    authScopes: READ,
    complexity: 200,
    args: argsOf(t, {
      after: defaulting(integer('How many leaves from the begin are known already.'), 0),
      limit: defaulting(integer(`How many leaves, at most ${LOG_EXPORT_MAX}.`), LOG_EXPORT_DEFAULT),
    }),
    resolve: (_root, wish, ctx) => exportLog(authorized(ctx), wish),
  }),
}));
