import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { usageReport } from './service.js';
import { REPORT, REPORT_QUESTION, REPORT_ROW } from './tables.js';

/** A report reads some thousand sums, and answers with as many rows as it is asked for. */
const REPORT_COST = { field: 50, multiplier: 1 };

builder.queryFields((t) => ({
  usageReport: t.field({
    type: outputOf(REPORT),
    description:
      'A report over usage by any dimensions and periods, compared with an earlier window if ' +
      'wanted. What was paid equals the ledger, refunds taken off, to the micro-ruble at every ' +
      'moment.',
    authScopes: { can: 'reports.read' },
    complexity: REPORT_COST,
    args: argsOf(t, REPORT_QUESTION),
    resolve: (_root, args, ctx) => usageReport(authorized(ctx), args),
  }),
  usageReportRows: t.field({
    type: [outputOf(REPORT_ROW)],
    description: 'The rows of such a report alone, as tables and spreadsheets take them.',
    authScopes: { can: 'reports.read' },
    complexity: REPORT_COST,
    args: argsOf(t, REPORT_QUESTION),
    resolve: async (_root, args, ctx) => (await usageReport(authorized(ctx), args)).rows,
  }),
}));
