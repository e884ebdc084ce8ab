import { afterAll, describe, expect, it } from 'vitest';
import { recheckRecords } from '../../../src/assurance/publishers/proof.js';
import { graphql, newCustomer } from '../../support/app.js';
import {
  ask,
  type Body,
  certify,
  comparable,
  isPublic,
  newListing,
  newPublished,
  publish,
  UNKNOWN,
} from '../certification/world.js';
import { IDENTITIES, OPERATOR, openMarket } from './world.js';

const market = await openMarket();
const { app, claim, customer, judge, measure, operator, other, rule, setRecord, shown, verify } =
  market;
afterAll(market.stop);

describe('a name', () => {
  it('of a verified publisher is nobody else’s, in whatever letters it is written', async () => {
    const who = await newCustomer(app);
    const claimed = await claim(who, { legal_name: 'ООО "Лазурит"', domain: null });
    const earlier = await newPublished(app, other, { publisher: 'Lazurit' });
    expect((await judge(claimed.id, 'approved')).body).toMatchObject({
      status: 'operator_verified',
      decided_by: operator.userId,
    });
    expect(await isPublic(app, earlier.listingId)).toBe(false);
    const stated = (publisher: string, credential = other.token) =>
      ask(app, 'POST', '/marketplace/listings', { type: 'app', name: 'x', publisher }, credential);
    for (const name of ['Лазурит', 'OOO «ЛAЗYPИT»', 'lazurit', 'Л а з у р и т', 'АО Лазурит LLC']) {
      const { status, body } = await stated(name);
      expect([name, status, body.error?.code]).toEqual([name, 409, 'publisher_name_taken']);
    }
    const near = await stated('Лазурита');
    await certify(app, other, near.body.id);
    expect((await publish(app, other, near.body.id)).body.status).toBe('name_in_review');
    expect(await isPublic(app, near.body.id)).toBe(false);
    const queue = await ask(
      app,
      'GET',
      `${OPERATOR}/listings?queue=name_in_review`,
      undefined,
      operator.token,
    );
    const waiting = queue.body.data.map(({ id }) => id);
    expect(waiting).toEqual(expect.arrayContaining([near.body.id, earlier.listingId]));
    expect((await measure(near.body.id, 'clear_name')).status).toBe(200);
    expect(await isPublic(app, near.body.id)).toBe(true);
    expect((await measure(earlier.listingId, 'refuse_name')).body.status).toBe('name_refused');
    const own = await newPublished(app, who, { publisher: 'Лазурит' });
    expect(await shown(own.listingId)).toMatchObject({
      publisher_standing: 'operator_verified',
      publisher_legal_name: 'ООО "Лазурит"',
    });
    const squatter = await claim(other, { legal_name: 'Lazurit' });
    setRecord(squatter);
    expect((await verify(other, squatter.id)).body).toMatchObject({
      status: 'pending',
      check_failure: 'name_taken',
    });
    const keyed = await fetch(`${app.url}/v1/gw/marketplace/listings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${other.token}`,
        'idempotency-key': 'a-name-of-others',
      },
      body: JSON.stringify({ type: 'app', name: 'x', publisher: 'Лазурит' }),
    });
    expect(keyed.status).toBe(409);
  });
});

describe('the listings that are like a name which is verified', () => {
  const many = (name: string, count: number) =>
    app.owner.pool.query(
      `INSERT INTO marketplace_listing (id, tenant_id, type, name, version, status, publisher,
         publisher_key, created_by, listed_at)
       SELECT gen_random_uuid(), $1, 'app', 'x', '1.0.0', 'listed', $2, $2, $3, now()
       FROM generate_series(1, $4)`,
      [other.tenantId, name, other.userId, count],
    );
  const waiting = async (name: string) => {
    const text = `SELECT count(*)::int AS found FROM marketplace_listing
      WHERE publisher = $1 AND name_review = 'waiting'`;
    return (await app.owner.pool.query<{ found: number }>(text, [name])).rows[0]?.found;
  };

  it('are all looked for, a few at a time, and nobody waits for the names meanwhile', async () => {
    const who = await newCustomer(app);
    const claimed = await claim(who, { legal_name: 'Berkutovsk', domain: null });
    await many('berkutovsk', 600);
    await many('zzqqkk', 600);
    const holder = await app.owner.pool.connect();
    try {
      await holder.query('BEGIN');
      const held = "SELECT 1 FROM marketplace_listing WHERE publisher = 'berkutovsk' FOR UPDATE";
      await holder.query(held);
      const judged = judge(claimed.id, 'approved');
      const blocked = `SELECT 1 FROM pg_stat_activity
        WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
      await expect.poll(async () => (await holder.query(blocked)).rowCount).toBeGreaterThan(0);
      const lock = "SELECT pg_try_advisory_xact_lock(hashtext('publisher_names')) AS free";
      expect((await holder.query(lock)).rows).toEqual([{ free: true }]);
      await holder.query('COMMIT');
      expect((await judged).body.status).toBe('operator_verified');
    } finally {
      holder.release();
    }
    expect([await waiting('berkutovsk'), await waiting('zzqqkk')]).toEqual([600, 0]);
  }, 30_000);

  it('are looked for later where a process has ended before, unless the claim has', async () => {
    const [who, gone] = [await newCustomer(app), await newCustomer(app)];
    const [mine, theirs] = [
      await claim(who, { legal_name: 'Sokolinsk', domain: null }),
      await claim(gone, { legal_name: 'Vorobyovsk', domain: null }),
    ];
    for (const { id } of [mine, theirs]) await judge(id, 'approved');
    await rule(`/publisher-identities/${theirs.id}/revoke`, { reason: 'Sold.' });
    await many('sokolinsk', 1);
    await many('vorobyovsk', 1);
    const left = "UPDATE publisher_identity SET names_due = '{legal_name}' WHERE id = ANY($1)";
    await app.owner.pool.query(left, [[mine.id, theirs.id]]);
    await recheckRecords(app.server.services);
    expect([await waiting('sokolinsk'), await waiting('vorobyovsk')]).toEqual([1, 0]);
    const due = "SELECT id FROM publisher_identity WHERE names_due <> '{}'";
    expect((await app.owner.pool.query(due)).rows).toEqual([{ id: theirs.id }]);
  });
});

describe('an operator', () => {
  it('sees the queue, decides with a reason in both trails, and never for themselves', async () => {
    const claimed = await claim(customer, { inn: '7736050003' });
    const queue = await ask(
      app,
      'GET',
      `${OPERATOR}/publisher-identities?status=pending`,
      undefined,
      operator.token,
    );
    expect(queue.body.data.find(({ id }) => id === claimed.id)).toMatchObject({
      tenant_id: customer.tenantId,
      inn: '7736050003',
      similar_names: [],
    });
    const text = '{ publisherIdentityQueue(status: pending) { nodes { id } } }';
    const { data } = await graphql<Record<string, { nodes: Body[] }>>(
      app,
      text,
      {},
      operator.token,
    );
    expect(data.publisherIdentityQueue?.nodes.map(({ id }) => id)).toEqual(
      queue.body.data.map(({ id }) => id),
    );
    for (const path of ['publisher-identities', 'listings', 'reports']) {
      const { status } = await ask(app, 'GET', `${OPERATOR}/${path}`, undefined, customer.token);
      expect([path, status]).toEqual([path, 403]);
    }
    expect((await judge(claimed.id, 'approved')).body.status).toBe('operator_verified');
    const withdrawn = `/publisher-identities/${claimed.id}/revoke`;
    expect((await rule(withdrawn, { reason: 'Sold.' })).body).toMatchObject({
      status: 'revoked',
      revoke_reason: 'Sold.',
    });
    expect((await judge(claimed.id, 'approved')).body.error.code).toBe('publisher_claim_closed');
    expect((await verify(customer, claimed.id)).body.error.code).toBe('publisher_claim_closed');
    const trail = `SELECT tenant_id, action FROM audit_event WHERE subject_id = $1
      AND action IN ('publisherIdentityDecide', 'publisherIdentityRevoke') ORDER BY id`;
    const { rows } = await app.owner.pool.query(trail, [claimed.id]);
    expect(rows.map(({ tenant_id, action }) => [tenant_id, action])).toEqual([
      [customer.tenantId, 'publisherIdentityDecide'],
      [operator.tenantId, 'publisherIdentityDecide'],
      [customer.tenantId, 'publisherIdentityRevoke'],
      [operator.tenantId, 'publisherIdentityRevoke'],
    ]);
    const own = await claim(operator);
    expect((await judge(own.id, 'approved')).body.error.code).toBe('publisher_own_decision');
    expect((await judge(UNKNOWN, 'denied')).status).toBe(404);
  });

  it('verifies a publisher for a year: a decision counts at 364 days, not at 366', async () => {
    const who = await newCustomer(app);
    const claimed = await claim(who, { legal_name: 'ООО "Годовалый"', domain: null });
    await judge(claimed.id, 'approved');
    const { listingId } = await newPublished(app, who, { publisher: 'Годовалый' });
    const standingAfter = async (days: number) => {
      const text = `UPDATE publisher_identity
        SET approved_until = decided_at + interval '365 days' - make_interval(days => $2)
        WHERE id = $1 AND approved_until = decided_at + interval '365 days'`;
      const { rowCount } = await app.owner.pool.query(text, [claimed.id, days]);
      expect(rowCount).toBe(1);
      const { body } = await ask(app, 'GET', IDENTITIES, undefined, who.token);
      const listing = await shown(listingId);
      const back = `UPDATE publisher_identity
        SET approved_until = approved_until + make_interval(days => $2) WHERE id = $1`;
      await app.owner.pool.query(back, [claimed.id, days]);
      const status = body.data.find(({ id }) => id === claimed.id)?.status;
      return [status, listing?.publisher_standing];
    };
    expect(await standingAfter(364)).toEqual(['operator_verified', 'operator_verified']);
    expect(await standingAfter(366)).toEqual(['lapsed', 'self_attested']);
  });

  it('suspends for a time and revokes for good: hidden, and users are told', async () => {
    const { listingId, badgeId } = await newPublished(app, customer);
    const standing = async () => {
      const { body } = await ask(app, 'GET', `/certification/verify/${badgeId}`);
      return [await isPublic(app, listingId), body.valid, body.status, body.listing_status];
    };
    expect(await standing()).toEqual([true, true, 'certified', 'listed']);
    expect((await measure(listingId, 'suspend', customer.token)).status).toBe(403);
    expect((await measure(listingId, 'suspend')).body.status).toBe('suspended');
    expect(await standing()).toEqual([false, false, 'suspended', 'suspended']);
    expect((await publish(app, customer, listingId)).body.error.code).toBe('listing_halted');
    const mine = await ask(app, 'GET', '/marketplace/my-listings', undefined, customer.token);
    expect(mine.body.data.find(({ id }) => id === listingId)).toMatchObject({
      status: 'suspended',
      measure_reason: 'Done: suspend.',
    });
    expect((await measure(listingId, 'reinstate')).body.status).toBe('listed');
    expect(await standing()).toEqual([true, true, 'certified', 'listed']);
    expect((await measure(listingId, 'withdraw')).body.status).toBe('withdrawn');
    expect((await publish(app, customer, listingId)).body.status).toBe('listed');
    expect((await measure(listingId, 'revoke')).body.status).toBe('revoked');
    expect(await standing()).toEqual([false, false, 'suspended', 'revoked']);
    for (const step of ['reinstate', 'suspend', 'withdraw']) {
      expect((await measure(listingId, step)).body.error.code).toBe('lifecycle_refused');
    }
    const { listingId: own } = await newPublished(app, operator, { publisher: 'Own' });
    await measure(own, 'suspend');
    expect((await measure(own, 'reinstate')).body.error.code).toBe('publisher_own_decision');
  });
});

describe('a reader', () => {
  it('reports a listing once at a time, and its publisher never learns by whom', async () => {
    const reader = await newCustomer(app);
    const { listingId } = await newPublished(app, customer);
    const path = `/marketplace/listings/${listingId}/reports`;
    const stated = { reason: 'impersonation', details: 'Not the company of that name.' };
    const report = (credential: string, at = path) => ask(app, 'POST', at, stated, credential);
    const { body } = await report(reader.token);
    expect(body).toMatchObject({ listing_id: listingId, status: 'open' });
    expect((await report(reader.token)).body.error).toMatchObject({
      code: 'listing_report_open',
      id: body.id,
    });
    expect((await ask(app, 'POST', path, stated)).status).toBe(401);
    const draft = await newListing(app, customer);
    const [hidden, missing] = [
      await report(reader.token, `/marketplace/listings/${draft}/reports`),
      await report(reader.token, `/marketplace/listings/${UNKNOWN}/reports`),
    ];
    expect([hidden.status, comparable(hidden, draft)]).toEqual([404, comparable(missing, UNKNOWN)]);
    const everything = await Promise.all(
      ['/marketplace/my-listings', '/marketplace/reports'].map((each) =>
        ask(app, 'GET', each, undefined, customer.token),
      ),
    );
    const read = JSON.stringify(everything.map((each) => each.body));
    for (const secret of [reader.tenantId, reader.userId, body.id])
      expect(read).not.toContain(secret);
    const queue = `${OPERATOR}/reports?status=open`;
    const cases = await ask(app, 'GET', queue, undefined, operator.token);
    expect(cases.body.data[0]).toMatchObject({ id: body.id, tenant_id: reader.tenantId });
    const found = { resolution: 'upheld', reason: 'It is so.' };
    expect((await rule(`/reports/${body.id}/resolution`, found)).body.status).toBe('upheld');
    expect((await rule(`/reports/${body.id}/resolution`, found)).status).toBe(422);
    const mine = await ask(app, 'GET', '/marketplace/reports', undefined, reader.token);
    expect(mine.body.data[0]).toMatchObject({ status: 'upheld', resolution_reason: 'It is so.' });
    expect((await report(reader.token)).status).toBe(200);
    await app.owner.pool.query(
      `INSERT INTO listing_report (id, tenant_id, listing_id, reason, details, created_by,
         resolution, resolution_reason, resolved_at, resolved_by)
       SELECT gen_random_uuid(), $1, $2, 'other', 'x', $3, 'dismissed', 'x', now(), $3
       FROM generate_series(1, 8)`,
      [reader.tenantId, listingId, reader.userId],
    );
    const second = await newPublished(app, customer);
    const last = await report(reader.token, `/marketplace/listings/${second.listingId}/reports`);
    expect(last.body.error.code).toBe('listing_report_limit_reached');
  });
});
