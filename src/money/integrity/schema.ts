import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { object } from '../../kernel/fields/field.js';
import { INTEGRITY_RECEIPTS } from './records.js';
import './reference.js';
import { liveCompleteness, liveDualMeter, liveReplay, sealIntegrity } from './service.js';
import { CHECK_QUESTION, COMPLETENESS, DUAL_METER, REPLAY, SEAL_INPUT } from './tables.js';
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

builder.mutationField('billingIntegrityReceiptSeal', (t) =>
  t.field({
    type: INTEGRITY_RECEIPTS.type,
    description: 'Seals what the three checks say of a period that is over, once for it.',
    authScopes: { can: 'billing.seal' },
    args: argsOf(t, { input: object(SEAL_INPUT, 'The period that is to be sealed.') }),
    resolve: (_root, { input }, ctx) => sealIntegrity(authorized(ctx), input),
  }),
);
