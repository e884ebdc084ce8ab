import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { object } from '../../kernel/fields/field.js';
import { launchKit } from './launch-kit.js';
import { PARTNER_TERMS } from './records.js';
import './reference.js';
import { reportPage } from './report.rules.js';
import { partnerMargin, partnerReport, publishTerms } from './service.js';
import {
  KIT_QUESTION,
  LAUNCH_BLUEPRINT,
  MARGIN_QUESTION,
  PARTNER_MARGIN,
  PARTNER_REPORT,
  REPORT_LINE,
  REPORT_QUESTION,
  TERMS_INPUT,
} from './tables.js';

const READ = { can: 'partner.read' } as const;
/** Reports read sums over the usage of a window. */
const REPORT = { field: 30, multiplier: 1 } as const;

builder.queryFields((t) => ({
  partnerLaunchKit: t.field({
    type: [outputOf(LAUNCH_BLUEPRINT)],
    description: 'Blueprints of this server that a partner can deploy for clients.',
    args: argsOf(t, KIT_QUESTION),
    resolve: (_root, { category }, ctx) => launchKit(ctx, category ?? null),
  }),
  partnerMargin: t.field({
    type: outputOf(PARTNER_MARGIN),
    description: 'What each client has cost in a window, and what it is billed.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, MARGIN_QUESTION),
    resolve: (_root, question, ctx) => partnerMargin(authorized(ctx), question),
  }),
  partnerReport: t.field({
    type: outputOf(PARTNER_REPORT),
    description: 'The report of a client, or of all: usage by vertical under your own name.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, REPORT_QUESTION),
    resolve: (_root, question, ctx) => partnerReport(authorized(ctx), question),
  }),
  partnerReportRows: t.field({
    type: [outputOf(REPORT_LINE)],
    description: 'The lines of the report alone, as tables are exported.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, REPORT_QUESTION),
    resolve: async (_root, question, ctx) =>
      (await partnerReport(authorized(ctx), question)).clients.flatMap(({ lines }) => lines),
  }),
  partnerReportPage: t.string({
    description: 'The report as one printable HTML page, for a browser or for paper.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, REPORT_QUESTION),
    resolve: async (_root, question, ctx) =>
      reportPage(await partnerReport(authorized(ctx), question)),
  }),
}));

builder.mutationField('partnerTermsPublish', (t) =>
  t.field({
    type: PARTNER_TERMS.type,
    description: 'Publishes the next version of the terms that a client is billed by.',
    authScopes: { can: 'partner.write' },
    args: argsOf(t, { input: object(TERMS_INPUT, 'The terms of the version.') }),
    resolve: (_root, { input }, ctx) => publishTerms(authorized(ctx), input),
  }),
);
