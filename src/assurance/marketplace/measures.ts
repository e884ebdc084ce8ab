import { type MarketplaceListing, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { type ConnectionArgs, idPage, type KeysetPage } from '../../graph/keyset.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { isUuid } from '../../kernel/ids.js';
import { next } from '../../kernel/lifecycle.js';
import { everyTenant } from '../../platform/database/tenant.js';
import { databaseNow } from '../../records/clock.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { listingStatusOf } from '../certification/gates.rules.js';
import { LISTING_TYPES } from '../certification/vocabulary.js';
import { auditOperator, requireOperator } from '../publishers/decisions.js';
import { type ListingInQueue, MEASURE_INPUT } from './tables.js';
import {
  type ListingMeasure,
  MEASURE_LIFECYCLE,
  NAME_LIFECYCLE,
  NOT_FOR_OWN,
} from './vocabulary.js';

/**
 * Suspends, reinstates, withdraws or revokes a listing of any organization, or says whether the
 * name of its publisher misleads. Nobody does what favours their own organization.
 * @throws platform_admin_required, invalid_request, not_found, lifecycle_refused,
 *   publisher_own_decision
 */
export async function measureListing(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<ListingInQueue> {
  requireOperator(ctx);
  const { measure, reason } = inputValues(MEASURE_INPUT.fields, given);
  failOnFaults(inputFaults(MEASURE_INPUT.fields, { measure, reason }, 'input'));
  return transactAcrossTenants(ctx.services, async (tx) => {
    const before = await lockListing(tx, id);
    const change = changeBy(measure, before);
    const isOwn = before.tenantId === ctx.who.tenantId;
    if (isOwn && NOT_FOR_OWN.has(measure)) fail('publisher_own_decision');
    const measured = { measureReason: reason.trim(), measuredBy: ctx.who.id };
    const data = { ...change, ...measured, measuredAt: await databaseNow(tx) };
    const result = await tx.marketplaceListing.update({ where: { id: before.id }, data });
    await auditOperator(ctx, tx, {
      ...{ action: 'marketplaceListingMeasure', subject: 'MarketplaceListing' },
      ...{ subjectId: before.id, tenantId: before.tenantId },
      before: { status: listingStatusOf(before, true) },
      after: { measure, reason: reason.trim(), status: listingStatusOf(result, true) },
    });
    const openReports = await tx.listingReport.count({
      where: { listingId: before.id, resolvedAt: null },
    });
    return inQueue({ ...result, openReports });
  });
}

async function lockListing(tx: Transaction, id: string): Promise<MarketplaceListing> {
  if (isUuid(id)) {
    await tx.$queryRaw`SELECT 1 FROM marketplace_listing WHERE id = ${id}::uuid FOR UPDATE`;
    const row = await tx.marketplaceListing.findFirst({ where: { id } });
    if (row) return row;
  }
  return fail('not_found', { values: { subject: 'listing', id }, param: 'id' });
}

type Changed = Partial<Pick<MarketplaceListing, 'measure' | 'nameReview' | 'status'>>;

/** @throws lifecycle_refused */
function changeBy(asked: ListingMeasure, { measure, nameReview }: MarketplaceListing): Changed {
  if (asked === 'clear_name' || asked === 'refuse_name') {
    const said = (nameReview ?? 'unasked') as keyof typeof NAME_LIFECYCLE;
    return { nameReview: next(NAME_LIFECYCLE, said, asked) };
  }
  const done = (measure ?? 'untouched') as keyof typeof MEASURE_LIFECYCLE;
  const after = next(MEASURE_LIFECYCLE, done, asked);
  const taken = asked === 'withdraw' ? { status: 'withdrawn' } : {};
  return { ...taken, measure: after === 'untouched' ? null : after };
}

interface Counted extends MarketplaceListing {
  readonly openReports: number;
}

function inQueue(row: Counted): ListingInQueue {
  const { id, tenantId, name, publisher, url, openReports, createdAt } = row;
  const { measureReason, measuredAt, measuredBy } = row;
  return {
    ...{ id, tenantId, name, publisher, url, openReports, createdAt },
    ...{ measureReason, measuredAt, measuredBy },
    type: LISTING_TYPES.parse(row.type),
    status: listingStatusOf(row, true),
  };
}

const OPEN = Prisma.sql`SELECT count(*)::int FROM listing_report r
  WHERE r.listing_id = l.id AND r.resolved_at IS NULL`;

const QUEUES: Readonly<Record<string, Prisma.Sql>> = {
  name_in_review: Prisma.sql`l.status = 'listed' AND l.name_review = 'waiting'
    AND l.measure IS NULL`,
  reported: Prisma.sql`EXISTS (SELECT FROM listing_report r
    WHERE r.listing_id = l.id AND r.resolved_at IS NULL)`,
  suspended: Prisma.sql`l.measure = 'suspended'`,
  revoked: Prisma.sql`l.measure = 'revoked'`,
};

/** Drafts are seen by their organizations alone. */
const PUBLISHED = Prisma.sql`(l.listed_at IS NOT NULL OR l.measure IS NOT NULL)`;

/** Published listings of all organizations, newest first. @throws platform_admin_required */
export async function listingsInQueue(
  ctx: AuthorizedCtx,
  { queue, ...page }: ConnectionArgs & { readonly queue?: string | null },
): Promise<KeysetPage<ListingInQueue>> {
  requireOperator(ctx);
  const asked = QUEUES[queue ?? ''] ?? PUBLISHED;
  const found = await idPage(page, (below, take) => {
    const beyond = below ? Prisma.sql`AND l.id < ${below}::uuid` : Prisma.empty;
    return everyTenant(ctx.services.prisma).$queryRaw<Counted[]>`
      SELECT l.id, l.tenant_id AS "tenantId", l.type, l.name, l.publisher, l.url, l.status,
        l.name_review AS "nameReview", l.measure, l.measure_reason AS "measureReason",
        l.measured_at AS "measuredAt", l.measured_by AS "measuredBy",
        l.created_at AS "createdAt", (${OPEN}) AS "openReports"
      FROM marketplace_listing l WHERE ${asked} ${beyond}
      ORDER BY l.id DESC LIMIT ${take}`;
  });
  const edges = found.edges.map(({ node, cursor }) => ({ node: inQueue(node), cursor }));
  return { edges, pageInfo: found.pageInfo };
}
