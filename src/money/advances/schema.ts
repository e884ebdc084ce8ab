import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { advances } from './service.js';
import { ADVANCES, ADVANCES_QUESTION } from './tables.js';

builder.queryField('advances', (t) =>
  t.field({
    type: outputOf(ADVANCES),
    description:
      'Where the balance comes from: each top-up is an advance of its day and rate of VAT, is ' +
      'invoiced once, and is used in the order of receipt.',
    authScopes: { can: 'billing.read' },
    complexity: { field: 10, multiplier: 1 },
    args: argsOf(t, ADVANCES_QUESTION),
    resolve: (_root, question, ctx) => advances(authorized(ctx), question),
  }),
);
