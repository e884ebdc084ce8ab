import type { Certification, MarketplaceListing } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { newId } from '../../kernel/ids.js';
import { next } from '../../kernel/lifecycle.js';
import { accountableMember } from '../../records/approvals/requester.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { lockOwn, requireOwn } from '../../records/own.js';
import type { Receipt } from '../../records/receipt.js';
import { CERTIFICATION_LIFECYCLE, judgeReview, needsTool, validUntilFrom } from './gates.rules.js';
import { AROUND, isProved } from './proved.js';
import { CERTIFICATION_RECEIPTS } from './records.js';
import { reviewRight } from './reviewer.js';
import { type CertificationContent, GATES_INPUT, REVIEW_INPUT, REVOKE_INPUT } from './tables.js';
import { auditTool } from './tool-audit.js';
import { BADGES, CERTIFICATION_STATUSES } from './vocabulary.js';

type Asked = ValuesOf<typeof REVIEW_INPUT.fields>;

/**
 * Starts the review of a badge. Where a tool is named, its live contract is audited at once; the
 * decision audits it again.
 * @throws invalid_request, not_found, certification_review_open
 */
export async function startReview(ctx: AuthorizedCtx, given: GivenValues): Promise<Certification> {
  const asked = inputValues(REVIEW_INPUT.fields, given);
  failOnFaults([...inputFaults(REVIEW_INPUT.fields, asked, 'input'), ...subjectFaults(asked)]);
  const name = { action: 'certificationReviewStart', subject: 'Certification' } as const;
  return change(ctx, name, async (tx) => {
    const listing = await listingOf(ctx, tx, asked);
    const toolKey = asked.toolKey ?? listing?.toolKey ?? null;
    failOnFaults(toolFaults(asked, listing, toolKey));
    const audited = await auditTool(ctx, tx, toolKey);
    const id = newId('Certification');
    const subject = {
      tenantId: ctx.who.tenantId,
      badge: asked.badge,
      listingId: listing?.id ?? null,
      toolKey,
    };
    const data = {
      ...subject,
      ...audited,
      id,
      version: listing?.version ?? String(audited.toolContractVersion),
      startedBy: ctx.who.id,
      accountableId: await accountableMember(tx, ctx.who),
    };
    // The statement waits for a racer and then skips; the read after it sees what the racer wrote.
    const { count } = await tx.certification.createMany({ data, skipDuplicates: true });
    const where = count === 1 ? { id } : { ...subject, status: 'in_review' };
    const result = await tx.certification.findFirstOrThrow({ where });
    if (count === 0) {
      fail('certification_review_open', { values: { id: result.id }, data: { id: result.id } });
    }
    return { result, id, after: { badge: asked.badge, listing_id: subject.listingId } };
  });
}

function subjectFaults({ listingId, toolKey }: Asked): Fault[] {
  const isNamed = listingId !== null || toolKey !== null;
  return isNamed ? [] : [fault('input.listingId', 'missing', 'or toolKey is needed')];
}

function toolFaults(
  { badge, toolKey: stated }: Asked,
  listing: MarketplaceListing | null,
  toolKey: string | null,
): Fault[] {
  const path = 'input.toolKey';
  const own = listing?.toolKey ?? null;
  if (stated !== null && own !== null && stated !== own) {
    return [fault(path, 'invalid', `must be the tool of the listing, ${own}`)];
  }
  const isMissing = needsTool(badge) && toolKey === null;
  const why = `is needed: ${badge} audits the live contract`;
  return isMissing ? [fault(path, 'missing', why)] : [];
}

/** The listing that is named, else the one listing of the tool. @throws not_found */
async function listingOf(ctx: AuthorizedCtx, tx: Transaction, { listingId, toolKey }: Asked) {
  if (listingId !== null) {
    const named = { tx, param: 'listing_id', subject: 'listing' };
    return requireOwn(ctx, 'MarketplaceListing', listingId, named);
  }
  const where = { tenantId: ctx.who.tenantId, toolKey };
  const [listing = null, another] = await tx.marketplaceListing.findMany({ where, take: 2 });
  return another ? null : listing;
}

/**
 * Decides a review once, by the gates that the reviewer passes and the contract of the tool as it
 * is now. A badge that is certified takes the place of the one before it.
 * @throws invalid_request, not_found, certification_self_review, lifecycle_refused
 */
export async function decideReview(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<Certification> {
  const { gatesPassed } = inputValues(GATES_INPUT.fields, given);
  failOnFaults(inputFaults(GATES_INPUT.fields, { gatesPassed }, 'input'));
  const name = { action: 'certificationReviewDecide', subject: 'Certification' } as const;
  return change(ctx, name, async (tx) => {
    const before = await lockOwn(ctx, tx, 'Certification', id, { subject: 'review' });
    next(CERTIFICATION_LIFECYCLE, storedStatus(before), 'certify');
    const selfReviewed = await reviewRight(ctx, tx, before);
    const audited = await auditTool(ctx, tx, before.toolKey);
    const badge = BADGES.parse(before.badge);
    const now = await databaseNow(tx);
    const listing = await tx.marketplaceListing.findFirst({
      where: { id: before.listingId ?? before.id, tenantId: before.tenantId },
      select: AROUND,
    });
    const proved = await isProved(tx, before.tenantId, listing, now);
    const judged = judgeReview(badge, gatesPassed, audited.audit, proved);
    const isCertified = judged.decision === 'certified';
    if (isCertified) await supersede(tx, before, now);
    const decided = {
      status: judged.decision,
      score: judged.score,
      gatesPassed: [...judged.passed],
      gatesFailed: [...judged.failed],
      reviewedBy: ctx.who.id,
      selfReviewed,
      decidedAt: now,
      validUntil: isCertified ? validUntilFrom(badge, now) : null,
      version: before.listingId ? before.version : String(audited.toolContractVersion),
    };
    const data = { ...audited, ...decided };
    const result = await tx.certification.update({ where: { id: before.id }, data });
    const after = { status: result.status, score: judged.score };
    await CERTIFICATION_RECEIPTS.seal(ctx, result.id, contentOf(result), { tx });
    return { result, id: result.id, before: { status: before.status }, after };
  });
}

/** The badge of the same subject that was in force, or has expired, gives way. */
async function supersede(tx: Transaction, by: Certification, now: Date): Promise<void> {
  const { tenantId, badge, listingId, toolKey } = by;
  await tx.certification.updateMany({
    where: { tenantId, badge, listingId, toolKey, status: 'certified', supersededAt: null },
    data: { supersededAt: now, supersededBy: by.id },
  });
}

function contentOf(row: Certification): CertificationContent {
  const { toolContractSha256, ...stored } = row;
  const hash = toolContractSha256 && Buffer.from(toolContractSha256).toString('hex');
  return {
    ...(stored as unknown as CertificationContent),
    certificationId: row.id,
    toolContractSha256: hash,
    decision: row.status as CertificationContent['decision'],
  };
}

type Stored = 'in_review' | 'certified' | 'rejected' | 'revoked';

function storedStatus({ status }: Certification): Stored {
  return CERTIFICATION_STATUSES.parse(status) as Stored;
}

/**
 * Takes a badge back, from this moment on everywhere but in statements that were signed before.
 * @throws invalid_request, not_found, lifecycle_refused
 */
export async function revokeCertification(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<Certification> {
  const { reason } = inputValues(REVOKE_INPUT.fields, given);
  failOnFaults(inputFaults(REVOKE_INPUT.fields, { reason }, 'input'));
  const name = { action: 'certificationRevoke', subject: 'Certification' } as const;
  return change(ctx, name, async (tx) => {
    const before = await lockOwn(ctx, tx, 'Certification', id);
    const status = next(CERTIFICATION_LIFECYCLE, storedStatus(before), 'revoke');
    const data = { status, revokedAt: await databaseNow(tx), revokeReason: reason.trim() };
    const result = await tx.certification.update({ where: { id: before.id }, data });
    const after = { status, reason: reason.trim() };
    return { result, id: before.id, before: { status: before.status }, after };
  });
}

/** The receipt of a decided review. @throws not_found, certification_undecided */
export async function receiptOfReview(
  ctx: AuthorizedCtx,
  id: string,
): Promise<Receipt<CertificationContent>> {
  const row = await requireOwn(ctx, 'Certification', id);
  const receipt = await CERTIFICATION_RECEIPTS.byKey(ctx, row.id);
  return receipt ?? fail('certification_undecided', { values: { id }, param: 'id' });
}
