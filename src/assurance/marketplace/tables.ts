import {
  code,
  fieldTable,
  instant,
  integer,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { LISTING_STATUSES, LISTING_TYPES } from '../certification/vocabulary.js';
import {
  LISTING_MEASURES,
  LISTING_QUEUES,
  REPORT_REASONS,
  REPORT_RESOLUTIONS,
  REPORT_STATUSES,
} from './vocabulary.js';

/** A measure of an operator. */
export const MEASURE_INPUT = fieldTable(
  'MarketplaceListingMeasureInput',
  'What an operator does to a listing, and why.',
  {
    measure: code(LISTING_MEASURES, 'What the operator does with the listing.'),
    reason: text('Why; its publisher reads it.', { max: 1_000 }),
  },
);

/** A listing as operators see it. */
export const LISTING_IN_QUEUE = fieldTable(
  'MarketplaceListingCase',
  'A listing of any organization, as operators see it.',
  {
    id: uuid('The id of the listing.'),
    tenantId: uuid('The organization that publishes it.'),
    type: code(LISTING_TYPES, 'What is offered.'),
    name: text('What it is called.'),
    publisher: optional(text('Who offers it, as it says itself.')),
    url: optional(text('An address where more is said.')),
    status: code(LISTING_STATUSES, 'How it stands, badges left aside.'),
    openReports: integer('Reports of readers that nobody has decided about.'),
    measureReason: optional(text('Why an operator took it out or back; null where none has.')),
    measuredAt: optional(instant('When an operator did; null where none has.')),
    measuredBy: optional(uuid('The operator who did; null where none has.')),
    createdAt: instant('When it was created.'),
  },
);

/** A listing as operators see it. */
export type ListingInQueue = ValuesOf<typeof LISTING_IN_QUEUE.fields>;

/** Which listings operators ask for. */
export const LISTING_QUESTION = {
  queue: optional(code(LISTING_QUEUES, 'Only those that stand here for this.')),
} as const;

/** A report to make. */
export const REPORT_INPUT = fieldTable(
  'MarketplaceReportInput',
  'What is wrong with a listing. Its publisher never learns who has said so.',
  {
    reason: code(REPORT_REASONS, 'What kind of thing is wrong.'),
    details: text('What was seen, for the operator.', { max: 2_000 }),
  },
);

const REPORTED = {
  listingId: uuid('The listing that is reported.'),
  reason: code(REPORT_REASONS, 'What kind of thing is wrong.'),
  details: text('What the reporter saw, in their words.'),
  resolutionReason: optional(text('What the operator says of it; null while open.')),
  resolvedAt: optional(instant('When an operator decided; null while open.')),
  createdAt: instant('When it was reported.'),
} as const;

/** What a stored report says of itself. */
export const REPORT_FIELDS = REPORTED;

/** What of a report is said in one word. */
export const REPORT_SHOWN = {
  status: code(REPORT_STATUSES, 'Whether an operator has decided the report.'),
} as const;

/** What an operator finds. */
export const RESOLVE_INPUT = fieldTable(
  'MarketplaceReportResolveInput',
  'What an operator finds of a report.',
  {
    resolution: code(REPORT_RESOLUTIONS, 'Whether it is right.'),
    reason: text('Why; its reader reads it.', { max: 1_000 }),
  },
);

/** A report as operators see it. */
export const REPORT_IN_QUEUE = fieldTable(
  'MarketplaceReportCase',
  'A report of any organization, as operators see it.',
  {
    id: uuid('The id of the report.'),
    tenantId: uuid('The organization of the reader.'),
    ...REPORTED,
    ...REPORT_SHOWN,
    listingName: text('What the listing is called.'),
    publisher: optional(text('Who publishes it, as it says itself.')),
    publisherTenantId: uuid('The organization that publishes it.'),
    createdBy: uuid('The member or key that has reported it.'),
    resolvedBy: optional(uuid('The operator who decided; null while open.')),
  },
);

/** A report as operators see it. */
export type ReportInQueue = ValuesOf<typeof REPORT_IN_QUEUE.fields>;

/** Which reports operators ask for. */
export const REPORT_QUESTION = {
  status: optional(code(REPORT_STATUSES, 'Only those that stand so.')),
} as const;
