import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf, storedFields } from '../../graph/table-types.js';
import {
  bigInteger,
  code,
  instant,
  integer,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { exportPeriod } from './export.js';
import { faultsOfReceipt, sealById, sealOfReceipt, supersederOf } from './lookups.js';
import { INTEGRITY_RECEIPTS } from './records.js';
import './reference.js';
import { sealedIntegrity, sealIntegrity } from './seals.js';
import { liveCompleteness, liveDualMeter, liveReplay } from './service.js';
import {
  CHECK_QUESTION,
  COMPLETENESS,
  DUAL_METER,
  FAULTS_PAGE,
  REPLAY,
  SEAL_INPUT,
} from './tables.js';
import { FAULTS_SHOWN_MAX, SEAL_STATES } from './vocabulary.js';
import './what-ifs.js';

const READ = { can: 'billing.read' } as const;
/** A check reads the proof of many rows. */
const COMPLEXITY = { field: 20, multiplier: 1 } as const;

builder.queryFields((t) => ({
  billingCompleteness: t.field({
    type: outputOf(COMPLETENESS),
    description:
      'Whether ledger and usage of a window are complete. A request is named in every window ' +
      'that one of its lines or rows stands in.',
    authScopes: READ,
    complexity: COMPLEXITY,
    args: argsOf(t, CHECK_QUESTION),
    resolve: (_root, question, ctx) => liveCompleteness(authorized(ctx), question),
  }),
  billingDualMeter: t.field({
    type: outputOf(DUAL_METER),
    description: 'What the ledger has charged in a window against what usage says of it.',
    authScopes: READ,
    complexity: COMPLEXITY,
    args: argsOf(t, CHECK_QUESTION),
    resolve: (_root, question, ctx) => liveDualMeter(authorized(ctx), question),
  }),
  billingReplay: t.field({
    type: outputOf(REPLAY),
    description: 'Every charge of a window computed again from its usage and its price row.',
    authScopes: READ,
    complexity: COMPLEXITY,
    args: argsOf(t, CHECK_QUESTION),
    resolve: (_root, question, ctx) => liveReplay(authorized(ctx), question),
  }),
}));

const IntegritySeal = builder.prismaNode('IntegritySeal', {
  id: { field: 'id', description: 'The id of the sealing.' },
  description: 'A period that is sealed, or whose rows are being read for that.',
  fields: (t) => ({
    ...storedFields(t, {
      status: code(SEAL_STATES, 'How the sealing stands.'),
      sealKey: text('The period, as its receipt is sealed for it.'),
      rowsRead: bigInteger('Lines and usage rows that were read.'),
      rowsTotal: bigInteger('Lines and usage rows of the period, as far as they are known.'),
      receiptId: optional(uuid('The latest receipt of the period; null while it has none.')),
      failure: optional(text('The code of the error for which it cannot be sealed.')),
      createdAt: instant('When the period was first to be sealed.'),
    }),
  }),
});

const Sealing = builder.unionType('BillingIntegritySealing', {
  description: 'The receipt of a period; or, where reading its rows takes long, how far that is.',
  types: [INTEGRITY_RECEIPTS.type, IntegritySeal],
  resolveType: (value) => ('rowsTotal' in value ? 'IntegritySeal' : 'BillingIntegrityReceipt'),
});

const SEAL_ARGS = { input: object(SEAL_INPUT, 'The period that is to be sealed.') } as const;

builder.mutationFields((t) => ({
  billingIntegrityPeriodSeal: t.field({
    type: Sealing,
    description:
      'Seals what the rows of a period that is over say, once for it. A period with many rows is ' +
      'read behind the request, and the answer says how far that has come.',
    authScopes: { can: 'billing.seal' },
    args: argsOf(t, SEAL_ARGS),
    resolve: (_root, { input }, ctx) => sealIntegrity(authorized(ctx), input) as never,
  }),
  billingIntegrityReceiptSeal: t.field({
    type: INTEGRITY_RECEIPTS.type,
    description:
      'The same for a period that is read within the request. For a longer one it answers ' +
      '`integrity_seal_pending` until the receipt is sealed.',
    authScopes: { can: 'billing.seal' },
    args: argsOf(t, SEAL_ARGS),
    resolve: (_root, { input }, ctx) => sealedIntegrity(authorized(ctx), input),
  }),
}));

builder.objectFields(INTEGRITY_RECEIPTS.type, (t) => ({
  sealingId: t.id({
    nullable: true,
    description: 'The sealing of its period: how far its rows are read when they are read again.',
    resolve: async (receipt, _args, ctx) =>
      (await sealOfReceipt(authorized(ctx), receipt))?.id ?? null,
  }),
  supersededBy: t.id({
    nullable: true,
    description:
      'The latest receipt of the same period, where the rows have contradicted this one; null ' +
      'where they have not.',
    resolve: (receipt, _args, ctx) => supersederOf(authorized(ctx), receipt),
  }),
}));

builder.queryFields((t) => ({
  billingIntegritySeal: t.field({
    type: IntegritySeal,
    description: 'How far the sealing of a period is.',
    authScopes: READ,
    args: argsOf(t, { id: uuid('The id of the sealing.') }),
    resolve: (_root, { id }, ctx) => sealById(authorized(ctx), id),
  }),
  billingIntegrityFaults: t.field({
    type: outputOf(FAULTS_PAGE),
    description: 'Every request with a fault that the sealing of a receipt has found.',
    authScopes: READ,
    complexity: COMPLEXITY,
    args: argsOf(t, {
      receiptId: text('The id of the receipt.'),
      after: optional(uuid('The request behind which the page begins.')),
      first: optional(integer(`How many requests, at most ${FAULTS_SHOWN_MAX}, the default.`)),
    }),
    resolve: (_root, { receiptId, ...wish }, ctx) =>
      faultsOfReceipt(authorized(ctx), receiptId, wish),
  }),
  billingIntegrityExport: t.string({
    description:
      'The rows that a receipt was sealed of, as lines of canonical JSON, and behind them the ' +
      'receipt: anyone repeats root and verdict with tools/verify-integrity-export.mjs.',
    authScopes: READ,
    complexity: { field: 50, multiplier: 1 },
    args: argsOf(t, { receiptId: text('The id of the receipt.') }),
    resolve: (_root, { receiptId }, ctx) => exportPeriod(authorized(ctx), receiptId),
  }),
}));
