import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { filterOf } from '../../graph/filters.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, outputOf, shownFields } from '../../graph/table-types.js';
import { code, fieldTable, instant, object, text, uuid } from '../../kernel/fields/field.js';
import { recordCost, shownCost } from './cost-events.js';
import {
  ALLOCATION,
  ALLOCATION_INPUT,
  COST_FIELDS,
  COST_INPUT,
  COVERAGE,
  LEAKAGE_MEASURED,
  MEASURED_MAP,
  MEASURED_MAP_INPUT,
  RECEIPT_INPUT,
  RECORDED_COST,
  VELOCITY_MEASURED,
  VELOCITY_QUESTION,
  WINDOW,
} from './cost-tables.js';
import {
  costAllocation,
  costCoverage,
  customerProfitability,
  measuredLeakage,
  measuredVelocity,
} from './measured-costs.js';
import { sealFinopsReceipt } from './receipts.js';
import { FINOPS_RECEIPTS } from './records.js';
import './reference.js';
import { CONFIDENCES, COST_KINDS } from './vocabulary.js';
import './what-ifs.js';

const READ = { can: 'unit_economics.read' } as const;
const WRITE = { can: 'unit_economics.write' } as const;
/** They read the usage of a window. */
const OF_A_WINDOW = { field: 20, multiplier: 1 };

const Cost = builder.prismaNode('CostEvent', {
  id: { field: 'id', description: 'The id of the event.' },
  description: 'A recorded cost, or an invoice that confirms costs. It is never changed.',
  fields: (t) => shownFields(t, COST_FIELDS, shownCost),
});

const COST_FILTER = filterOf(
  fieldTable('CostEventFilter', 'Which cost events to list: those that meet all conditions.', {
    occurredAt: instant('When the cost was incurred.'),
    eventId: text("The caller's own id of the event."),
    kind: code(COST_KINDS, 'What it was paid for.'),
    confidence: code(CONFIDENCES, 'How sure it is whose cost it is.'),
    clientId: text('The client that it is attributed to.'),
    supplier: text('Who is paid for it.'),
    requestId: uuid('The request that it was paid for.'),
  }),
);

ownList({
  field: 'costEvents',
  type: Cost,
  description: 'Recorded costs and invoices, the latest recorded first.',
  permission: 'unit_economics.read',
  filter: COST_FILTER,
  noun: 'events',
});

builder.queryFields((t) => ({
  costCoverage: t.field({
    type: outputOf(COVERAGE),
    description: 'How much of the recorded cost of a window is DIRECT.',
    authScopes: READ,
    complexity: OF_A_WINDOW,
    args: argsOf(t, WINDOW),
    resolve: (_root, window, ctx) => costCoverage(authorized(ctx), window),
  }),
  costAllocation: t.field({
    type: outputOf(ALLOCATION),
    description: 'How sure it is whose cost something is, and why; nothing is recorded.',
    authScopes: READ,
    complexity: OF_A_WINDOW,
    args: argsOf(t, { input: object(ALLOCATION_INPUT, 'What is stated of the cost.') }),
    resolve: (_root, { input }, ctx) => costAllocation(authorized(ctx), input),
  }),
  marginLeakageMeasured: t.field({
    type: outputOf(LEAKAGE_MEASURED),
    description: 'What of the recorded cost of a window went into work that nobody used.',
    authScopes: READ,
    complexity: OF_A_WINDOW,
    args: argsOf(t, WINDOW),
    resolve: (_root, window, ctx) => measuredLeakage(authorized(ctx), window),
  }),
  costVelocityMeasured: t.field({
    type: outputOf(VELOCITY_MEASURED),
    description: 'How fast the funds of the account went in the last hours.',
    authScopes: READ,
    complexity: OF_A_WINDOW,
    args: argsOf(t, VELOCITY_QUESTION),
    resolve: (_root, question, ctx) => measuredVelocity(authorized(ctx), question),
  }),
  customerProfitability: t.field({
    type: outputOf(MEASURED_MAP),
    description: 'How profitable customers are: stated revenue against recorded cost.',
    authScopes: READ,
    complexity: OF_A_WINDOW,
    args: argsOf(t, { input: object(MEASURED_MAP_INPUT, 'What customers have paid, and when.') }),
    resolve: (_root, { input }, ctx) => customerProfitability(authorized(ctx), input),
  }),
}));

builder.mutationFields((t) => ({
  costEventRecord: t.field({
    type: outputOf(RECORDED_COST),
    description: 'Records a cost or an invoice once for its id; the server says whose cost it is.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(COST_INPUT, 'The cost as the caller states it.') }),
    resolve: (_root, { input }, ctx) => recordCost(authorized(ctx), input),
  }),
  finopsReceiptSeal: t.field({
    type: FINOPS_RECEIPTS.type,
    description: 'Seals the metrics of a month, once for the month.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(RECEIPT_INPUT, 'The month that is to be sealed.') }),
    resolve: (_root, { input }, ctx) => sealFinopsReceipt(authorized(ctx), input),
  }),
}));
