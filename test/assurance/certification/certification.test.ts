import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BADGES, GATES } from '../../../src/assurance/certification/vocabulary.js';
import { DESK, register } from '../../actions/tools/world.js';
import { newKey, newMember } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { ask, certify, decide, newListing, newPublished, newReview, publish } from './world.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  [customer, other] = [await newCustomer(app), await newCustomer(app)];
});
afterAll(() => app.stop());

const AGENT_SAFE = ['security_review', 'human_oversight', 'argument_contract', 'blast_radius'];
const ALL_GATES = GATES.codes;
const UNKNOWN = '01977c2a-5b1e-7051-8000-3f2b9c4d5e6f';

/** An answer without what differs between any two requests. */
const comparable = (answer: { status: number; body: unknown }, id: string) =>
  JSON.stringify([answer.status, answer.body])
    .replaceAll(id, '<id>')
    .replace(/"request_id":"[^"]+"/, '');

const isListed = async (id: string, credential?: string) => {
  const { body } = await ask(app, 'GET', '/marketplace/listings?limit=200', undefined, credential);
  return body.data.some((each) => each.id === id);
};

/** Moves the end of a badge, as time would. */
const endBadge = (id: string, after: string) =>
  app.owner.pool.query(
    'UPDATE certification SET valid_until = clock_timestamp() + $2::interval WHERE id = $1',
    [id, after],
  );

describe('what is public', () => {
  it('the reference has 8 badges, 9 gates and the tiers that decide, over REST and GraphQL', async () => {
    const { status, body } = await ask(app, 'GET', '/certification/reference');
    expect(status).toBe(200);
    expect(body.badges).toHaveLength(8);
    expect(body.review_gates).toHaveLength(9);
    expect((body.partner_tiers as unknown[]).length).toBe(3);
    expect(body.badges).toContainEqual({
      code: 'mcp_safe',
      description: 'A tool that agents may be given: its live contract was audited.',
      requires: AGENT_SAFE,
      renewal_days: 180,
    });
    const text = '{ certificationReference { badges { code requires renewalDays } } }';
    const { data } = await graphql<{ certificationReference: { badges: unknown[] } }>(app, text);
    expect(data.certificationReference.badges).toEqual(
      BADGES.rows.map(({ code, requires, renewalDays }) => ({ code, requires, renewalDays })),
    );
  });

  it('a listing shows what was offered and its badges in force, and nothing of its organization', async () => {
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
        badges: [
          {
            certification_id: badgeId,
            badge: 'verified_publisher',
            version: '1.0.0',
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
      badges: [{ badge: 'verified_publisher' }],
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

  it('of another organization looks unknown to whoever publishes, withdraws or reviews it', async () => {
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

describe('a review', () => {
  it('of mcp_safe audits the live contract, which a reviewer cannot talk away', async () => {
    const who = await newCustomer(app);
    const loose = {
      tool_key: 'loose',
      verbs: [
        { verb: 'delete', risk: 'low', destructive: false },
        { verb: 'pay', risk: 'low' },
        'read',
      ],
    };
    await register(app, who, loose);
    const started = await ask(
      app,
      'POST',
      '/certification/reviews',
      { badge: 'mcp_safe', tool_key: 'loose' },
      who.token,
    );
    expect(started.body).toMatchObject({
      status: 'in_review',
      decision: null,
      tool_contract_version: 1,
      simulated: true,
      gates_required: AGENT_SAFE,
    });
    expect(started.body.audit).toEqual([
      {
        gate: 'human_oversight',
        passed: false,
        detail:
          'delete is done for an agent without a person; pay is done for an agent without a person',
      },
      {
        gate: 'argument_contract',
        passed: false,
        detail: 'delete takes any arguments; pay takes any arguments',
      },
      { gate: 'blast_radius', passed: false, detail: 'pay does not say its amount' },
    ]);
    const { body } = await decide(app, who.token, started.body.id, ALL_GATES);
    expect(body).toMatchObject({
      status: 'rejected',
      decision: 'rejected',
      score: 30,
      gates_passed: ['security_review'],
      gates_failed: ['human_oversight', 'argument_contract', 'blast_radius'],
      valid_until: null,
      self_reviewed: true,
    });
  });

  it('decides by the contract as it is then, and a later contract ends the badge', async () => {
    const who = await newCustomer(app);
    const listing = await newListing(app, who, { type: 'mcp_tool', tool_key: 'desk' });
    const safe = { ...DESK, requires_approval: true };
    await register(app, who, safe);
    const review = await newReview(app, who, { badge: 'mcp_safe', tool_key: 'desk' });
    const { body } = await decide(app, who.token, review, AGENT_SAFE);
    expect(body).toMatchObject({ status: 'certified', score: 100, listing_id: listing });
    await publish(app, who, listing);
    expect(await isListed(listing)).toBe(true);
    await register(app, who, safe);
    expect(await isListed(listing)).toBe(true);
    await register(app, who, { ...safe, requires_approval: false });
    expect(await isListed(listing)).toBe(false);
    const verified = await ask(app, 'GET', `/certification/verify/${review}`);
    expect(verified.body).toMatchObject({ valid: false, status: 'superseded', statement: null });
    const found = await ask(app, 'GET', '/certification?status=superseded', undefined, who.token);
    expect(found.body.data.map(({ id }) => id)).toEqual([review]);
  });

  it('keeps the badge when only the signing secret of the tool is rotated', async () => {
    const who = await newCustomer(app);
    await register(app, who, {
      tool_key: 'hook',
      verbs: ['read'],
      endpoint_url: 'https://hooks.example.com/desk',
    });
    const review = await newReview(app, who, { badge: 'mcp_safe', tool_key: 'hook' });
    await decide(app, who.token, review, AGENT_SAFE);
    const text = 'mutation { toolSigningSecretRotate(toolKey: "hook") { version } }';
    await graphql(app, text, {}, who.token);
    const { body } = await ask(app, 'GET', `/certification/verify/${review}`);
    expect(body).toMatchObject({ valid: true, simulated: false, tool_contract_version: 1 });
  });

  it('needs what it audits, and knows no tool of another organization', async () => {
    await register(app, other, DESK);
    const start = (body: object) =>
      ask(app, 'POST', '/certification/reviews', body, customer.token);
    const listing_id = await newListing(app, customer);
    const none = await start({ badge: 'mcp_safe' });
    expect(none.body.error.faults?.map(({ path }) => path)).toEqual(['listing_id']);
    const without = await start({ badge: 'mcp_safe', listing_id });
    expect(without.body.error.faults?.map(({ path }) => path)).toEqual(['tool_key']);
    const foreign = await start({ badge: 'mcp_safe', listing_id, tool_key: 'desk' });
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found']);
    const unknown = await start({ badge: 'mcp_safe', listing_id, tool_key: 'nothing' });
    expect(comparable(foreign, 'desk')).toBe(comparable(unknown, 'nothing'));
    const more = await start({ badge: 'mcp_safe', listing_id, tool: 'x', zebra: 1 });
    expect(more.body.error.faults?.map(({ path }) => path)).toEqual(['tool', 'zebra']);
  });

  it('is open once for a badge of a subject, also when two start at once', async () => {
    const listing_id = await newListing(app, customer);
    const asked = { badge: 'privacy_ready', listing_id };
    const answers = await Promise.all(
      [1, 2, 3].map(() => ask(app, 'POST', '/certification/reviews', asked, customer.token)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const [made] = answers.filter(({ status }) => status === 200);
    for (const { body } of answers.filter(({ status }) => status === 409)) {
      expect(body.error).toMatchObject({ code: 'certification_review_open', id: made?.body.id });
    }
  });

  it('is decided once, however many decide at once, and its receipt is sealed', async () => {
    const listing_id = await newListing(app, customer, { version: '2.1.0' });
    const id = await newReview(app, customer, { badge: 'cost_controlled', listing_id });
    const early = await ask(app, 'GET', `/certification/${id}/receipt`, undefined, customer.token);
    expect([early.status, early.body.error.code]).toEqual([409, 'certification_undecided']);
    const gates = ['documentation', 'cost_controls', 'documentation', 'rf_residency'];
    const answers = await Promise.all([
      decide(app, customer.token, id, gates),
      decide(app, customer.token, id, []),
      decide(app, customer.token, id, gates),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    const decided = answers.find(({ status }) => status === 200)?.body;
    const { body } = await ask(
      app,
      'GET',
      `/certification/${id}/receipt`,
      undefined,
      customer.token,
    );
    expect(body).toMatchObject({
      certification_id: id,
      badge: 'cost_controlled',
      version: '2.1.0',
      listing_id,
      decision: decided?.status,
      gates_passed: decided?.gates_passed,
      gates_failed: decided?.gates_failed,
      score: decided?.score,
      reviewed_by: customer.userId,
      self_reviewed: true,
      valid_until: decided?.valid_until,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const text = `query($id: String!) { certificationReceiptVerification(id: $id) { valid chainValid } }`;
    const checked = await graphql(app, text, { id: body.id }, customer.token);
    expect(checked.data).toEqual({
      certificationReceiptVerification: { valid: true, chainValid: true },
    });
    const foreign = await ask(app, 'GET', `/certification/${id}/receipt`, undefined, other.token);
    const unknown = await ask(
      app,
      'GET',
      `/certification/${UNKNOWN}/receipt`,
      undefined,
      other.token,
    );
    expect(comparable(foreign, id)).toBe(comparable(unknown, UNKNOWN));
    expect(foreign.status).toBe(404);
  });

  it('is decided by a member, never by a key, and by another one while there is one', async () => {
    const who = await newCustomer(app);
    const listing_id = await newListing(app, who);
    const byKey = await ask(
      app,
      'POST',
      '/certification/reviews',
      { badge: 'verified_publisher', listing_id },
      who.key,
    );
    const { id } = byKey.body;
    expect(byKey.status).toBe(200);
    for (const type of ['standard', 'service', 'agent']) {
      const { key } = await newKey(app, who.token, type);
      expect((await decide(app, key, id, [])).status).toBe(403);
    }
    const security = await newMember(app, who.token, 'security');
    const own = await decide(app, who.token, id, ['publisher_identity', 'documentation']);
    expect([own.status, own.body.error.code]).toEqual([403, 'certification_self_review']);
    const viewer = await newMember(app, who.token, 'viewer');
    expect((await decide(app, viewer.token, id, [])).body.error.code).toBe('permission_denied');
    const gates = ['publisher_identity', 'documentation'];
    const decided = await decide(app, security.token, id, gates);
    expect(decided.body).toMatchObject({
      status: 'certified',
      self_reviewed: false,
      reviewed_by: security.userId,
      started_by: who.keyId,
    });
    const { body } = await ask(app, 'GET', `/certification/verify/${id}`);
    expect(body).toMatchObject({ valid: true, self_reviewed: false });
  });

  it('refuses gates that there are not, and names them', async () => {
    const listing_id = await newListing(app, customer);
    const id = await newReview(app, customer, { badge: 'production_ready', listing_id });
    const { status, body } = await decide(app, customer.token, id, ['documentation', 'vibes']);
    expect(status).toBe(400);
    expect(body.error.message).toContain('gates_passed.1');
    const list = await ask(
      app,
      'GET',
      '/certification?status=in_review',
      undefined,
      customer.token,
    );
    expect(list.body.data.map((each) => each.id)).toContain(id);
  });
});

describe('renewals', () => {
  it('are due in less than 30 days, of badges in force alone, and end with the next badge', async () => {
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

it('answers each list over GraphQL as over REST, and asks every B path for a credential', async () => {
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
