import type { Lifecycle } from '../../kernel/lifecycle.js';
import type { Finding } from './tables.js';
import {
  BADGES,
  type Badge,
  type CertificationStatus,
  GATES,
  type Gate,
  type ListingStatus,
  RENEWAL_NOTICE_DAYS,
  REVIEW_DECISIONS,
  type ReviewDecision,
  STATEMENT_DAYS,
} from './vocabulary.js';

const DAY_MS = 86_400_000;

/** The gates that a badge requires, in the order of its table. */
export function requiredGates(badge: Badge): readonly Gate[] {
  return BADGES.find(badge)?.requires ?? [];
}

/** Whether a gate rests on the live contract of a tool. */
export function isAudited(gate: Gate): boolean {
  return GATES.find(gate)?.evidence === 'audited';
}

/** Whether a badge needs a tool whose contract can be audited. */
export function needsTool(badge: Badge): boolean {
  return requiredGates(badge).some(isAudited);
}

/** What a review ends in, with the gates of the badge that are passed and not. */
export interface Judged {
  readonly decision: ReviewDecision;
  readonly score: number;
  readonly passed: readonly Gate[];
  readonly failed: readonly Gate[];
}

/**
 * The decision of a review. A gate is passed when the reviewer says so and, where the live contract
 * is audited for it, the audit says so too. Certified is who passes all that the badge requires;
 * the score is the weight of the passed ones among these, in percent, rounded down.
 */
export function judgeReview(
  badge: Badge,
  stated: readonly Gate[],
  audit: readonly Finding[],
): Judged {
  const shown = new Set(audit.filter(({ passed }) => passed).map(({ gate }) => gate));
  const holds = (gate: Gate) => stated.includes(gate) && (!isAudited(gate) || shown.has(gate));
  const required = requiredGates(badge);
  const passed = required.filter(holds);
  const failed = required.filter((gate) => !holds(gate));
  const score = Math.floor((100 * weightOf(passed)) / weightOf(required));
  return { decision: failed.length === 0 ? 'certified' : 'rejected', score, passed, failed };
}

function weightOf(gates: readonly Gate[]): number {
  return gates.reduce((sum, gate) => sum + (GATES.find(gate)?.weight ?? 0), 0);
}

/** What of a row its standing depends on. */
export interface Standing {
  readonly status: string;
  readonly validUntil: Date | null;
  readonly supersededAt: Date | null;
}

/** How a badge stands at a moment. What cannot come back counts before what time does. */
export function statusAt(row: Standing, now: Date): CertificationStatus {
  if (row.status !== 'certified') return row.status as CertificationStatus;
  if (row.supersededAt !== null) return 'superseded';
  return row.validUntil !== null && row.validUntil > now ? 'certified' : 'expired';
}

/** The rows that stand so at a moment, as Prisma's condition. */
export function standingWhere(status: CertificationStatus, now: Date): object {
  const inForce = { status: 'certified', supersededAt: null };
  if (status === 'certified') return { ...inForce, validUntil: { gt: now } };
  if (status === 'expired') return { ...inForce, validUntil: { lte: now } };
  if (status === 'superseded') return { status: 'certified', supersededAt: { not: null } };
  return { status };
}

/** The badges that are due for renewal at a moment, as Prisma's condition. */
export function renewalWhere(now: Date): object {
  const notice = new Date(now.getTime() + RENEWAL_NOTICE_DAYS * DAY_MS);
  return { status: 'certified', supersededAt: null, validUntil: { gt: now, lt: notice } };
}

/** Until when a badge holds that is certified at a moment. */
export function validUntilFrom(badge: Badge, now: Date): Date {
  return new Date(now.getTime() + (BADGES.find(badge)?.renewalDays ?? 0) * DAY_MS);
}

/** Until when a statement that is signed at a moment is good. Whole seconds, rounded down. */
export function statementEnd(validUntil: Date, now: Date): Date {
  const endMs = Math.min(validUntil.getTime(), now.getTime() + STATEMENT_DAYS * DAY_MS);
  return new Date(Math.floor(endMs / 1_000) * 1_000);
}

/** How a listing stands at a moment, by its row and its badges. */
export function listingStatusOf(
  stored: string,
  badges: readonly Standing[],
  now: Date,
): ListingStatus {
  if (stored !== 'listed') return stored as ListingStatus;
  return badges.some((each) => statusAt(each, now) === 'certified') ? 'listed' : 'lapsed';
}

/** What the review ended in; a badge that was taken back had been certified. */
export function decisionOf(stored: string): ReviewDecision | null {
  if (stored === 'revoked') return 'certified';
  return REVIEW_DECISIONS.has(stored) ? stored : null;
}

/** What may become of a badge. Time and contracts end it without a step. */
export const CERTIFICATION_LIFECYCLE: Lifecycle<
  'in_review' | 'certified' | 'rejected' | 'revoked',
  'certify' | 'reject' | 'revoke'
> = {
  in_review: { certify: 'certified', reject: 'rejected' },
  certified: { revoke: 'revoked' },
  rejected: {},
  revoked: {},
};

/** What may become of a listing. */
export const LISTING_LIFECYCLE: Lifecycle<
  'draft' | 'listed' | 'withdrawn',
  'publish' | 'withdraw'
> = {
  draft: { publish: 'listed', withdraw: 'withdrawn' },
  listed: { publish: 'listed', withdraw: 'withdrawn' },
  withdrawn: { publish: 'listed' },
};
