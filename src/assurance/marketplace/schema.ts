import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { ownList } from '../../graph/own-list.js';
import { connectionOf, forwardArgs, pageComplexity } from '../../graph/page.js';
import { argsOf, outputOf, shownFields, storedFields } from '../../graph/table-types.js';
import { object, uuid } from '../../kernel/fields/field.js';
import { listingsInQueue, measureListing } from './measures.js';
import './reference.js';
import { reportListing, reportStatus, reportsInQueue, resolveReport } from './reports.js';
import {
  LISTING_IN_QUEUE,
  LISTING_QUESTION,
  MEASURE_INPUT,
  REPORT_FIELDS,
  REPORT_IN_QUEUE,
  REPORT_INPUT,
  REPORT_QUESTION,
  REPORT_SHOWN,
  RESOLVE_INPUT,
} from './tables.js';

const READ = { can: 'certification.read' } as const;
/** The service asks for an administrator of the platform, whose role in their own is any. */
const OPERATE = { can: 'profile.read' } as const;
const FOR_OPERATORS = 'For administrators of the platform alone.';
const LISTING = { id: uuid('The listing, by its id.') } as const;

const ListingReport = builder.prismaNode('ListingReport', {
  id: { field: 'id', description: 'The id of the report.' },
  description: 'What the organization has reported of a listing of the marketplace.',
  fields: (t) => ({
    ...storedFields(t, REPORT_FIELDS as never),
    ...shownFields(t, REPORT_SHOWN, (row) => ({ status: reportStatus(row) })),
  }),
});

ownList({
  field: 'listingReports',
  type: ListingReport,
  description: 'What the organization has reported of listings, newest first.',
  permission: 'certification.read',
});

builder.queryFields((t) => ({
  marketplaceListingQueue: t.field({
    type: connectionOf(outputOf(LISTING_IN_QUEUE)),
    description: `Published listings of all organizations, newest first. ${FOR_OPERATORS}`,
    authScopes: OPERATE,
    complexity: pageComplexity,
    args: { ...forwardArgs(t), ...argsOf(t, LISTING_QUESTION) },
    resolve: (_root, args, ctx) => listingsInQueue(authorized(ctx), args) as never,
  }),
  marketplaceReportQueue: t.field({
    type: connectionOf(outputOf(REPORT_IN_QUEUE)),
    description: `Reports of all organizations, newest first. ${FOR_OPERATORS}`,
    authScopes: OPERATE,
    complexity: pageComplexity,
    args: { ...forwardArgs(t), ...argsOf(t, REPORT_QUESTION) },
    resolve: (_root, args, ctx) => reportsInQueue(authorized(ctx), args) as never,
  }),
}));

builder.mutationFields((t) => ({
  marketplaceListingReport: t.field({
    type: ListingReport,
    description: 'Reports a public listing to the operators; its publisher never learns by whom.',
    authScopes: READ,
    args: argsOf(t, { ...LISTING, input: object(REPORT_INPUT, 'What is wrong with it.') }),
    resolve: (_root, { id, input }, ctx) => reportListing(authorized(ctx), id, input) as never,
  }),
  marketplaceListingMeasure: t.field({
    type: outputOf(LISTING_IN_QUEUE),
    description:
      'Suspends, reinstates, withdraws or revokes a listing, or decides about the name of its ' +
      `publisher. ${FOR_OPERATORS}`,
    authScopes: OPERATE,
    args: argsOf(t, { ...LISTING, input: object(MEASURE_INPUT, 'What is done, and why.') }),
    resolve: (_root, { id, input }, ctx) => measureListing(authorized(ctx), id, input),
  }),
  marketplaceReportResolve: t.field({
    type: outputOf(REPORT_IN_QUEUE),
    description: `Says what was found of a report. ${FOR_OPERATORS}`,
    authScopes: OPERATE,
    args: argsOf(t, {
      id: uuid('The report, by its id.'),
      input: object(RESOLVE_INPUT, 'What was found.'),
    }),
    resolve: (_root, { id, input }, ctx) => resolveReport(authorized(ctx), id, input),
  }),
}));
