import type { MarketplaceListing } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { newId } from '../../kernel/ids.js';
import { next } from '../../kernel/lifecycle.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { lockOwn } from '../../records/own.js';
import { LISTING_LIFECYCLE } from './gates.rules.js';
import { LISTING_INPUT } from './tables.js';
import { LISTINGS_MAX } from './vocabulary.js';

/**
 * Creates a listing as a draft, which its organization alone sees.
 * @throws invalid_request with every fault, listing_limit_reached
 */
export async function createListing(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<MarketplaceListing> {
  const stated = inputValues(LISTING_INPUT.fields, given);
  const faults = inputFaults(LISTING_INPUT.fields, stated, 'input');
  failOnFaults([...faults, ...urlFaults(stated.url)]);
  const { tenantId, id: createdBy } = ctx.who;
  const name = { action: 'marketplaceListingCreate', subject: 'MarketplaceListing' } as const;
  return change(ctx, name, async (tx) => {
    await requireRoom(tx, tenantId);
    const id = newId('MarketplaceListing');
    const result = await tx.marketplaceListing.create({
      data: { ...stated, id, tenantId, createdBy },
    });
    return { result, id, after: { ...stated } };
  });
}

const URL_RULE = 'must be an https address of a host, without credentials';

function urlFaults(url: string | null): Fault[] {
  return url === null ? [] : fits('input.url', isPublicAddress(url), URL_RULE);
}

function isPublicAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' && url.username === '' && url.password === '';
}

/** Counting and adding are one step for an organization, however many add at once. */
async function requireRoom(tx: Transaction, tenantId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(
    hashtextextended('marketplace_listing ' || ${tenantId}, 0))`;
  const known = await tx.marketplaceListing.count({ where: { tenantId } });
  if (known >= LISTINGS_MAX) {
    fail('listing_limit_reached', { values: { listingsMax: LISTINGS_MAX } });
  }
}

/**
 * Publishes a listing that has a badge in force. The badge is held until the commit, so one that is
 * revoked at the same moment is revoked after it, and hides the listing again.
 * @throws not_found, lifecycle_refused, listing_without_badge
 */
export function publishListing(ctx: AuthorizedCtx, id: string): Promise<MarketplaceListing> {
  return moveListing(ctx, id, 'publish', async (tx, { listedAt, status }) => {
    // Who waits for a renewal finds the old badge gone; the next statement sees what renewed it.
    const isBadged = (await holdBadges(ctx, tx, id)) || (await holdBadges(ctx, tx, id));
    if (!isBadged) fail('listing_without_badge', { values: { id }, param: 'id' });
    return { listedAt: status === 'listed' && listedAt ? listedAt : await databaseNow(tx) };
  });
}

/** Holds the badges in force of a listing until the commit. @returns whether there is any */
async function holdBadges({ who }: AuthorizedCtx, tx: Transaction, id: string): Promise<boolean> {
  const badges = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM certification
    WHERE tenant_id = ${who.tenantId}::uuid AND listing_id = ${id}::uuid
      AND status = 'certified' AND superseded_at IS NULL AND valid_until > clock_timestamp()
    ORDER BY id FOR SHARE`;
  return badges.length > 0;
}

/** Takes a listing back; its badges stay what they are. @throws not_found, lifecycle_refused */
export function withdrawListing(ctx: AuthorizedCtx, id: string): Promise<MarketplaceListing> {
  return moveListing(ctx, id, 'withdraw', async () => ({}));
}

const ACTIONS = {
  publish: 'marketplaceListingPublish',
  withdraw: 'marketplaceListingWithdraw',
} as const;

function moveListing(
  ctx: AuthorizedCtx,
  id: string,
  step: keyof typeof ACTIONS,
  more: (tx: Transaction, before: MarketplaceListing) => Promise<{ readonly listedAt?: Date }>,
): Promise<MarketplaceListing> {
  return change(ctx, { action: ACTIONS[step], subject: 'MarketplaceListing' }, async (tx) => {
    const before = await lockOwn(ctx, tx, 'MarketplaceListing', id, { subject: 'listing' });
    const stored = before.status as keyof typeof LISTING_LIFECYCLE;
    const status = next(LISTING_LIFECYCLE, stored, step);
    const data = { status, ...(await more(tx, before)) };
    const result = await tx.marketplaceListing.update({ where: { id: before.id }, data });
    return { result, id: before.id, before: { status: stored }, after: { status } };
  });
}
