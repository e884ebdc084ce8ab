import { randomBytes } from 'node:crypto';
import type { PublisherIdentity } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { isInn } from '../../inference/firewall/checksums.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits, wellFormed } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { lockOwn } from '../../records/own.js';
import { domainFaults, ownLabel, plainDomain } from './domains.rules.js';
import { identityStatus, isOpen } from './identity.rules.js';
import { hasKnownLetters, LETTERS_RULE, lookKey } from './names.rules.js';
import { CLAIM_INPUT } from './tables.js';
import { CHALLENGE_DAYS, CLAIMS_MAX } from './vocabulary.js';

const DAY_MS = 86_400_000;

/**
 * Claims who the organization is. Nothing is verified by that: the answer says which record proves
 * the domain, and operators see the claim in their queue.
 * @throws invalid_request with every fault, publisher_claim_open, publisher_claim_limit_reached
 */
export async function claimIdentity(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<PublisherIdentity> {
  const stated = inputValues(CLAIM_INPUT.fields, given);
  const { config } = ctx.services;
  const inside = new Set([...config.webhookHostsAllowed, ...config.providerHostsAllowed]);
  failOnFaults([
    ...inputFaults(CLAIM_INPUT.fields, stated, 'input'),
    ...wellFormed('input.legalName', stated.legalName),
    ...fits('input.legalName', lookKey(stated.legalName) !== '', 'must have a letter or digit'),
    ...fits('input.legalName', hasKnownLetters(stated.legalName), LETTERS_RULE),
    ...innFaults(stated.inn),
    ...domainFaults('input.domain', stated.domain, inside),
  ]);
  const domain = stated.domain === null ? null : plainDomain(stated.domain);
  const legalName = stated.legalName.trim().replace(/\s+/g, ' ');
  const name = { action: 'publisherIdentityClaim', subject: 'PublisherIdentity' } as const;
  return change(ctx, name, async (tx) => {
    await requireRoom(ctx, tx, domain);
    const id = newId('PublisherIdentity');
    const now = await databaseNow(tx);
    const result = await tx.publisherIdentity.create({
      data: {
        ...{ id, tenantId: ctx.who.tenantId, createdBy: ctx.who.id },
        ...{ legalName, inn: stated.inn, domain, nameKey: lookKey(legalName) },
        domainKey: domain === null ? null : lookKey(domain),
        labelKey: domain === null ? null : lookKey(ownLabel(domain)),
        token: randomBytes(20).toString('hex'),
        challengeUntil: new Date(now.getTime() + CHALLENGE_DAYS * DAY_MS),
      },
    });
    return { result, id, after: { legal_name: legalName, inn: stated.inn, domain } };
  });
}

function innFaults(inn: string | null): Fault[] {
  const isFit = inn === null || (/^\d{10}(\d\d)?$/.test(inn) && isInn(inn));
  return fits('input.inn', isFit, 'must be an INN of 10 or 12 digits with its checksum');
}

/** Counting and adding are one step for an organization, however many claim at once. */
async function requireRoom(
  { who: { tenantId } }: AuthorizedCtx,
  tx: Transaction,
  domain: string | null,
): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(
    hashtextextended('publisher_identity ' || ${tenantId}, 0))`;
  const now = await databaseNow(tx);
  const taking = await tx.publisherIdentity.findMany({
    where: {
      tenantId,
      withdrawnAt: null,
      revokedAt: null,
      OR: [{ decision: null }, { decision: 'approved' }],
    },
    take: CLAIMS_MAX + 1,
  });
  const same = taking.find((each) => domain !== null && each.domain === domain);
  if (same && isOpen(identityStatus(same, now))) {
    fail('publisher_claim_open', {
      values: { domain: domain ?? '', id: same.id },
      data: { id: same.id },
    });
  }
  // A claim that has expired makes room for the next one of its domain.
  if (same) {
    await tx.publisherIdentity.update({ where: { id: same.id }, data: { withdrawnAt: now } });
  }
  if (taking.length - (same ? 1 : 0) >= CLAIMS_MAX) {
    fail('publisher_claim_limit_reached', { values: { claimsMax: CLAIMS_MAX } });
  }
}

/** A claim that something may still become of. @throws publisher_claim_closed */
export function requireOpen(row: PublisherIdentity, now: Date): void {
  const status = identityStatus(row, now);
  if (isOpen(status)) return;
  fail('publisher_claim_closed', { values: { id: row.id, status }, param: 'id' });
}

/**
 * Takes a claim back, and with it what it has verified.
 * @throws not_found, publisher_claim_closed
 */
export function withdrawIdentity(ctx: AuthorizedCtx, id: string): Promise<PublisherIdentity> {
  const name = { action: 'publisherIdentityWithdraw', subject: 'PublisherIdentity' } as const;
  return change(ctx, name, async (tx) => {
    const before = await lockOwn(ctx, tx, 'PublisherIdentity', id);
    const now = await databaseNow(tx);
    const status = identityStatus(before, now);
    if (status !== 'expired') requireOpen(before, now);
    const data = { withdrawnAt: now, provedUntil: null };
    const result = await tx.publisherIdentity.update({ where: { id: before.id }, data });
    return { result, id: before.id, before: { status }, after: { status: 'withdrawn' } };
  });
}
