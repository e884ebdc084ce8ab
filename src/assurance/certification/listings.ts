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
import { holdNames, judgeName } from '../publishers/guarded-names.js';
import { publisherKeyOf } from '../publishers/identity.rules.js';
import { hasKnownLetters, LETTERS_RULE } from '../publishers/names.rules.js';
import { LISTING_LIFECYCLE, PROVED_BADGES } from './gates.rules.js';
import { isProved } from './proved.js';
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
  const { publisher } = stated;
  const isRead = publisher === null || hasKnownLetters(publisher);
  const letterFaults = fits('input.publisher', isRead, LETTERS_RULE);
  failOnFaults([...faults, ...letterFaults, ...urlFaults(stated.url)]);
  const { tenantId, id: createdBy } = ctx.who;
  const name = { action: 'marketplaceListingCreate', subject: 'MarketplaceListing' } as const;
  return change(ctx, name, async (tx) => {
    await requireRoom(tx, tenantId);
    const named = await judgePublisher(ctx, tx, { publisher: stated.publisher, nameReview: null });
    const id = newId('MarketplaceListing');
    const result = await tx.marketplaceListing.create({
      data: { ...stated, ...named, id, tenantId, createdBy },
    });
    return { result, id, after: { ...stated } };
  });
}

/**
 * What the name of a publisher is compared by, and whether an operator has to look at it. Nobody is
 * verified between this and the commit.
 * @throws publisher_name_taken for the name of a verified publisher of another organization
 */
async function judgePublisher(
  { who: { tenantId } }: AuthorizedCtx,
  tx: Transaction,
  { publisher, nameReview }: Pick<MarketplaceListing, 'publisher' | 'nameReview'>,
) {
  if (publisher === null) return { publisherKey: null };
  const verdict = await judgeName(tx, tenantId, publisher);
  // An operator has looked at this very name: what they said holds until somebody is verified anew.
  if (verdict === 'refused' && nameReview !== 'cleared') {
    fail('publisher_name_taken', { values: { name: publisher }, param: 'input.publisher' });
  }
  const publisherKey = publisherKeyOf(publisher);
  const isFree = verdict === 'free' && nameReview !== 'refused';
  return { publisherKey, nameReview: isFree ? null : (nameReview ?? 'waiting') };
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
 * A name of the publisher that an operator has to look at hides it until then.
 * @throws not_found, lifecycle_refused, listing_halted, listing_without_badge, publisher_name_taken
 */
export function publishListing(ctx: AuthorizedCtx, id: string): Promise<MarketplaceListing> {
  return moveListing(ctx, id, 'publish', async (tx, listing) => {
    const { listedAt, status, measure, publisher } = listing;
    if (measure !== null) fail('listing_halted', { values: { id, measure }, param: 'id' });
    const named = await judgePublisher(ctx, tx, listing);
    const now = await databaseNow(tx);
    const shown = { publisher, publisherKey: named.publisherKey };
    const proved = await isProved(tx, ctx.who.tenantId, shown, now);
    // Who waits for a renewal finds the old badge gone; the next statement sees what renewed it.
    const hold = () => holdBadges(ctx, tx, id, proved);
    if (!(await hold()) && !(await hold())) {
      fail('listing_without_badge', { values: { id }, param: 'id' });
    }
    return { ...named, listedAt: status === 'listed' && listedAt ? listedAt : now };
  });
}

/** Holds the badges in force of a listing until the commit. @returns whether there is any */
async function holdBadges(
  { who }: AuthorizedCtx,
  tx: Transaction,
  id: string,
  proved: boolean,
): Promise<boolean> {
  const badges = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM certification
    WHERE tenant_id = ${who.tenantId}::uuid AND listing_id = ${id}::uuid
      AND status = 'certified' AND superseded_at IS NULL AND valid_until > clock_timestamp()
      AND (${proved} OR badge <> ALL (${[...PROVED_BADGES]}::text[]))
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
  more: (tx: Transaction, before: MarketplaceListing) => Promise<Partial<MarketplaceListing>>,
): Promise<MarketplaceListing> {
  return change(ctx, { action: ACTIONS[step], subject: 'MarketplaceListing' }, async (tx) => {
    // Who verifies a publisher holds the names before the listings that it puts in question.
    if (step === 'publish') await holdNames(tx);
    const before = await lockOwn(ctx, tx, 'MarketplaceListing', id, { subject: 'listing' });
    const stored = before.status as keyof typeof LISTING_LIFECYCLE;
    const status = next(LISTING_LIFECYCLE, stored, step);
    const data = { status, ...(await more(tx, before)) };
    const result = await tx.marketplaceListing.update({ where: { id: before.id }, data });
    return { result, id: before.id, before: { status: stored }, after: { status } };
  });
}
