import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf } from '../../graph/table-types.js';
import { object } from '../../kernel/fields/field.js';
import { RECEIPT_ID } from '../../records/receipts-schema.js';
import { MONTH_CLOSES } from './records.js';
import { closeMonth, monthPage } from './service.js';
import { CLOSE_INPUT } from './tables.js';

builder.queryField('monthClosePage', (t) =>
  t.string({
    description: 'A closed month as one HTML page to print, which loads nothing.',
    authScopes: { can: 'billing.read' },
    args: argsOf(t, RECEIPT_ID),
    resolve: (_root, { id }, ctx) => monthPage(authorized(ctx), id),
  }),
);

builder.mutationField('monthCloseSeal', (t) =>
  t.field({
    type: MONTH_CLOSES.type,
    description:
      'Closes a month that has ended in Moscow, once for it: services with their VAT by date of ' +
      'supply, advances, balances and the fields of documents. Totals equal the ledger.',
    authScopes: { can: 'billing.seal' },
    args: argsOf(t, { input: object(CLOSE_INPUT, 'The month that is to be closed.') }),
    resolve: (_root, { input }, ctx) => closeMonth(authorized(ctx), input),
  }),
);
