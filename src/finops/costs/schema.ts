import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { connectionOf, forwardArgs, pageComplexity } from '../../graph/page.js';
import { argsOf } from '../../graph/table-types.js';
import { object, optional, text } from '../../kernel/fields/field.js';
import { COST_RECEIPTS, FORECASTS } from './records.js';
import { costReceipts, recordForecast, sealCostReceipt } from './service.js';
import { FORECAST_INPUT, RECEIPT_INPUT } from './tables.js';

builder.mutationFields((t) => ({
  costForecastRecord: t.field({
    type: FORECASTS.type,
    description:
      'Forecasts what a run will cost and records it: optimistic, base and worst, what stands ' +
      'against it, and whether it needs an approval. It is later compared with what was spent.',
    authScopes: { can: 'finops.write' },
    args: argsOf(t, { input: object(FORECAST_INPUT, 'The run that is to be made.') }),
    resolve: (_root, { input }, ctx) => recordForecast(authorized(ctx), input),
  }),
  costReceiptSeal: t.field({
    type: COST_RECEIPTS.type,
    description:
      'Itemizes a cost and seals it, once for a request or a reference. What a request was ' +
      'charged comes from its usage row; what else it cost is stated and marked so.',
    authScopes: { can: 'finops.write' },
    args: argsOf(t, { input: object(RECEIPT_INPUT, 'The cost that is to be itemized.') }),
    resolve: (_root, { input }, ctx) => sealCostReceipt(authorized(ctx), input),
  }),
}));

builder.queryFields((t) => ({
  costReceipt: t.field({
    type: COST_RECEIPTS.type,
    description: 'A cost receipt by its id.',
    authScopes: { can: 'finops.read' },
    args: argsOf(t, { id: text('The id of the receipt.') }),
    resolve: (_root, { id }, ctx) => COST_RECEIPTS.byId(authorized(ctx), id),
  }),
  costReceipts: t.field({
    type: connectionOf(COST_RECEIPTS.type),
    description: 'The cost receipts of the organization, the latest sealed first.',
    authScopes: { can: 'finops.read' },
    complexity: pageComplexity,
    args: {
      ...forwardArgs(t),
      ...argsOf(t, { useCase: optional(text('Only receipts of this use case.')) }),
    },
    resolve: (_root, args, ctx) => costReceipts(authorized(ctx), args) as never,
  }),
}));
