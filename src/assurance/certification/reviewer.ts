import type { Certification } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { PERMISSIONS } from '../../graph/permissions.js';
import { fail } from '../../kernel/errors/fail.js';
import { requiresFourEyes } from '../../records/approvals/requester.js';
import { decisionRight } from '../../records/approvals/rules.js';

/**
 * Whether a member may decide a review: by the rule of approvals, since a badge is a promise to
 * others. Never a key; who started the review, or answers for the key that did, only while nobody
 * else could and the organization does not always require a second person.
 * @returns true where the member decides what they started
 * @throws certification_self_review
 */
export async function reviewRight(
  { who }: AuthorizedCtx,
  tx: Transaction,
  { accountableId }: Certification,
): Promise<boolean> {
  const { tenantId } = who;
  const otherEligibleCount = await tx.user.count({
    where: {
      tenantId,
      status: 'active',
      role: { in: [...PERMISSIONS['certification.review'].roles] },
      id: { not: accountableId ?? undefined },
    },
  });
  const { outcome, reasons } = decisionRight({
    principalKind: who.kind,
    role: who.role,
    isRequester: who.id === accountableId,
    otherEligibleCount,
    fourEyesAlways: await requiresFourEyes(tx, tenantId),
  });
  if (outcome === 'decided' || outcome === 'self_decided') return outcome === 'self_decided';
  const reason = reasons.map((each) => each.reason).join(', ');
  return fail('certification_self_review', { values: { reason } });
}
