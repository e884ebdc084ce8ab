import { builder } from '../graph/builder.js';
import { authorized } from '../graph/database.js';
import { pageComplexity } from '../graph/page.js';
import {
  type ChainVerification,
  receiptById,
  receiptsOfKind,
  type Verification,
  verifyChain,
  verifyReceipt,
} from './receipts.js';

const Receipt = builder.prismaNode('SealedReceipt', {
  id: { field: 'id', description: 'The id of the receipt.' },
  description:
    'A record that was written once for its key. Its hash can be recomputed by anyone who has ' +
    'the content, and it carries the hash of the receipt before it.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'What kind of receipt it is.' }),
    sealKey: t.exposeString('sealKey', { description: 'What it was sealed for, once.' }),
    position: t.expose('position', {
      type: 'BigInt',
      description: 'Its place in the chain of the organization, without gaps.',
    }),
    content: t.field({
      type: 'JSON',
      description: 'What was sealed.',
      resolve: (receipt) => JSON.parse(receipt.content) as unknown,
    }),
    sha256: t.expose('sha256', {
      type: 'Sha256',
      description: 'SHA-256 of the content as canonical JSON by RFC 8785.',
    }),
    chainHash: t.expose('chainHash', {
      type: 'Sha256',
      description: 'Covers this receipt and, through the one before it, all earlier ones.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was sealed.' }),
  }),
});

const ReceiptVerification = builder.objectRef<Verification>('ReceiptVerification').implement({
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

const ReceiptChain = builder.objectRef<ChainVerification>('ReceiptChain').implement({
  description: 'What walking the whole chain of receipts showed.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', { description: 'Every hash and every link holds.' }),
    receiptCount: t.exposeInt('receiptCount', { description: 'Receipts that were walked.' }),
    faults: t.field({
      type: 'JSON',
      description: 'The first faults, with position and kind.',
      resolve: ({ faults }) =>
        faults.map((fault) => ({ ...fault, position: String(fault.position) })),
    }),
  }),
});

builder.queryFields((t) => ({
  receipts: t.connection({
    type: Receipt,
    description: 'Receipts of a kind, the latest sealed first.',
    authScopes: { can: 'receipts.read' },
    complexity: pageComplexity,
    args: { kind: t.arg.string({ required: true, description: 'The kind.' }) },
    resolve: (_root, args, ctx) => receiptsOfKind(authorized(ctx), args.kind, args),
  }),
  receipt: t.field({
    type: Receipt,
    description: 'A receipt by its id.',
    authScopes: { can: 'receipts.read' },
    args: { id: t.arg.string({ required: true, description: 'Its uuid.' }) },
    resolve: (_root, { id }, ctx) => receiptById(authorized(ctx), id),
  }),
  receiptVerification: t.field({
    type: ReceiptVerification,
    description: 'Recomputes a receipt from what is stored.',
    authScopes: { can: 'receipts.read' },
    args: { id: t.arg.string({ required: true, description: 'Its uuid.' }) },
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
