import { builder } from '../graph/builder.js';
import { authorized, database } from '../graph/database.js';
import { filterArgs, filterOf } from '../graph/filters.js';
import { loadNodesOf } from '../graph/node.js';
import { connectionOf, forwardArgs, pageComplexity } from '../graph/page.js';
import { argsOf, outputOf, shownFields, storedFields } from '../graph/table-types.js';
import {
  bigInteger,
  code,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  object,
  optional,
  sha256,
  text,
  uuid,
} from '../kernel/fields/field.js';
import { OTHER_RECEIPT, type Receipt, receiptOf, typeOfReceipt } from './receipt.js';
import { receiptById, receiptsOfKind, verifyChain, verifyReceipt } from './receipts.js';
import { CHAIN_FAULTS } from './receipts.rules.js';

/** What stands in the row of every receipt. */
const ROW = {
  id: uuid('The id of the receipt.'),
  kind: text('What kind of receipt it is.'),
  sealKey: text('What it was sealed for, once.'),
  position: bigInteger('Its place in the chain of the organization, without gaps.'),
  sha256: sha256('SHA-256 of the sealed content as canonical JSON by RFC 8785.'),
  chainHash: sha256('Covers this receipt and, through the one before it, all earlier ones.'),
};

/** The fields of every receipt, which what is sealed has no fields of the same names for. */
export const RECEIPT_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(ROW),
  'alreadySealed',
  'content',
  'erased',
  'sealedAt',
]);

/** Every receipt, of whatever kind: what its kind says stands in the types that implement it. */
export const SealedReceiptType = builder.interfaceRef<Receipt>('SealedReceipt').implement({
  description:
    'A record that was written once for its key. Its hash can be recomputed by anyone who has ' +
    'the content, and it carries the hash of the receipt before it.',
  interfaces: [builder.nodeInterfaceRef()],
  resolveType: typeOfReceipt,
  fields: (t) => ({
    ...shownFields(t, ROW, ({ row }) => row as never),
    ...storedFields(t, {
      alreadySealed: flag('False where the request that is answered has sealed it just now.'),
    }),
    content: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'The sealed content, under the names of the wire: what the hash is over. Amounts in it ' +
        'are decimal strings, as they were hashed. Null where it was erased.',
      resolve: ({ row }) => row.content && (JSON.parse(row.content) as unknown),
    }),
    erased: t.boolean({
      description:
        'True where the organization has erased the content with its personal data. Hash and ' +
        'place in the chain stand.',
      resolve: ({ row }) => row.content === null,
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
export const RECEIPT_VERIFICATION = fieldTable(
  'ReceiptVerification',
  'What recomputing a receipt showed.',
  {
    valid: flag('The content still has its hash, where it was not erased.'),
    hash: sha256('The stored hash.'),
    recomputedHash: optional(
      sha256('The hash of the stored content, computed now; null where it was erased.'),
    ),
    erased: flag('The content was erased by the organization; its hash stands in the chain.'),
    chainValid: flag('The receipt still links to both neighbours.'),
  },
);

const CHAIN_FAULT = fieldTable(
  'ReceiptChainFault',
  'What is wrong at one position of the chain of receipts.',
  {
    position: bigInteger('The place of the receipt in the chain.'),
    fault: code(CHAIN_FAULTS, 'What is wrong there.'),
  },
);

const CHAIN = fieldTable('ReceiptChain', 'What walking the whole chain of receipts showed.', {
  valid: flag('Every hash and every link holds.'),
  receiptCount: integer('Receipts that were walked.'),
  faults: list(
    object(CHAIN_FAULT, 'A fault.'),
    'The first faults in the order of the chain; none where it is valid.',
  ),
});

const FILTER = filterOf(
  fieldTable('ReceiptFilter', 'Which receipts of a kind to list: those that meet all conditions.', {
    createdAt: instant('When the receipt was sealed.'),
    sealKey: text('What the receipt was sealed for.'),
  }),
);

/** The argument by which one receipt is named; what is no uuid is refused by name. */
export const RECEIPT_ID = { id: text('The id of the receipt, a uuid.') };

builder.queryFields((t) => ({
  receipts: t.field({
    type: connectionOf(SealedReceiptType),
    description: 'Receipts of a kind, by the time they were sealed.',
    authScopes: { can: 'receipts.read' },
    complexity: pageComplexity,
    args: {
      ...forwardArgs(t),
      ...argsOf(t, { kind: text('The kind of the receipts, as `kind` of a receipt shows it.') }),
      ...filterArgs(t, FILTER, 'receipts'),
    },
    resolve: async (_root, { kind, filter, ...page }, ctx) => {
      const found = await receiptsOfKind(authorized(ctx), kind, page, FILTER.where(filter));
      const edges = found.edges.map(({ node, cursor }) => ({ node: receiptOf(node), cursor }));
      return { edges, pageInfo: found.pageInfo };
    },
  }),
  receipt: t.field({
    type: SealedReceiptType,
    description: 'A receipt by its id.',
    authScopes: { can: 'receipts.read' },
    args: argsOf(t, RECEIPT_ID),
    resolve: async (_root, { id }, ctx) => receiptOf(await receiptById(authorized(ctx), id)),
  }),
  receiptVerification: t.field({
    type: outputOf(RECEIPT_VERIFICATION),
    description: 'Recomputes a receipt from what is stored.',
    authScopes: { can: 'receipts.read' },
    args: argsOf(t, RECEIPT_ID),
    resolve: (_root, { id }, ctx) => verifyReceipt(authorized(ctx), id),
  }),
  receiptChain: t.field({
    type: outputOf(CHAIN),
    description: 'Walks the chain of all receipts of the organization.',
    authScopes: { can: 'receipts.read' },
    complexity: { field: 100, multiplier: 1 },
    resolve: (_root, _args, ctx) => verifyChain(authorized(ctx)),
  }),
}));
