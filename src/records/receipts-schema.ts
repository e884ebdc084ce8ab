import { builder } from '../graph/builder.js';
import { authorized, database } from '../graph/database.js';
import { enumValues } from '../graph/enums.js';
import { DateTimeFilter, ListOrder, ORDER_BY, StringFilter } from '../graph/filters.js';
import { loadNodesOf } from '../graph/node.js';
import { connectionOf, forwardArgs, pageComplexity } from '../graph/page.js';
import { OTHER_RECEIPT, type Receipt, receiptOf, typeOfReceipt } from './receipt.js';
import {
  type ChainVerification,
  receiptById,
  receiptsOfKind,
  type Verification,
  verifyChain,
  verifyReceipt,
} from './receipts.js';
import { CHAIN_FAULTS, type ChainFault } from './receipts.rules.js';

/** Every receipt, of whatever kind: what its kind says stands in the types that implement it. */
export const SealedReceiptType = builder.interfaceRef<Receipt>('SealedReceipt').implement({
  description:
    'A record that was written once for its key. Its hash can be recomputed by anyone who has ' +
    'the content, and it carries the hash of the receipt before it.',
  interfaces: [builder.nodeInterfaceRef()],
  resolveType: typeOfReceipt,
  fields: (t) => ({
    id: t.id({ description: 'The id of the receipt.', resolve: ({ row }) => row.id }),
    kind: t.string({ description: 'What kind of receipt it is.', resolve: ({ row }) => row.kind }),
    sealKey: t.string({
      description: 'What it was sealed for, once.',
      resolve: ({ row }) => row.sealKey,
    }),
    position: t.field({
      type: 'BigInt',
      description: 'Its place in the chain of the organization, without gaps.',
      resolve: ({ row }) => row.position,
    }),
    content: t.field({
      type: 'JSON',
      description: 'The sealed content, under the names of the wire: what the hash is over.',
      resolve: ({ row }) => JSON.parse(row.content) as unknown,
    }),
    sha256: t.field({
      type: 'Sha256',
      description: 'SHA-256 of the sealed content as canonical JSON by RFC 8785.',
      resolve: ({ row }) => row.sha256,
    }),
    chainHash: t.field({
      type: 'Sha256',
      description: 'Covers this receipt and, through the one before it, all earlier ones.',
      resolve: ({ row }) => row.chainHash,
    }),
    alreadySealed: t.exposeBoolean('alreadySealed', {
      description: 'False where the request that is answered has sealed it just now.',
    }),
    sealedAt: t.field({
      type: 'DateTime',
      description: 'The moment at which it was sealed.',
      resolve: ({ row }) => row.createdAt,
    }),
  }),
});

builder.objectRef<Receipt>(OTHER_RECEIPT).implement({
  description:
    'A receipt of a kind that this server does not know, such as one of a later version.',
  interfaces: [builder.nodeInterfaceRef(), SealedReceiptType],
});

loadNodesOf('SealedReceipt', async (ctx, ids) => {
  const rows = await database(ctx).sealedReceipt.findMany({ where: { id: { in: [...ids] } } });
  return rows.map((row) => receiptOf(row));
});

/** What recomputing a receipt showed. */
export const ReceiptVerification = builder
  .objectRef<Verification>('ReceiptVerification')
  .implement({
    description: 'What recomputing a receipt showed.',
    fields: (t) => ({
      valid: t.exposeBoolean('valid', { description: 'The content still has its hash.' }),
      hash: t.expose('hash', { type: 'Sha256', description: 'The stored hash.' }),
      recomputedHash: t.expose('recomputedHash', {
        type: 'Sha256',
        description: 'The hash of the stored content, computed now.',
      }),
      chainValid: t.exposeBoolean('chainValid', {
        description: 'The receipt still links to both neighbours.',
      }),
    }),
  });

const ChainFaultEnum = builder.enumType('ReceiptChainFaultKind', {
  description: 'What can be wrong at a position of the chain of receipts.',
  values: enumValues(CHAIN_FAULTS),
});

const ReceiptChainFault = builder.objectRef<ChainFault>('ReceiptChainFault').implement({
  description: 'What is wrong at one position of the chain of receipts.',
  fields: (t) => ({
    position: t.expose('position', {
      type: 'BigInt',
      description: 'The place of the receipt in the chain.',
    }),
    fault: t.expose('fault', { type: ChainFaultEnum, description: 'What is wrong there.' }),
  }),
});

const ReceiptChain = builder.objectRef<ChainVerification>('ReceiptChain').implement({
  description: 'What walking the whole chain of receipts showed.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', { description: 'Every hash and every link holds.' }),
    receiptCount: t.exposeInt('receiptCount', { description: 'Receipts that were walked.' }),
    faults: t.expose('faults', {
      type: [ReceiptChainFault],
      description: 'The first faults in the order of the chain; none where it is valid.',
    }),
  }),
});

const ReceiptFilter = builder.inputType('ReceiptFilter', {
  description: 'Which receipts of a kind to list: those that meet all conditions.',
  fields: (t) => ({
    createdAt: t.field({ type: DateTimeFilter, description: 'When the receipt was sealed.' }),
    sealKey: t.field({ type: StringFilter, description: 'What the receipt was sealed for.' }),
  }),
});

builder.queryFields((t) => ({
  receipts: t.field({
    type: connectionOf(SealedReceiptType),
    description: 'Receipts of a kind, by the time they were sealed.',
    authScopes: { can: 'receipts.read' },
    complexity: pageComplexity,
    args: {
      ...forwardArgs(t),
      kind: t.arg.string({
        required: true,
        description: 'The kind of the receipts, as `kind` of a receipt shows it.',
      }),
      filter: t.arg({
        type: ReceiptFilter,
        description: 'Which receipts to list; all unless stated.',
      }),
      orderBy: t.arg({ type: ListOrder, description: ORDER_BY }),
    },
    resolve: async (_root, { kind, filter, ...page }, ctx) => {
      const found = await receiptsOfKind(authorized(ctx), kind, page, filter ?? {});
      const edges = found.edges.map(({ node, cursor }) => ({ node: receiptOf(node), cursor }));
      return { edges, pageInfo: found.pageInfo };
    },
  }),
  receipt: t.field({
    type: SealedReceiptType,
    description: 'A receipt by its id.',
    authScopes: { can: 'receipts.read' },
    args: { id: t.arg.string({ required: true, description: 'The id of the receipt, a uuid.' }) },
    resolve: async (_root, { id }, ctx) => receiptOf(await receiptById(authorized(ctx), id)),
  }),
  receiptVerification: t.field({
    type: ReceiptVerification,
    description: 'Recomputes a receipt from what is stored.',
    authScopes: { can: 'receipts.read' },
    args: { id: t.arg.string({ required: true, description: 'The id of the receipt, a uuid.' }) },
    resolve: (_root, { id }, ctx) => verifyReceipt(authorized(ctx), id),
  }),
  receiptChain: t.field({
    type: ReceiptChain,
    description: 'Walks the chain of all receipts of the organization.',
    authScopes: { can: 'receipts.read' },
    complexity: { field: 100, multiplier: 1 },
    resolve: (_root, _args, ctx) => verifyChain(authorized(ctx)),
  }),
}));
