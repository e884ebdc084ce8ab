import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { object } from '../../kernel/fields/field.js';
import { clientRows } from './client-report.rules.js';
import { launchKit } from './launch-kit.js';
import { PARTNER_TERMS } from './records.js';
import './reference.js';
import { clientPage, clientReport, partnerMargin, partnerReport, publishTerms } from './service.js';
import {
  CLIENT_QUESTION,
  CLIENT_ROW,
  KIT_QUESTION,
  LAUNCH_BLUEPRINT,
  MARGIN_QUESTION,
  MARGIN_RECEIPT,
  PARTNER_MARGIN,
  PARTNER_REPORT,
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
  partnerMarginRows: t.field({
    type: [outputOf(MARGIN_RECEIPT)],
    description: 'The margins of the clients alone, as tables are exported for the partner.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, MARGIN_QUESTION),
    resolve: async (_root, question, ctx) =>
      (await partnerMargin(authorized(ctx), question)).receipts,
  }),
  partnerReportRows: t.field({
    type: [outputOf(CLIENT_ROW)],
    description:
      'The report as a table for clients: usage, fee and total, without cost and margin.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, CLIENT_QUESTION),
    resolve: (_root, question, ctx) => clientReport(authorized(ctx), question, clientRows),
  }),
  partnerReportPage: t.string({
    description: 'The report as one printable HTML page for clients, without cost and margin.',
    authScopes: READ,
    complexity: REPORT,
    args: argsOf(t, CLIENT_QUESTION),
    resolve: (_root, question, ctx) => clientPage(authorized(ctx), question),
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
