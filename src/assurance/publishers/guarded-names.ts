import type { Transaction } from '../../graph/ctx.js';
import { ownLabel } from './domains.rules.js';
import { type GuardedName, type NameVerdict, nameVerdict } from './names.rules.js';

interface VerifiedRow {
  readonly tenantId: string;
  readonly legalName: string;
  readonly isApproved: boolean;
  readonly provedDomain: string | null;
}

/** The names of verified publishers, and whose they are. */
export interface VerifiedNames {
  readonly guarded: readonly GuardedName[];
  readonly approvedOf: (tenantId: string) => readonly string[];
  /** Those that an operator has approved for an organization, or that its domains prove. */
  readonly provedOf: (tenantId: string) => readonly string[];
}

/**
 * The names of all verified publishers, also within the transaction of one organization: a name is
 * compared with those of all others.
 */
export async function verifiedNames(tx: Transaction): Promise<VerifiedNames> {
  const rows = await tx.$queryRaw<VerifiedRow[]>`
    SELECT tenant_id AS "tenantId", legal_name AS "legalName", is_approved AS "isApproved",
      proved_domain AS "provedDomain" FROM verified_publisher_names()`;
  const guarded = rows.flatMap(({ tenantId, legalName, isApproved, provedDomain }) => [
    { tenantId, name: legalName, isProved: isApproved },
    ...(provedDomain === null ? [] : [{ tenantId, name: ownLabel(provedDomain), isProved: true }]),
  ]);
  const approvedOf = (tenantId: string) =>
    rows.flatMap((row) => (row.isApproved && row.tenantId === tenantId ? [row.legalName] : []));
  const provedOf = (tenantId: string) =>
    guarded.flatMap((each) => (each.isProved && each.tenantId === tenantId ? [each.name] : []));
  return { guarded, approvedOf, provedOf };
}

/** What becomes of a name of an organization beside those of all others. */
export async function judgeName(
  tx: Transaction,
  tenantId: string,
  name: string,
): Promise<NameVerdict> {
  const { guarded, approvedOf } = await verifiedNames(tx);
  return nameVerdict(name, { tenantId, approvedNames: approvedOf(tenantId) }, guarded);
}

/** Names are used side by side, and nobody is verified meanwhile. Held until the commit. */
export async function holdNames(tx: Transaction): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock_shared(hashtext('publisher_names'))`;
}

/** Somebody is verified, and no name is used meanwhile. Held until the commit. */
export async function lockNames(tx: Transaction): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('publisher_names'))`;
}
