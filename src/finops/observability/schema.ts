import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { WINDOW_QUESTION } from '../reports/tables.js';
import { cacheability } from './cacheability.js';
import { tenantMetrics } from './metrics.js';
import { driftReport, healthSummary } from './service.js';
import { CACHEABILITY, CACHEABILITY_QUESTION, DRIFT, DRIFT_QUESTION, HEALTH } from './tables.js';

const REPORT_COST = { field: 50, multiplier: 1 };

builder.queryFields((t) => ({
  observabilitySummary: t.field({
    type: outputOf(HEALTH),
    description: 'How requests of clients went in a window, with a health score and its terms.',
    authScopes: { can: 'reports.read' },
    complexity: REPORT_COST,
    args: argsOf(t, WINDOW_QUESTION),
    resolve: (_root, args, ctx) => healthSummary(authorized(ctx), args),
  }),
  observabilityDrift: t.field({
    type: outputOf(DRIFT),
    description:
      'Whether requests of clients have changed between a baseline and a window: models, ' +
      'latency, tokens, errors and refusals, each by a named statistic.',
    authScopes: { can: 'reports.read' },
    complexity: REPORT_COST,
    args: argsOf(t, DRIFT_QUESTION),
    resolve: (_root, args, ctx) => driftReport(authorized(ctx), args),
  }),
  observabilityMetrics: t.string({
    description:
      'Counters and histograms of the organization over all time in the Prometheus text format.',
    authScopes: { can: 'reports.read' },
    complexity: REPORT_COST,
    resolve: (_root, _args, ctx) => tenantMetrics(authorized(ctx)),
  }),
  observabilityCacheability: t.field({
    type: outputOf(CACHEABILITY),
    description:
      'What caches do and could do for each feature, by keyed fingerprints of the prompts. It is ' +
      'read from the rows, so a window has a limited number of requests.',
    authScopes: { can: 'reports.read' },
    complexity: REPORT_COST,
    args: argsOf(t, CACHEABILITY_QUESTION),
    resolve: (_root, args, ctx) => cacheability(authorized(ctx), args),
  }),
}));
