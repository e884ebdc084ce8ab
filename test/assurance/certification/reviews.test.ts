import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GATES } from '../../../src/assurance/certification/vocabulary.js';
import { DESK, register } from '../../actions/tools/world.js';
import { newKey, newMember } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, startApp, type TestApp } from '../../support/app.js';
import {
  AGENT_GATES,
  ask,
  comparable,
  decide,
  isPublic,
  newListing,
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

describe('a review', () => {
  it('of mcp_safe audits the live contract, which a reviewer cannot talk away', async () => {
    const who = await newCustomer(app);
    const loose = {
      tool_key: 'loose',
      verbs: [{ verb: 'wipe', risk: 'low' }, 'pay', 'read'],
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
      gates_required: AGENT_GATES,
    });
    expect(started.body.audit).toEqual([
      {
        gate: 'human_oversight',
        passed: false,
        detail: 'wipe is done for an agent without a person',
      },
      {
        gate: 'argument_contract',
        passed: false,
        detail: 'wipe takes any arguments; pay takes any arguments',
      },
      {
        gate: 'blast_radius',
        passed: false,
        detail: 'wipe does not say its amount; pay does not say its amount',
      },
    ]);
    const { body } = await decide(app, who.token, started.body.id, GATES.codes);
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
    const { body } = await decide(app, who.token, review, AGENT_GATES);
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

  it('while the contract changes is never certified for one that is not in force', async () => {
    const who = await newCustomer(app);
    for (const turn of [1, 2, 3, 4, 5]) {
      const tool_key = `racing-${turn}`;
      const safe = { ...DESK, tool_key, requires_approval: true };
      await register(app, who, safe);
      const id = await newReview(app, who, { badge: 'mcp_safe', tool_key });
      const [decided, changed] = await Promise.all([
        decide(app, who.token, id, AGENT_GATES),
        register(app, who, { ...safe, requires_approval: false }),
      ]);
      expect([decided.status, changed.status]).toEqual([200, 200]);
      const { body } = await ask(app, 'GET', '/certification', undefined, who.token);
      const standing = body.data.find((each) => each.id === id);
      const seen = standing?.tool_contract_version;
      expect([seen, standing?.status]).toEqual([seen, seen === 1 ? 'superseded' : 'rejected']);
    }
  });

  it('keeps the badge when only the signing secret of the tool is rotated', async () => {
    const who = await newCustomer(app);
    await register(app, who, {
      tool_key: 'hook',
      verbs: ['read'],
      endpoint_url: 'https://hooks.example.com/desk',
    });
    const review = await newReview(app, who, { badge: 'mcp_safe', tool_key: 'hook' });
    await decide(app, who.token, review, AGENT_GATES);
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
    const text = `query($id: String!) {
      certificationReceiptVerification(id: $id) { valid chainValid } }`;
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
      { badge: 'cost_controlled', listing_id },
      who.key,
    );
    const { id } = byKey.body;
    expect(byKey.status).toBe(200);
    for (const type of ['standard', 'service', 'agent']) {
      const { key } = await newKey(app, who.token, type);
      expect((await decide(app, key, id, [])).status).toBe(403);
    }
    const security = await newMember(app, who.token, 'security');
    const own = await decide(app, who.token, id, ['documentation', 'cost_controls']);
    expect([own.status, own.body.error.code]).toEqual([403, 'certification_self_review']);
    const viewer = await newMember(app, who.token, 'viewer');
    expect((await decide(app, viewer.token, id, [])).body.error.code).toBe('permission_denied');
    const gates = ['documentation', 'cost_controls'];
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
