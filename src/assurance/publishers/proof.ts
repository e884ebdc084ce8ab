import type { PublisherIdentity } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Services, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { audit } from '../../records/audit-trail.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { InFlightLimiter } from '../../records/in-flight-limiter.js';
import { lockOwn } from '../../records/own.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { requireOpen } from './claims.js';
import { ownLabel } from './domains.rules.js';
import { lockNames, verifiedNames } from './guarded-names.js';
import {
  checkFailure,
  endsProof,
  holdsToken,
  identityStatus,
  isOpen,
  type TxtOutcome,
} from './identity.rules.js';
import { nameVerdict } from './names.rules.js';
import { questionDueListings, questionListings, withDue } from './questioned-listings.js';
import {
  CHECK_SECONDS_MIN,
  type CheckFailure,
  PROOF_DAYS,
  RECHECK_HOURS,
  RECORD_LABEL,
} from './vocabulary.js';

type Checking = Pick<Services, 'prisma' | 'txtRecords'>;

const DAY_MS = 86_400_000;

/** The name at which the record of a domain stands. */
export function recordName(domain: string): string {
  return `${RECORD_LABEL}.${domain}`;
}

/**
 * Looks for the record of a claim once. What it finds is the answer: the proof, or why there is
 * none. No transaction is open while name servers are asked.
 * @throws not_found, publisher_claim_closed, publisher_claim_without_domain,
 *   publisher_check_too_soon
 */
export async function verifyIdentity(ctx: AuthorizedCtx, id: string): Promise<PublisherIdentity> {
  const name = { action: 'publisherIdentityVerify', subject: 'PublisherIdentity' } as const;
  let isRepeated = false;
  const claim = await change(ctx, name, async (tx) => {
    const row = await lockOwn(ctx, tx, 'PublisherIdentity', id);
    const now = await databaseNow(tx);
    requireOpen(row, now);
    if (row.domain === null) {
      fail('publisher_claim_without_domain', { values: { id }, param: 'id' });
    }
    const agoMs = row.checkedAt === null ? Infinity : now.getTime() - row.checkedAt.getTime();
    isRepeated = agoMs < CHECK_SECONDS_MIN * 1_000;
    // The answer to a repeated request may have been lost: it is told what its first time found.
    if (isRepeated && ctx.keyed) return { result: row };
    if (isRepeated) {
      fail('publisher_check_too_soon', { values: { id, seconds: CHECK_SECONDS_MIN }, param: 'id' });
    }
    const data = { checkedAt: now };
    return { result: await tx.publisherIdentity.update({ where: { id: row.id }, data }) };
  });
  if (isRepeated) return claim;
  return checkRecord(ctx.services, claim, (tx, { before, after }) =>
    audit(ctx, tx, { ...name, subjectId: claim.id, before, after }),
  );
}

interface Checked {
  readonly before: { readonly status: string };
  readonly after: { readonly status: string; readonly failure: string | null };
}

/** Asks for the record and keeps what was found; what has ended meanwhile stays as it is. */
async function checkRecord(
  services: Checking,
  { id, domain }: Pick<PublisherIdentity, 'id' | 'domain'>,
  record?: (tx: Transaction, checked: Checked) => Promise<void>,
): Promise<PublisherIdentity> {
  if (domain === null) throw new TypeError('a claim without a domain has no record');
  const outcome = await services.txtRecords.of(recordName(domain));
  const found = await keeping.take(() => keepFound(services, id, outcome, record));
  await questionListings(services, found);
  return found;
}

/** So many checks write at once on a node: they wait for one another with a connection in hand. */
const keeping = new InFlightLimiter(1);

function keepFound(
  services: Checking,
  id: string,
  outcome: TxtOutcome,
  record?: (tx: Transaction, checked: Checked) => Promise<void>,
): Promise<PublisherIdentity> {
  return transactAcrossTenants(services, async (tx) => {
    await lockNames(tx);
    await tx.$queryRaw`SELECT 1 FROM publisher_identity WHERE id = ${id}::uuid FOR UPDATE`;
    const claim = await tx.publisherIdentity.findFirstOrThrow({ where: { id } });
    const now = await databaseNow(tx);
    if (!isOpen(identityStatus(claim, now))) return claim;
    const failure =
      checkFailure(outcome, claim.token) ?? (await takenFailure(tx, { claim, outcome, now }));
    const result = await (failure === null ? prove(tx, claim, now) : unprove(tx, claim, failure));
    const before = { status: identityStatus(claim, now) };
    await record?.(tx, { before, after: { status: identityStatus(result, now), failure } });
    return result;
  });
}

interface Found {
  readonly claim: PublisherIdentity;
  readonly outcome: TxtOutcome;
  readonly now: Date;
}

/**
 * Why a record that is there is not enough: the domain is proved by another organization whose
 * record is there too, or the name is like a verified one. A holder whose record is gone by this
 * very answer, or whose time is over, holds the domain no longer.
 */
async function takenFailure(
  tx: Transaction,
  { claim, outcome, now }: Found,
): Promise<CheckFailure | null> {
  const holder = await tx.publisherIdentity.findFirst({
    where: { domain: claim.domain, provedUntil: { not: null }, id: { not: claim.id } },
  });
  const isHeld = holder?.provedUntil && holder.provedUntil > now;
  if (holder && isHeld && holdsToken(outcome, holder.token)) return 'domain_taken';
  const { guarded, approvedOf } = await verifiedNames(tx);
  const who = { tenantId: claim.tenantId, approvedNames: approvedOf(claim.tenantId) };
  const proved = guarded.filter(({ isProved }) => isProved);
  // The label of the very domain that is proved here is no name of another one.
  const others = proved.filter(
    ({ tenantId, name }) =>
      !(holder?.tenantId === tenantId && name === ownLabel(claim.domain ?? '')),
  );
  // The first proof of a name stands: whoever proves a like one later takes nothing from it.
  const isProved = claim.provedUntil !== null && claim.provedUntil > now;
  const verdictOf = (name: string) => (isProved ? 'free' : nameVerdict(name, who, others));
  const isLabelTaken = verdictOf(ownLabel(claim.domain ?? '')) === 'refused';
  if (isLabelTaken || verdictOf(claim.legalName) !== 'free') return 'name_taken';
  if (holder) {
    const data = { provedUntil: null, checkFailure: isHeld ? 'token_missing' : 'timeout' };
    await tx.publisherIdentity.update({ where: { id: holder.id }, data });
  }
  return null;
}

function prove(tx: Transaction, claim: PublisherIdentity, now: Date): Promise<PublisherIdentity> {
  const { id, provedUntil } = claim;
  const until = new Date(now.getTime() + PROOF_DAYS * DAY_MS);
  const isNew = provedUntil === null || provedUntil <= now;
  const namesDue = isNew ? withDue(claim, 'domain') : claim.namesDue;
  const data = { provedAt: now, provedUntil: until, checkFailure: null, namesDue };
  return tx.publisherIdentity.update({ where: { id }, data });
}

function unprove(
  tx: Transaction,
  { id, provedUntil }: PublisherIdentity,
  failure: CheckFailure,
): Promise<PublisherIdentity> {
  const until = endsProof(failure) ? null : provedUntil;
  const data = { checkFailure: failure, provedUntil: until };
  return tx.publisherIdentity.update({ where: { id }, data });
}

/** Records of one round; what is left is looked for by the next one. */
const ROUND_MAX = 50;
/** How often it is asked which records are to be looked for again. */
export const RECHECK_EVERY_MS = 600_000;

/**
 * Looks again for the records of domains that were proved a day ago, after listings that are like a
 * name which was verified. Each is taken by one node. A
 * record that is gone ends the proof; name servers that do not answer leave it until its own end.
 */
export async function recheckRecords(
  services: Checking & Pick<Services, 'log' | 'platformPool'>,
): Promise<void> {
  await questionDueListings(services);
  const { rows } = await services.platformPool.query<{ id: string; domain: string }>(
    `UPDATE publisher_identity SET checked_at = clock_timestamp() WHERE id IN (
       SELECT id FROM publisher_identity
       WHERE proved_until > clock_timestamp()
         AND checked_at < clock_timestamp() - make_interval(hours => $1)
       ORDER BY checked_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id, domain`,
    [RECHECK_HOURS, ROUND_MAX],
  );
  for (const claim of rows) {
    try {
      const { provedUntil, checkFailure: failure } = await checkRecord(services, claim);
      if (provedUntil === null) {
        services.log.warn({ ...claim, failure }, 'a publisher no longer proves its domain');
      }
    } catch (err) {
      services.log.warn({ err, ...claim }, 'the record of a publisher was not looked for');
    }
  }
}
