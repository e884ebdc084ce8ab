import type { PublisherIdentity } from '../../generated/prisma/client.js';
import type { Services, Transaction } from '../../graph/ctx.js';
import { everyTenant } from '../../platform/database/tenant.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { ownLabel } from './domains.rules.js';
import { type VerifiedNames, verifiedNames } from './guarded-names.js';
import { nameVerdict } from './names.rules.js';

/** Which of its names a claim has just been verified for. */
export type DueName = 'legal_name' | 'domain';

type Claim = Pick<PublisherIdentity, 'id' | 'tenantId' | 'legalName' | 'domain' | 'namesDue'>;
type Looking = Pick<Services, 'prisma'>;

/** The names of a claim that are due with another one. */
export function withDue({ namesDue }: Pick<Claim, 'namesDue'>, name: DueName): string[] {
  return [...new Set([...namesDue, name])];
}

/** So many listings are compared in one transaction. */
const LISTINGS_AT_ONCE = 500;

interface ShownName {
  readonly id: string;
  readonly tenantId: string;
  readonly publisher: string;
}

/**
 * Puts public listings of others that are like a name which has just been verified before an
 * operator; they are hidden until then. Those that an operator has cleared before are asked again.
 * It takes no lock of the names: what is published meanwhile is compared with the name already.
 * What is left by a process that ends is taken up by `questionDueListings`.
 */
export async function questionListings(services: Looking, claim: Claim): Promise<void> {
  if (claim.namesDue.length === 0) return;
  const names = await verifiedNames(everyTenant(services.prisma));
  let beyond: string | null = null;
  do {
    const after: string | null = beyond;
    beyond = await transactAcrossTenants(services, (tx) => questionSome(tx, claim, names, after));
  } while (beyond !== null);
  await everyTenant(services.prisma).$executeRaw`
    UPDATE publisher_identity SET names_due = '{}'
    WHERE id = ${claim.id}::uuid AND names_due <@ ${claim.namesDue}::text[]`;
}

/** @returns the id of the last listing that was compared; null where there are no more */
async function questionSome(
  tx: Transaction,
  claim: Claim,
  names: VerifiedNames,
  after: string | null,
): Promise<string | null> {
  const shown = await tx.$queryRaw<ShownName[]>`
    SELECT id, tenant_id AS "tenantId", publisher FROM marketplace_listing
    WHERE publisher IS NOT NULL AND tenant_id <> ${claim.tenantId}::uuid
      AND (${after}::uuid IS NULL OR id > ${after}::uuid)
      AND (status = 'listed' AND name_review IS DISTINCT FROM 'refused'
        OR name_review = 'cleared')
    ORDER BY id LIMIT ${LISTINGS_AT_ONCE}`;
  const alike = shown.filter((listing) => isAlike(claim, names, listing));
  if (alike.length > 0) {
    const [ids, publishers] = [alike.map(({ id }) => id), alike.map(({ publisher }) => publisher)];
    await tx.$executeRaw`
      UPDATE marketplace_listing l SET name_review = 'waiting'
      FROM unnest(${ids}::uuid[], ${publishers}::text[]) AS alike (id, publisher)
      WHERE l.id = alike.id AND l.publisher = alike.publisher
        AND l.name_review IS DISTINCT FROM 'refused'`;
  }
  return shown.length < LISTINGS_AT_ONCE ? null : (shown.at(-1)?.id ?? null);
}

/** Who has proved a like domain before keeps what is listed under it. */
function isAlike(claim: Claim, names: VerifiedNames, { tenantId, publisher }: ShownName): boolean {
  return claim.namesDue.some((due) => {
    const isDomain = due === 'domain';
    const name = isDomain ? ownLabel(claim.domain ?? '') : claim.legalName;
    const own = isDomain ? names.provedOf(tenantId) : names.approvedOf(tenantId);
    const guarded = [{ tenantId: claim.tenantId, name, isProved: true }];
    return nameVerdict(publisher, { tenantId, approvedNames: own }, guarded) !== 'free';
  });
}

/** Claims of one round. */
const CLAIMS_AT_ONCE = 20;

/** Takes up what a process has left: the listings that are like a verified name. */
export async function questionDueListings(services: Looking): Promise<void> {
  const due = await everyTenant(services.prisma).publisherIdentity.findMany({
    where: {
      ...{ namesDue: { isEmpty: false }, withdrawnAt: null, revokedAt: null },
      OR: [{ decision: null }, { decision: 'approved' }],
    },
    orderBy: { id: 'asc' },
    take: CLAIMS_AT_ONCE,
  });
  for (const claim of due) await questionListings(services, claim);
}
