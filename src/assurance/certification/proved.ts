import type { Certification } from '../../generated/prisma/client.js';
import type { Ctx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import {
  isVerified,
  knownPublisher,
  type NamedEvidence,
  type NamedListing,
  provedKeys,
} from '../publishers/identity.rules.js';
import { ownIdentities, readIdentities } from '../publishers/known.js';
import { type ProvedNames, type Standing, statusAt } from './gates.rules.js';
import type { CertificationStatus } from './vocabulary.js';

/** What of a listing the standing of its badges depends on. */
interface Around extends NamedListing {
  readonly measure: string | null;
}

/** What is read of a listing for that. */
export const AROUND = { publisher: true, publisherKey: true, measure: true } as const;

/** Whether a proof holds now for what a listing shows, or for a tool without one. */
function isProvedBy(
  identities: readonly NamedEvidence[],
  listing: NamedListing | null,
  now: Date,
): boolean {
  return knownPublisher(identities, listing, now).standing !== 'self_attested';
}

/** The same by the rows of a transaction. */
export async function isProved(
  tx: Transaction,
  tenantId: string,
  listing: NamedListing | null,
  now: Date,
): Promise<boolean> {
  return isProvedBy(await readIdentities(tx as never, tenantId), listing, now);
}

/** How badges of the caller's organization stand now. */
export async function ownStatuses(
  ctx: Ctx,
  rows: readonly Standing[],
  listing: Around | null,
): Promise<readonly CertificationStatus[]> {
  const now = sharedNow();
  const proved = isProvedBy(await ownIdentities(ctx), listing, now);
  const around = { isProved: proved, measure: listing?.measure ?? null };
  return rows.map((row) => statusAt(row, around, now));
}

/** How one badge of the caller's organization stands now. */
export async function ownStatus(
  ctx: Ctx,
  row: Pick<Certification, 'badge' | 'status' | 'validUntil' | 'supersededAt'>,
  listing: Around | null,
): Promise<CertificationStatus> {
  const [status] = await ownStatuses(ctx, [row], listing);
  if (status === undefined) throw new TypeError('a badge has a status');
  return status;
}

/** The names that the caller's organization has proved now. */
export async function ownProvedNames(ctx: Ctx): Promise<ProvedNames> {
  const now = sharedNow();
  const verified = (await ownIdentities(ctx)).filter((each) => isVerified(each, now));
  const keys = verified.flatMap((each) => provedKeys(each, now));
  return { isAny: verified.length > 0, keys };
}
