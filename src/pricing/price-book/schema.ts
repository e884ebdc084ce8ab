import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf } from '../../graph/table-types.js';
import { object } from '../../kernel/fields/field.js';
import { PRICE_PLANS, PRICE_RECEIPTS } from './records.js';
import './reference.js';
import { publishPlan, sealQuote } from './service.js';
import { PLAN_INPUT, RECEIPT_INPUT } from './tables.js';
import './what-ifs.js';

builder.mutationFields((t) => ({
  pricePlanPublish: t.field({
    type: PRICE_PLANS.type,
    description: 'Publishes the next version of a plan; versions before it stay as they are.',
    authScopes: { can: 'pricing.write' },
    args: argsOf(t, { input: object(PLAN_INPUT, 'The terms of the version.') }),
    resolve: (_root, { input }, ctx) => publishPlan(authorized(ctx), input),
  }),
  priceBookReceiptSeal: t.field({
    type: PRICE_RECEIPTS.type,
    description: 'Seals a quote with the floor gate of its plan, once for its reference.',
    authScopes: { can: 'pricing.write' },
    args: argsOf(t, { input: object(RECEIPT_INPUT, 'The quote that is to be sealed.') }),
    resolve: (_root, { input }, ctx) => sealQuote(authorized(ctx), input),
  }),
}));
