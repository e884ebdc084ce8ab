import { WINDOW_QUESTION } from '../../finops/reports/tables.js';
import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, outputOf, storedFields } from '../../graph/table-types.js';
import { code, object, optional, text } from '../../kernel/fields/field.js';
import { recordEvent } from './events.js';
import './reference.js';
import { roiReceipts, valueDashboard, valueSummary } from './roi.js';
import {
  EVENT_FIELDS,
  EVENT_INPUT,
  ROI_QUESTION,
  ROI_RECEIPT,
  VALUE_DASHBOARD,
  VALUE_SUMMARY,
  VERTICAL_COST,
} from './tables.js';
import { EVENT_TYPES, USE_CASE_LENGTH_MAX } from './vocabulary.js';
import './what-ifs.js';

const READ = { can: 'value.read' } as const;
/** Reports read sums over the usage of a window. */
const REPORT = { field: 30, multiplier: 1 } as const;

const ValueEvent = builder.prismaNode('ValueEvent', {
  id: { field: 'id', description: 'The id of the event.' },
  description: 'A business result of AI, as it was recorded; it is never changed.',
  fields: (t) => storedFields(t, EVENT_FIELDS) as never,
});

ownList({
  field: 'valueEvents',
  type: ValueEvent,
  description: 'Recorded results, newest first.',
  permission: 'value.read',
  by: {
    useCase: optional(text('Only results of this use case.', { max: USE_CASE_LENGTH_MAX })),
    eventType: optional(code(EVENT_TYPES, 'Only results of this type.')),
  },
});

builder.queryFields((t) => ({
  roiReceipts: t.field({
    type: [outputOf(ROI_RECEIPT)],
    description: 'The return of each use case in a window, the most expensive first.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, ROI_QUESTION),
    resolve: (_root, question, ctx) => roiReceipts(authorized(ctx), question),
  }),
  valueDashboard: t.field({
    type: outputOf(VALUE_DASHBOARD),
    description: 'The portfolio of use cases with returns and decisions.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, WINDOW_QUESTION),
    resolve: (_root, question, ctx) => valueDashboard(authorized(ctx), question),
  }),
  valueSummary: t.field({
    type: outputOf(VALUE_SUMMARY),
    description: 'Cost per result by line of work.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, WINDOW_QUESTION),
    resolve: (_root, question, ctx) => valueSummary(authorized(ctx), question),
  }),
  valueSummaryRows: t.field({
    type: [outputOf(VERTICAL_COST)],
    description: 'The lines of the value summary alone, as tables are exported.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, WINDOW_QUESTION),
    resolve: async (_root, question, ctx) =>
      (await valueSummary(authorized(ctx), question)).verticals,
  }),
}));

builder.mutationField('valueEventRecord', (t) =>
  t.field({
    type: ValueEvent,
    description:
      'Records a business result of AI. A result with an external reference counts once: a ' +
      'second claim of it is refused.',
    authScopes: { can: 'value.record' },
    args: argsOf(t, { input: object(EVENT_INPUT, 'The result that is recorded.') }),
    resolve: (_root, { input }, ctx) => recordEvent(authorized(ctx), input) as never,
  }),
);
