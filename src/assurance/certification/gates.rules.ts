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

/** Whether a badge is in force only while it is proved who publishes. */
function needsProof(badge: string): boolean {
  return requiredGates(badge as Badge).some((gate) => GATES.find(gate)?.evidence === 'proved');
}

/** The badges that are in force only while it is proved who publishes. */
export const PROVED_BADGES: readonly Badge[] = BADGES.codes.filter(needsProof);

/** Who stands for what a badge says: of all but one the organization alone. */
export function attestationOf(badge: string): 'verified' | 'self_attested' {
  return badge === 'verified_publisher' ? 'verified' : 'self_attested';
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
 * is audited for it, the audit says so too, and where it is proved who publishes, a proof holds.
 * Certified is who passes all that the badge requires;
 * the score is the weight of the passed ones among these, in percent, rounded down.
 */
export function judgeReview(
  badge: Badge,
  stated: readonly Gate[],
  audit: readonly Finding[],
  isProved: boolean,
): Judged {
  const shown = new Set(audit.filter(({ passed }) => passed).map(({ gate }) => gate));
  const isShown = (gate: Gate) => {
    const evidence = GATES.find(gate)?.evidence;
    if (evidence === 'proved') return isProved;
    return evidence === 'attested' || shown.has(gate);
  };
  const holds = (gate: Gate) => stated.includes(gate) && isShown(gate);
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
  readonly badge: string;
  readonly status: string;
  readonly validUntil: Date | null;
  readonly supersededAt: Date | null;
}

/** What a badge depends on beside its own row. */
export interface Surroundings {
  /** It is proved now that its publisher is who its listing says. */
  readonly isProved: boolean;
  /** What an operator has done to its listing; null where nothing, or there is none. */
  readonly measure: string | null;
}

/** How a badge stands at a moment. What cannot come back counts before what time does. */
export function statusAt(row: Standing, around: Surroundings, now: Date): CertificationStatus {
  if (row.status !== 'certified') return row.status as CertificationStatus;
  if (row.supersededAt !== null) return 'superseded';
  if (row.validUntil === null || row.validUntil <= now) return 'expired';
  if (around.measure !== null) return 'suspended';
  return needsProof(row.badge) && !around.isProved ? 'unproven' : 'certified';
}

/** The claims that badges can be proved by, with the keys of the names that they stand for. */
export interface ProvedNames {
  readonly isAny: boolean;
  readonly keys: readonly string[];
}

/** Badges that nothing proves are not in force, as Prisma's condition. */
function provedWhere({ isAny, keys }: ProvedNames): object {
  const free = { badge: { notIn: [...PROVED_BADGES] } };
  if (!isAny) return free;
  const named = { listing: { publisherKey: { in: [...keys] } } };
  return { OR: [free, { listingId: null }, { listing: { publisher: null } }, named] };
}

const UNTOUCHED = { OR: [{ listingId: null }, { listing: { measure: null } }] };

/** The rows that stand so at a moment, as Prisma's condition. */
export function standingWhere(status: CertificationStatus, proved: ProvedNames, now: Date): object {
  const current = { status: 'certified', supersededAt: null };
  const inTime = { ...current, validUntil: { gt: now } };
  if (status === 'certified') return { ...inTime, AND: [UNTOUCHED, provedWhere(proved)] };
  if (status === 'unproven') return { ...inTime, AND: [UNTOUCHED, { NOT: provedWhere(proved) }] };
  if (status === 'suspended') return { ...inTime, listing: { measure: { not: null } } };
  if (status === 'expired') return { ...current, validUntil: { lte: now } };
  if (status === 'superseded') return { status: 'certified', supersededAt: { not: null } };
  return { status };
}

/** The badges that are due for renewal at a moment, as Prisma's condition. */
export function renewalWhere(proved: ProvedNames, now: Date): object {
  const notice = new Date(now.getTime() + RENEWAL_NOTICE_DAYS * DAY_MS);
  return { ...standingWhere('certified', proved, now), validUntil: { gt: now, lt: notice } };
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

/** What of a listing its standing depends on. */
export interface ListingStanding {
  readonly status: string;
  readonly nameReview: string | null;
  readonly measure: string | null;
}

/** How a listing stands at a moment, by its row and whether one of its badges is in force. */
export function listingStatusOf(
  { status, nameReview, measure }: ListingStanding,
  hasBadge: boolean,
): ListingStatus {
  if (measure !== null) return measure as ListingStatus;
  if (status !== 'listed') return status as ListingStatus;
  if (nameReview === 'refused') return 'name_refused';
  if (nameReview === 'waiting') return 'name_in_review';
  return hasBadge ? 'listed' : 'lapsed';
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
