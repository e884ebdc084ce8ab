import { lookKey } from './names.rules.js';
import {
  CHECK_FAILURES,
  type CheckFailure,
  type IdentityStatus,
  type PublisherStanding,
  RECORD_PREFIX,
} from './vocabulary.js';

/** The evidence of a claim. */
export interface Evidence {
  readonly challengeUntil: Date;
  readonly provedAt: Date | null;
  readonly provedUntil: Date | null;
  readonly decision: string | null;
  readonly approvedUntil: Date | null;
  readonly withdrawnAt: Date | null;
  readonly revokedAt: Date | null;
}

/** How a claim stands at a moment. What ends it counts before what proves it. */
export function identityStatus(row: Evidence, now: Date): IdentityStatus {
  if (row.revokedAt !== null) return 'revoked';
  if (row.withdrawnAt !== null) return 'withdrawn';
  if (row.decision === 'denied') return 'denied';
  if (row.approvedUntil !== null && row.approvedUntil > now) return 'operator_verified';
  if (row.provedUntil !== null && row.provedUntil > now) return 'domain_verified';
  if (row.provedAt !== null || row.approvedUntil !== null) return 'lapsed';
  return row.challengeUntil > now ? 'pending' : 'expired';
}

/** Whether a claim is verified at a moment. */
export function isVerified(row: Evidence, now: Date): boolean {
  const status = identityStatus(row, now);
  return status === 'operator_verified' || status === 'domain_verified';
}

/** A claim that may still be proved, decided or withdrawn. */
export function isOpen(status: IdentityStatus): boolean {
  return !['expired', 'denied', 'withdrawn', 'revoked'].includes(status);
}

/** A claim with the names that it can stand for. */
export interface NamedEvidence extends Evidence {
  readonly nameKey: string;
  readonly domain: string | null;
  readonly domainKey: string | null;
  readonly labelKey: string | null;
  readonly legalName: string;
}

/** What of a listing is asked for: the name that it shows. */
export interface NamedListing {
  readonly publisher: string | null;
  readonly publisherKey: string | null;
}

/** What is known of who publishes. */
export interface KnownPublisher {
  readonly standing: PublisherStanding;
  readonly domain: string | null;
  readonly legalName: string | null;
}

/**
 * The keys of the names that a claim is proof of at a moment. The decision of an operator proves
 * the legal name, a record of the domain proves the domain and its label; neither proves what the
 * other does, whatever else the claim says.
 */
export function provedKeys(row: NamedEvidence, now: Date): readonly string[] {
  if (!isVerified(row, now)) return [];
  const { nameKey, domainKey, labelKey } = row;
  const keys = [
    ...(holdsUntil(row.approvedUntil, now) ? [nameKey] : []),
    ...(holdsUntil(row.provedUntil, now) ? [domainKey, labelKey] : []),
  ];
  return keys.filter((key) => key !== null);
}

function holdsUntil(end: Date | null, now: Date): boolean {
  return end !== null && end > now;
}

/**
 * What is known of who publishes a listing, or a tool without one. A verification counts only for
 * the name that was verified: another name on the listing is the publisher's own statement.
 */
export function knownPublisher(
  identities: readonly NamedEvidence[],
  listing: NamedListing | null,
  now: Date,
): KnownPublisher {
  const fit = identities.filter((each) => isVerified(each, now) && isNamed(each, listing, now));
  const approved = fit.find(({ approvedUntil }) => holdsUntil(approvedUntil, now));
  const proved = fit.find(({ provedUntil }) => holdsUntil(provedUntil, now));
  const domain = proved?.domain ?? null;
  if (approved) return { standing: 'operator_verified', domain, legalName: approved.legalName };
  if (proved) return { standing: 'domain_verified', domain, legalName: null };
  return { standing: 'self_attested', domain: null, legalName: null };
}

function isNamed(identity: NamedEvidence, listing: NamedListing | null, now: Date): boolean {
  if (listing === null || listing.publisher === null) return true;
  return provedKeys(identity, now).some((key) => key === listing.publisherKey);
}

/** The key by which a listing is compared; null where it names nobody. */
export function publisherKeyOf(publisher: string | null): string | null {
  return publisher === null ? null : lookKey(publisher);
}

/** What a question for the records of a name has brought. */
export type TxtOutcome =
  | { readonly records: readonly string[] }
  | { readonly failure: CheckFailure };

/** The record of a claim. */
export function recordOf(token: string): string {
  return `${RECORD_PREFIX}${token}`;
}

/** Whether the records hold that of a claim. */
export function holdsToken(outcome: TxtOutcome, token: string): boolean {
  return 'records' in outcome && outcome.records.some((each) => each.trim() === recordOf(token));
}

/** What a check has found of a claim: nothing wrong, or what. */
export function checkFailure(
  outcome: TxtOutcome,
  token: string,
): Exclude<CheckFailure, 'domain_taken' | 'name_taken'> | null {
  if ('failure' in outcome) return outcome.failure as never;
  if (holdsToken(outcome, token)) return null;
  return outcome.records.length === 0 ? 'record_missing' : 'token_missing';
}

/** Whether a failure ends a proof at once; others leave it until its own end. */
export function endsProof(failure: CheckFailure): boolean {
  return CHECK_FAILURES.find(failure)?.isFinal ?? true;
}
