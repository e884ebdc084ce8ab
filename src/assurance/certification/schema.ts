import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { ownList } from '../../graph/own-list.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { argsOf, enumOf, shownFields, storedFields } from '../../graph/table-types.js';
import { sharedNow } from '../../kernel/clock.js';
import { code, object, optional, uuid } from '../../kernel/fields/field.js';
import {
  attestationOf,
  decisionOf,
  listingStatusOf,
  renewalWhere,
  requiredGates,
  standingWhere,
} from './gates.rules.js';
import { createListing, publishListing, withdrawListing } from './listings.js';
import { AROUND, ownProvedNames, ownStatus, ownStatuses } from './proved.js';
import { CERTIFICATION_RECEIPTS } from './records.js';
import { decideReview, receiptOfReview, revokeCertification, startReview } from './reviews.js';
import {
  CERTIFICATION_FIELDS,
  CERTIFICATION_STATUS,
  GATES_INPUT,
  LISTING_FIELDS,
  LISTING_INPUT,
  REVIEW_INPUT,
  REVOKE_INPUT,
} from './tables.js';
import {
  BADGES,
  CERTIFICATION_STATUSES,
  LISTING_STATUSES,
  LISTING_TYPES,
  SHOWN_BADGES_MAX,
} from './vocabulary.js';

const READ = { can: 'certification.read' } as const;
const WRITE = { can: 'certification.write' } as const;
const REVIEW = { can: 'certification.review' } as const;
const LISTING = { id: uuid('The listing, by its id.') } as const;
const CERTIFICATION = { id: uuid('The badge, which is the id of its certification.') } as const;

const Certification = builder.prismaNode('Certification', {
  id: { field: 'id', description: 'The id of the badge, and of its review.' },
  description: 'A badge of a listing or a tool, from the begin of its review on.',
  fields: (t) => ({
    ...storedFields(t, CERTIFICATION_FIELDS as never),
    status: t.field({
      type: enumOf(CERTIFICATION_STATUSES),
      description: 'How it stands now.',
      select: { listing: { select: AROUND } },
      resolve: ({ listing, ...row }, _args, ctx) => ownStatus(ctx, row, listing),
    }),
    ...shownFields(t, CERTIFICATION_STATUS, (row) => ({
      attestation: attestationOf(row.badge),
      decision: decisionOf(row.status),
      gatesRequired: requiredGates(BADGES.parse(row.badge)),
    })),
  }),
});

/** Badges that were not superseded, and open reviews. */
const CURRENT = {
  where: { supersededAt: null, status: { in: ['certified', 'in_review'] } },
  orderBy: NEWEST_FIRST,
  take: SHOWN_BADGES_MAX,
};

const MarketplaceListing = builder.prismaNode('MarketplaceListing', {
  id: { field: 'id', description: 'The id of the listing.' },
  description: 'What the organization offers, as it sees it itself.',
  fields: (t) => ({
    ...storedFields(t, LISTING_FIELDS as never),
    status: t.field({
      type: enumOf(LISTING_STATUSES),
      description: 'How it stands now.',
      select: {
        ...{ ...AROUND, status: true, nameReview: true },
        certifications: CURRENT,
      },
      resolve: async ({ certifications, ...listing }, _args, ctx) => {
        const statuses = await ownStatuses(ctx, certifications, listing);
        return listingStatusOf(listing, statuses.includes('certified'));
      },
    }),
    badges: t.field({
      type: [Certification],
      description:
        'Its badges, expired ones too, and open reviews: those that no later badge has replaced.',
      select: { certifications: CURRENT },
      resolve: ({ certifications }) => certifications as never,
    }),
  }),
});

ownList({
  field: 'myMarketplaceListings',
  type: MarketplaceListing,
  description: 'The listings of the organization, of every status, newest first.',
  permission: 'certification.read',
  by: { type: optional(code(LISTING_TYPES, 'Only listings of this type.')) },
});

builder.queryFields((t) => ({
  certifications: t.prismaConnection({
    type: Certification,
    cursor: 'id',
    description: 'The badges of the organization, and their reviews, newest first.',
    authScopes: READ,
    complexity: pageComplexity,
    args: argsOf(t, {
      status: optional(code(CERTIFICATION_STATUSES, 'Only those that stand so now.')),
      badge: optional(code(BADGES, 'Only this badge.')),
      listingId: optional(uuid('Only those of this listing.')),
    }),
    resolve: async (query, _root, { status, badge, listingId }, ctx) =>
      database(ctx).certification.findMany({
        ...query,
        where: {
          badge: badge ?? undefined,
          listingId: listingId ?? undefined,
          AND: status ? standingWhere(status, await ownProvedNames(ctx), sharedNow()) : {},
        },
        orderBy: NEWEST_FIRST,
      }),
  }),
  certificationRenewalsDue: t.prismaConnection({
    type: Certification,
    cursor: 'id',
    description: 'Badges in force that end in less than 30 days, newest first.',
    authScopes: READ,
    complexity: pageComplexity,
    resolve: async (query, _root, _args, ctx) =>
      database(ctx).certification.findMany({
        ...query,
        where: renewalWhere(await ownProvedNames(ctx), sharedNow()),
        orderBy: NEWEST_FIRST,
      }),
  }),
  receiptOfCertification: t.field({
    type: CERTIFICATION_RECEIPTS.type,
    description: 'The sealed receipt of a decided review, by the id of the review.',
    authScopes: READ,
    args: argsOf(t, CERTIFICATION),
    resolve: (_root, { id }, ctx) => receiptOfReview(authorized(ctx), id),
  }),
}));

builder.mutationFields((t) => ({
  marketplaceListingCreate: t.field({
    type: MarketplaceListing,
    description: 'Creates a listing as a draft.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(LISTING_INPUT, 'What is to be listed.') }),
    resolve: (_root, { input }, ctx) => createListing(authorized(ctx), input) as never,
  }),
  marketplaceListingPublish: t.field({
    type: MarketplaceListing,
    description: 'Publishes a listing that has at least one badge in force.',
    authScopes: WRITE,
    args: argsOf(t, LISTING),
    resolve: (_root, { id }, ctx) => publishListing(authorized(ctx), id) as never,
  }),
  marketplaceListingWithdraw: t.field({
    type: MarketplaceListing,
    description: 'Takes a listing back; it can be published again.',
    authScopes: WRITE,
    args: argsOf(t, LISTING),
    resolve: (_root, { id }, ctx) => withdrawListing(authorized(ctx), id) as never,
  }),
  certificationReviewStart: t.field({
    type: Certification,
    description:
      'Starts the review of a badge, and audits the live contract of the tool it is for.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(REVIEW_INPUT, 'What is to be certified.') }),
    resolve: (_root, { input }, ctx) => startReview(authorized(ctx), input) as never,
  }),
  certificationReviewDecide: t.field({
    type: Certification,
    description:
      'Decides a review by the gates that are passed: certified or rejected, with a score. A ' +
      'member decides, and another one than who started it where there is one.',
    authScopes: REVIEW,
    args: argsOf(t, { ...CERTIFICATION, input: object(GATES_INPUT, 'What was found.') }),
    resolve: (_root, { id, input }, ctx) => decideReview(authorized(ctx), id, input) as never,
  }),
  certificationRevoke: t.field({
    type: Certification,
    description: 'Takes a badge back; listings that have no other one are hidden.',
    authScopes: REVIEW,
    args: argsOf(t, { ...CERTIFICATION, input: object(REVOKE_INPUT, 'Why it is taken back.') }),
    resolve: (_root, { id, input }, ctx) =>
      revokeCertification(authorized(ctx), id, input) as never,
  }),
}));
