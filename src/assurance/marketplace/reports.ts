import { type ListingReport, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { type ConnectionArgs, idPage, type KeysetPage } from '../../graph/keyset.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { wellFormed } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { next } from '../../kernel/lifecycle.js';
import { everyTenant } from '../../platform/database/tenant.js';
import { audit } from '../../records/audit-trail.js';
import { databaseNow } from '../../records/clock.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { requireOperator } from '../publishers/decisions.js';
import { REPORT_INPUT, RESOLVE_INPUT, type ReportInQueue } from './tables.js';
import { REPORT_REASONS, REPORT_STATUSES, REPORTS_A_DAY_MAX } from './vocabulary.js';

/** How a report stands. */
export function reportStatus({ resolution }: Pick<ListingReport, 'resolution'>) {
  return REPORT_STATUSES.parse(resolution ?? 'open');
}

/**
 * Reports a public listing of any organization to the operators. Its publisher sees nothing of it.
 * @throws invalid_request, not_found, listing_report_open, listing_report_limit_reached
 */
export async function reportListing(
  ctx: AuthorizedCtx,
  listingId: string,
  given: GivenValues,
): Promise<ListingReport> {
  const { reason, details } = inputValues(REPORT_INPUT.fields, given);
  failOnFaults([
    ...inputFaults(REPORT_INPUT.fields, { reason, details }, 'input'),
    ...wellFormed('input.details', details),
  ]);
  const { tenantId, id: createdBy } = ctx.who;
  return transactAcrossTenants(ctx.services, async (tx) => {
    await requirePublic(tx, listingId);
    await requireFewReports(tx, tenantId);
    const open = await tx.listingReport.findFirst({
      where: { tenantId, listingId, resolvedAt: null },
    });
    if (open) refuseSecond(open.id);
    const id = newId('ListingReport');
    const data = { id, tenantId, listingId, reason, details: details.trim(), createdBy };
    const result = await tx.listingReport.create({ data });
    await audit(ctx, tx, {
      ...{ action: 'marketplaceListingReport', subject: 'ListingReport', subjectId: id },
      after: { listing_id: listingId, reason },
    });
    return result;
  });
}

function refuseSecond(id: string): never {
  return fail('listing_report_open', { values: { id }, data: { id } });
}

async function requirePublic(tx: Transaction, id: string): Promise<void> {
  const shown = isUuid(id)
    ? await tx.$queryRaw<unknown[]>`
        SELECT 1 FROM marketplace_listing l
        JOIN tenant t ON t.id = l.tenant_id AND t.status = 'active'
        WHERE l.id = ${id}::uuid AND l.status = 'listed' AND l.measure IS NULL
          AND (l.name_review IS NULL OR l.name_review = 'cleared')`
    : [];
  if (shown.length === 0) fail('not_found', { values: { subject: 'listing', id }, param: 'id' });
}

/**
 * Counting and adding are one step for an organization. Whoever finds another one at it is refused
 * and does not wait: reports are made with a connection of the whole platform.
 */
async function requireFewReports(tx: Transaction, tenantId: string): Promise<void> {
  const [turn] = await tx.$queryRaw<{ taken: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(
      hashtextextended('listing_report ' || ${tenantId}, 0)) AS taken`;
  const [made] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM listing_report WHERE tenant_id = ${tenantId}::uuid
      AND created_at > clock_timestamp() - interval '24 hours'`;
  if (turn?.taken && (made?.count ?? 0) < REPORTS_A_DAY_MAX) return;
  fail('listing_report_limit_reached', { values: { max: REPORTS_A_DAY_MAX } });
}

const RESOLVING = { open: { resolve: 'resolved' }, resolved: {} } as const;

/**
 * Says what an operator has found of a report. What follows for the listing is a measure.
 * @throws platform_admin_required, invalid_request, not_found, lifecycle_refused
 */
export async function resolveReport(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<ReportInQueue> {
  requireOperator(ctx);
  const { resolution, reason } = inputValues(RESOLVE_INPUT.fields, given);
  failOnFaults(inputFaults(RESOLVE_INPUT.fields, { resolution, reason }, 'input'));
  return transactAcrossTenants(ctx.services, async (tx) => {
    const [before] = isUuid(id)
      ? await tx.$queryRaw<{ resolvedAt: Date | null; ownerId: string }[]>`
          SELECT r.resolved_at AS "resolvedAt", l.tenant_id AS "ownerId"
          FROM listing_report r JOIN marketplace_listing l ON l.id = r.listing_id
          WHERE r.id = ${id}::uuid FOR UPDATE OF r`
      : [];
    if (!before) return fail('not_found', { values: { subject: 'report', id }, param: 'id' });
    const isOwn = before.ownerId === ctx.who.tenantId;
    if (isOwn && resolution === 'dismissed') fail('publisher_own_decision');
    next(RESOLVING, before.resolvedAt === null ? 'open' : 'resolved', 'resolve');
    const now = await databaseNow(tx);
    const resolved = { resolvedAt: now, resolvedBy: ctx.who.id };
    const row = await tx.listingReport.update({
      where: { id },
      data: { resolution, resolutionReason: reason.trim(), ...resolved },
      include: { listing: true },
    });
    await audit(ctx, tx, {
      ...{ action: 'marketplaceReportResolve', subject: 'ListingReport', subjectId: id },
      before: { status: 'open' },
      after: { status: resolution, reason: reason.trim() },
    });
    const { listing, ...report } = row;
    const { name: listingName, publisher, tenantId: publisherTenantId } = listing;
    return inQueue({ ...report, listingName, publisher, publisherTenantId });
  });
}

interface Joined extends ListingReport {
  readonly listingName: string;
  readonly publisher: string | null;
  readonly publisherTenantId: string;
}

function inQueue({ resolution, ...row }: Joined): ReportInQueue {
  const reason = REPORT_REASONS.parse(row.reason);
  return { ...row, reason, status: reportStatus({ resolution }) };
}

/** Reports of all organizations, newest first. @throws platform_admin_required */
export async function reportsInQueue(
  ctx: AuthorizedCtx,
  { status, ...page }: ConnectionArgs & { readonly status?: string | null },
): Promise<KeysetPage<ReportInQueue>> {
  requireOperator(ctx);
  const standing = status ? Prisma.sql`coalesce(r.resolution, 'open') = ${status}` : ALL;
  const found = await idPage(page, (below, take) => {
    const beyond = below ? Prisma.sql`AND r.id < ${below}::uuid` : Prisma.empty;
    return everyTenant(ctx.services.prisma).$queryRaw<Joined[]>`
      SELECT r.id, r.tenant_id AS "tenantId", r.listing_id AS "listingId", r.reason, r.details,
        r.resolution, r.resolution_reason AS "resolutionReason", r.resolved_at AS "resolvedAt",
        r.resolved_by AS "resolvedBy", r.created_by AS "createdBy", r.created_at AS "createdAt",
        l.name AS "listingName", l.publisher, l.tenant_id AS "publisherTenantId"
      FROM listing_report r JOIN marketplace_listing l ON l.id = r.listing_id
      WHERE ${standing} ${beyond} ORDER BY r.id DESC LIMIT ${take}`;
  });
  const edges = found.edges.map(({ node, cursor }) => ({ node: inQueue(node), cursor }));
  return { edges, pageInfo: found.pageInfo };
}

const ALL = Prisma.sql`true`;
