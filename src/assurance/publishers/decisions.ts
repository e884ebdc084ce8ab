import type { PublisherIdentity } from '../../generated/prisma/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { type ConnectionArgs, idPage, type KeysetPage } from '../../graph/keyset.js';
import type { Sealable } from '../../kernel/canonical.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { isUuid } from '../../kernel/ids.js';
import { everyTenant } from '../../platform/database/tenant.js';
import { audit } from '../../records/audit-trail.js';
import { databaseNow } from '../../records/clock.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { requireOpen } from './claims.js';
import { lockNames, verifiedNames } from './guarded-names.js';
import { identityStatus } from './identity.rules.js';
import { likeness } from './names.rules.js';
import { questionListings, withDue } from './questioned-listings.js';
import { type ClaimInQueue, DECISION_INPUT, IDENTITY_REVOKE_INPUT } from './tables.js';
import { APPROVAL_DAYS, IDENTITY_DECISIONS, IDENTITY_STATUSES } from './vocabulary.js';

const DAY_MS = 86_400_000;

/** @throws platform_admin_required for everybody else */
export function requireOperator({ who }: AuthorizedCtx): void {
  if (!who.platformAdmin) fail('platform_admin_required');
}

/** What an operator does to something of another organization. */
export interface OperatorChange {
  readonly action: string;
  readonly subject: string;
  readonly subjectId: string;
  /** The organization that it is about. */
  readonly tenantId: string;
  readonly before: Sealable;
  readonly after: Sealable;
}

/**
 * Records what an operator has done in the trail of the organization that it is about, and in that
 * of the operator's own where it is another one.
 */
export async function auditOperator(
  ctx: AuthorizedCtx,
  tx: Transaction,
  { tenantId, ...done }: OperatorChange,
): Promise<void> {
  const { kind, id } = ctx.who;
  await audit(ctx, tx, { ...done, actor: { kind, id, tenantId } });
  if (ctx.who.tenantId !== tenantId) await audit(ctx, tx, done);
}

async function lockClaim(tx: Transaction, id: string): Promise<PublisherIdentity> {
  const where = { id };
  if (isUuid(id)) {
    await tx.$queryRaw`SELECT 1 FROM publisher_identity WHERE id = ${id}::uuid FOR UPDATE`;
    const row = await tx.publisherIdentity.findFirst({ where });
    if (row) return row;
  }
  return fail('not_found', { values: { subject: 'publisher identity', id }, param: 'id' });
}

/**
 * Decides a claim: approved, the organization is the one that it names for a year; denied, nothing
 * more becomes of it. Nobody approves the claim of their own organization.
 * @throws platform_admin_required, invalid_request, not_found, publisher_claim_closed,
 *   publisher_own_decision
 */
export async function decideIdentity(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<ClaimInQueue> {
  requireOperator(ctx);
  const { decision, reason } = inputValues(DECISION_INPUT.fields, given);
  failOnFaults(inputFaults(DECISION_INPUT.fields, { decision, reason }, 'input'));
  const decided = await transactAcrossTenants(ctx.services, async (tx) => {
    await lockNames(tx);
    const claim = await lockClaim(tx, id);
    const now = await databaseNow(tx);
    const status = identityStatus(claim, now);
    // People decide when they get to it: the time of the challenge is that of the record alone.
    if (status !== 'expired') requireOpen(claim, now);
    const isApproved = decision === 'approved';
    if (isApproved && claim.tenantId === ctx.who.tenantId) fail('publisher_own_decision');
    const approvedUntil = isApproved ? new Date(now.getTime() + APPROVAL_DAYS * DAY_MS) : null;
    const data = {
      ...{ decision, decisionReason: reason.trim(), decidedAt: now, decidedBy: ctx.who.id },
      approvedUntil,
      ...(isApproved ? { namesDue: withDue(claim, 'legal_name') } : { provedUntil: null }),
    };
    const result = await tx.publisherIdentity.update({ where: { id: claim.id }, data });
    const { tenantId } = claim;
    await auditOperator(ctx, tx, {
      ...{ action: 'publisherIdentityDecide', subject: 'PublisherIdentity', subjectId: claim.id },
      ...{ tenantId, before: { status }, after: { decision, reason: reason.trim() } },
    });
    const shown = inQueue(result, (await verifiedNames(tx)).guarded, now);
    return { claim: result, shown };
  });
  await questionListings(ctx.services, decided.claim);
  return decided.shown;
}

/**
 * Takes a verification back: from now on the organization is an unproved one, and the claim is
 * closed.
 * @throws platform_admin_required, invalid_request, not_found, publisher_claim_closed
 */
export async function revokeIdentity(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<ClaimInQueue> {
  requireOperator(ctx);
  const { reason } = inputValues(IDENTITY_REVOKE_INPUT.fields, given);
  failOnFaults(inputFaults(IDENTITY_REVOKE_INPUT.fields, { reason }, 'input'));
  return transactAcrossTenants(ctx.services, async (tx) => {
    const claim = await lockClaim(tx, id);
    const now = await databaseNow(tx);
    requireOpen(claim, now);
    const status = identityStatus(claim, now);
    const data = {
      ...{ revokedAt: now, revokedBy: ctx.who.id, revokeReason: reason.trim() },
      provedUntil: null,
    };
    const result = await tx.publisherIdentity.update({ where: { id: claim.id }, data });
    await auditOperator(ctx, tx, {
      ...{ action: 'publisherIdentityRevoke', subject: 'PublisherIdentity', subjectId: claim.id },
      ...{ tenantId: claim.tenantId, before: { status } },
      after: { status: 'revoked', reason: reason.trim() },
    });
    return inQueue(result, (await verifiedNames(tx)).guarded, now);
  });
}

type Guarded = Awaited<ReturnType<typeof verifiedNames>>['guarded'];

function inQueue(row: PublisherIdentity, guarded: Guarded, now: Date): ClaimInQueue {
  const { id: _, ...shown } = row;
  const alike = guarded.filter(
    ({ tenantId, name }) => tenantId !== row.tenantId && likeness(name, row.legalName) !== 'other',
  );
  return {
    ...(shown as unknown as ClaimInQueue),
    id: row.id,
    decision: row.decision === null ? null : IDENTITY_DECISIONS.parse(row.decision),
    status: IDENTITY_STATUSES.parse(identityStatus(row, now)),
    similarNames: [...new Set(alike.map(({ name }) => name))].slice(0, SIMILAR_MAX),
  };
}

const SIMILAR_MAX = 20;

const NOT_ENDED = Prisma.sql`i.withdrawn_at IS NULL AND i.revoked_at IS NULL
  AND i.decision IS DISTINCT FROM 'denied'`;
const APPROVED = Prisma.sql`coalesce(i.approved_until > clock_timestamp(), false)`;
const PROVED = Prisma.sql`coalesce(i.proved_until > clock_timestamp(), false)`;
const WAS = Prisma.sql`(i.proved_at IS NOT NULL OR i.approved_until IS NOT NULL)`;
const IN_TIME = Prisma.sql`i.challenge_until > clock_timestamp()`;
const OPEN = Prisma.sql`${NOT_ENDED} AND NOT ${APPROVED} AND NOT ${PROVED} AND NOT ${WAS}`;

/** The rules of `identityStatus` as conditions of the database. */
const STANDING: Readonly<Record<string, Prisma.Sql>> = {
  pending: Prisma.sql`${OPEN} AND ${IN_TIME}`,
  expired: Prisma.sql`${OPEN} AND NOT ${IN_TIME}`,
  operator_verified: Prisma.sql`${NOT_ENDED} AND ${APPROVED}`,
  domain_verified: Prisma.sql`${NOT_ENDED} AND NOT ${APPROVED} AND ${PROVED}`,
  lapsed: Prisma.sql`${NOT_ENDED} AND NOT ${APPROVED} AND NOT ${PROVED} AND ${WAS}`,
  denied: Prisma.sql`i.revoked_at IS NULL AND i.withdrawn_at IS NULL AND i.decision = 'denied'`,
  withdrawn: Prisma.sql`i.revoked_at IS NULL AND i.withdrawn_at IS NOT NULL`,
  revoked: Prisma.sql`i.revoked_at IS NOT NULL`,
};

/** The claims of all organizations, newest first. @throws platform_admin_required */
export async function claimsInQueue(
  ctx: AuthorizedCtx,
  { status, ...page }: ConnectionArgs & { readonly status?: string | null },
): Promise<KeysetPage<ClaimInQueue>> {
  requireOperator(ctx);
  const standing = STANDING[status ?? ''] ?? Prisma.sql`true`;
  const prisma = everyTenant(ctx.services.prisma);
  const found = await idPage(page, async (below, take) => {
    const beyond = below ? Prisma.sql`AND i.id < ${below}::uuid` : Prisma.empty;
    const ids = await prisma.$queryRaw<{ id: string }[]>`
      SELECT i.id FROM publisher_identity i WHERE ${standing} ${beyond}
      ORDER BY i.id DESC LIMIT ${take}`;
    const where = { id: { in: ids.map(({ id }) => id) } };
    return prisma.publisherIdentity.findMany({ where, orderBy: { id: 'desc' } });
  });
  const { guarded } = await verifiedNames(prisma);
  const now = sharedNow();
  const edges = found.edges.map(({ node, cursor }) => ({
    node: inQueue(node, guarded, now),
    cursor,
  }));
  return { edges, pageInfo: found.pageInfo };
}
