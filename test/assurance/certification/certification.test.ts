import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BADGES } from '../../../src/assurance/certification/vocabulary.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import {
  AGENT_GATES,
  ask,
  certify,
  comparable,
  decide,
  isPublic,
  newListing,
  newPublished,
  newReview,
  publish,
  UNKNOWN,
} from './world.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  [customer, other] = [await newCustomer(app), await newCustomer(app)];
});
afterAll(() => app.stop());

const isListed = (id: string) => isPublic(app, id);

/** Moves the end of a badge, as time would. */
const endBadge = (id: string, after: string) =>
  app.owner.pool.query(
    'UPDATE certification SET valid_until = clock_timestamp() + $2::interval WHERE id = $1',
    [id, after],
  );

describe('what is public', () => {
  it('the reference has 8 badges, 9 gates and tiers, over REST and GraphQL', async () => {
    const { status, body } = await ask(app, 'GET', '/certification/reference');
    expect(status).toBe(200);
    expect(body.badges).toHaveLength(8);
    expect(body.review_gates).toHaveLength(9);
    expect((body.partner_tiers as unknown[]).length).toBe(3);
    expect(body.badges).toContainEqual({
      code: 'mcp_safe',
      description: 'A tool that agents may be given: its live contract was audited.',
      requires: AGENT_GATES,
      renewal_days: 180,
    });
    const text = '{ certificationReference { badges { code requires renewalDays } } }';
    const { data } = await graphql<{ certificationReference: { badges: unknown[] } }>(app, text);
    expect(data.certificationReference.badges).toEqual(
      BADGES.rows.map(({ code, requires, renewalDays }) => ({ code, requires, renewalDays })),
    );
  });

  it('a listing shows what is offered and its badges, and no organization', async () => {
    const { listingId, badgeId } = await newPublished(app, customer, {
      name: 'Public scanner',
      type: 'connector',
      url: 'https://example.com/scanner',
      tool_key: null,
    });
    const { body } = await ask(app, 'GET', '/marketplace/listings?type=connector');
    expect(body.data.filter(({ id }) => id === listingId)).toEqual([
      {
        id: listingId,
        type: 'connector',
        name: 'Public scanner',
        publisher: 'Romashka',
        description: null,
        version: '1.0.0',
        url: 'https://example.com/scanner',
        listed_at: expect.any(String),
        publisher_tier: 'registered',
        publisher_standing: 'self_attested',
        publisher_domain: null,
        publisher_legal_name: null,
        badges: [
          {
            certification_id: badgeId,
            badge: 'cost_controlled',
            version: '1.0.0',
            attestation: 'self_attested',
            self_reviewed: true,
            valid_until: expect.any(String),
          },
        ],
      },
    ]);
    expect(body.data.every(({ type }) => type === 'connector')).toBe(true);
    expect(JSON.stringify(body)).not.toContain(customer.tenantId);
    const text = '{ marketplaceListings(type: connector) { nodes { id name badges { badge } } } }';
    const { data } = await graphql<{ marketplaceListings: { nodes: object[] } }>(app, text);
    expect(data.marketplaceListings.nodes).toContainEqual({
      id: listingId,
      name: 'Public scanner',
      badges: [{ badge: 'cost_controlled' }],
    });
  });

  it('names no draft, no rejected review and no open one, of whomever', async () => {
    const name = 'A secret plan';
    const listing_id = await newListing(app, other, { name });
    const id = await newReview(app, other, { badge: 'security_reviewed', listing_id });
    const unknown = await ask(app, 'GET', `/certification/verify/${UNKNOWN}`);
    for (const credential of [undefined, customer.token, other.token]) {
      const open = await ask(app, 'GET', `/certification/verify/${id}`, undefined, credential);
      expect(comparable(open, id)).toBe(comparable(unknown, UNKNOWN));
    }
    await decide(app, other.token, id, []);
    const rejected = await ask(app, 'GET', `/certification/verify/${id}`);
    expect(comparable(rejected, id)).toBe(comparable(unknown, UNKNOWN));
    const badge = await certify(app, other, listing_id);
    const verified = await ask(app, 'GET', `/certification/verify/${badge}`);
    expect(verified.body).toMatchObject({ valid: true, listing_id, listing_name: null });
    expect(JSON.stringify(verified.body)).not.toContain(name);
    const all = await ask(app, 'GET', '/marketplace/listings?limit=200');
    expect(JSON.stringify(all.body)).not.toContain(name);
    const mine = await ask(app, 'GET', '/marketplace/my-listings', undefined, customer.token);
    expect(JSON.stringify(mine.body)).not.toContain(name);
  });
});

describe('a listing', () => {
  it('is refused with every fault at once, and then nothing is written', async () => {
    const bad = { type: 'plugin', name: ' ', url: 'javascript:alert(1)' };
    const { status, body } = await ask(app, 'POST', '/marketplace/listings', bad, customer.token);
    expect(status).toBe(400);
    expect(body.error.faults?.map(({ path }) => path)).toEqual(['type']);
    const more = { ...bad, type: 'app' };
    const again = await ask(app, 'POST', '/marketplace/listings', more, customer.token);
    expect(again.body.error.faults?.map(({ path }) => path)).toEqual(['name', 'url']);
    for (const url of ['http://example.com', 'https://user:secret@example.com', 'nonsense']) {
      const stated = { type: 'app', name: 'x', url };
      const answer = await ask(app, 'POST', '/marketplace/listings', stated, customer.token);
      expect([url, answer.body.error?.faults?.map(({ path }) => path)]).toEqual([url, ['url']]);
    }
  });

  it('is published only with a badge in force', async () => {
    const id = await newListing(app, customer);
    const without = await publish(app, customer, id);
    expect([without.status, without.body.error.code]).toEqual([409, 'listing_without_badge']);
    const review = await newReview(app, customer, { badge: 'cost_controlled', listing_id: id });
    expect((await publish(app, customer, id)).body.error.code).toBe('listing_without_badge');
    await decide(app, customer.token, review, ['documentation']);
    expect((await publish(app, customer, id)).body.error.code).toBe('listing_without_badge');
    const badge = await certify(app, customer, id);
    await endBadge(badge, '0 seconds');
    expect((await publish(app, customer, id)).body.error.code).toBe('listing_without_badge');
    await endBadge(badge, '1 day');
    const published = await publish(app, customer, id);
    expect(published.body).toMatchObject({ id, status: 'listed', badges: [{ id: badge }] });
    expect(await isListed(id)).toBe(true);
  });

  it('whose badge is renewed meanwhile is published: one of the two is in force', async () => {
    for (let turn = 0; turn < 6; turn += 1) {
      const listingId = await newListing(app, customer);
      await certify(app, customer, listingId);
      const [, ...published] = await Promise.all([
        certify(app, customer, listingId),
        ...Array.from({ length: 3 }, () => publish(app, customer, listingId)),
      ]);
      expect(published.map(({ status }) => status)).toEqual([200, 200, 200]);
    }
  });

  it('whose badge expires, or that is withdrawn, is listed no longer, and says so', async () => {
    const { listingId, badgeId } = await newPublished(app, customer);
    const standing = async () => {
      const { body } = await ask(app, 'GET', '/marketplace/my-listings', undefined, customer.token);
      return body.data.find(({ id }) => id === listingId)?.status;
    };
    expect([await isListed(listingId), await standing()]).toEqual([true, 'listed']);
    await endBadge(badgeId, '0 seconds');
    expect([await isListed(listingId), await standing()]).toEqual([false, 'lapsed']);
    await certify(app, customer, listingId);
    expect([await isListed(listingId), await standing()]).toEqual([true, 'listed']);
    const path = `/marketplace/listings/${listingId}/withdraw`;
    await ask(app, 'POST', path, undefined, customer.token);
    expect([await isListed(listingId), await standing()]).toEqual([false, 'withdrawn']);
    expect((await publish(app, customer, listingId)).body.status).toBe('listed');
  });

  it('of another organization looks unknown to publish, withdraw or review', async () => {
    const id = await newListing(app, other);
    for (const step of ['publish', 'withdraw']) {
      const at = (listing: string) =>
        ask(app, 'POST', `/marketplace/listings/${listing}/${step}`, undefined, customer.token);
      expect(comparable(await at(id), id)).toBe(comparable(await at(UNKNOWN), UNKNOWN));
      expect((await at(id)).status).toBe(404);
    }
    const review = (listing_id: string) =>
      ask(
        app,
        'POST',
        '/certification/reviews',
        { badge: 'rf_data_safe', listing_id },
        customer.token,
      );
    expect(comparable(await review(id), id)).toBe(comparable(await review(UNKNOWN), UNKNOWN));
  });
});

describe('renewals', () => {
  it('are due in less than 30 days, of badges in force, until the next badge', async () => {
    const who = await newCustomer(app);
    const listing = await newListing(app, who);
    const id = await certify(app, who, listing);
    const due = async (credential = who.token) => {
      const { body } = await ask(app, 'GET', '/certification/renewals-due', undefined, credential);
      return body.data.map((each) => each.id);
    };
    expect(await due()).toEqual([]);
    await endBadge(id, '30 days 1 minute');
    expect(await due()).toEqual([]);
    await endBadge(id, '29 days 23 hours');
    expect([await due(), await due(other.token)]).toEqual([[id], []]);
    await endBadge(id, '0 seconds');
    expect(await due()).toEqual([]);
    await endBadge(id, '5 days');
    const renewed = await certify(app, who, listing);
    expect(await due()).toEqual([]);
    const list = await ask(app, 'GET', '/certification', undefined, who.token);
    expect(list.body.data.map((each) => [each.id, each.status])).toEqual([
      [renewed, 'certified'],
      [id, 'superseded'],
    ]);
    expect(list.body.data[1]).toMatchObject({ superseded_by: renewed });
  });
});

it('answers each list over GraphQL as over REST, with a credential alone', async () => {
  const text = `{ myMarketplaceListings { nodes { id status badges { id status } } }
    certifications(status: certified) { nodes { id status decision } } }`;
  type Lists = Record<string, { nodes: { id: string }[] }>;
  const { data } = await graphql<Lists>(app, text, {}, customer.token);
  const ids = async (path: string) => {
    const { body } = await ask(app, 'GET', path, undefined, customer.token);
    return body.data.map(({ id }) => id);
  };
  expect(data.myMarketplaceListings?.nodes.map(({ id }) => id)).toEqual(
    await ids('/marketplace/my-listings'),
  );
  expect(data.certifications?.nodes.map(({ id }) => id)).toEqual(
    await ids('/certification?status=certified'),
  );
  const { status } = await rest(app, 'GET', '/v1/gw/marketplace/my-listings');
  expect(status).toBe(401);
});
