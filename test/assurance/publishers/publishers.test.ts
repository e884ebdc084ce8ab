import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { recheckRecords } from '../../../src/assurance/publishers/proof.js';
import { graphql, newCustomer } from '../../support/app.js';
import {
  ask,
  comparable,
  decide,
  isPublic,
  newPublished,
  newReview,
  publish,
  UNKNOWN,
} from '../certification/world.js';
import { IDENTITIES, openMarket } from './world.js';

const market = await openMarket();
const {
  answerRecords,
  app,
  claim,
  customer,
  judge,
  newDomain,
  other,
  proved,
  records,
  server,
  setRecord,
  shown,
  verify,
} = market;
beforeEach(answerRecords);
afterAll(market.stop);

const GATES = ['publisher_identity', 'documentation'];

describe('a publisher', () => {
  it('is not verified by its own members, in whichever way they try', async () => {
    const { listingId, badgeId } = await newPublished(app, customer, { publisher: 'ООО Яндекс' });
    const asked = { badge: 'verified_publisher', listing_id: listingId };
    const review = await newReview(app, customer, asked);
    const { body } = await decide(app, customer.token, review, GATES);
    expect(body).toMatchObject({ status: 'rejected', gates_failed: ['publisher_identity'] });
    const claimed = await claim(customer, { legal_name: 'ООО Яндекс' });
    for (const credential of [customer.token, customer.key, other.token]) {
      const judged = await judge(claimed.id, 'approved', credential);
      expect([judged.status, judged.body.error.code]).toEqual([403, 'platform_admin_required']);
    }
    const stated = { legal_name: 'X', status: 'operator_verified', proved_until: '2099-01-01' };
    const forged = await ask(app, 'POST', IDENTITIES, stated, customer.token);
    expect(forged.body.error.faults?.map(({ path }) => path)).toEqual(['status', 'proved_until']);
    expect(await shown(listingId)).toMatchObject({
      publisher_standing: 'self_attested',
      publisher_tier: 'registered',
      publisher_domain: null,
      publisher_legal_name: null,
      badges: [{ certification_id: badgeId, attestation: 'self_attested' }],
    });
  });

  it('that certified itself before is verified no longer, and its badge ends', async () => {
    const { listingId, badgeId } = await newPublished(app, customer, { publisher: 'Mimicry' });
    const planted = "UPDATE certification SET badge = 'verified_publisher' WHERE id = $1";
    await app.owner.pool.query(planted, [badgeId]);
    expect([
      await isPublic(app, listingId),
      (await publish(app, customer, listingId)).status,
    ]).toEqual([false, 409]);
    const { body } = await ask(app, 'GET', `/certification/verify/${badgeId}`);
    expect(body).toMatchObject({ valid: false, status: 'unproven', statement: null });
    const list = (status: string) =>
      ask(app, 'GET', `/certification?status=${status}`, undefined, customer.token);
    const ids = async (status: string) => (await list(status)).body.data.map(({ id }) => id);
    expect(await ids('unproven')).toEqual([badgeId]);
    expect(await ids('certified')).not.toContain(badgeId);
    await proved(customer, { legal_name: 'ООО «Mimicry»', domain: 'mimicry.ru' });
    expect(await ids('unproven')).toEqual([]);
    expect(await shown(listingId)).toMatchObject({
      publisher_standing: 'domain_verified',
      badges: [{ attestation: 'verified' }],
    });
  });

  it('proves a domain by its own record alone, and shows it while the record stands', async () => {
    const who = await newCustomer(app);
    const claimed = await claim(who, { legal_name: 'ООО Стрижи', domain: 'strizhi.ru' });
    const foreign = await claim(other);
    expect(claimed).toMatchObject({ status: 'pending', check_failure: null, proved_until: null });
    expect((await verify(who, claimed.id)).body.check_failure).toBe('record_missing');
    records.set(String(claimed.record_name), [String(foreign.record_value), 'v=spf1']);
    expect((await verify(who, claimed.id)).body).toMatchObject({
      status: 'pending',
      check_failure: 'token_missing',
    });
    setRecord(claimed, 'something else');
    expect((await verify(who, claimed.id)).body.status).toBe('domain_verified');
    const { listingId } = await newPublished(app, who, { publisher: 'Strizhi' });
    expect(await shown(listingId)).toMatchObject({
      publisher_standing: 'domain_verified',
      publisher_domain: claimed.domain,
      publisher_legal_name: null,
    });
    const another = await newPublished(app, who, { publisher: 'ПАО Газпром' });
    expect(await shown(another.listingId)).toMatchObject({
      publisher_standing: 'self_attested',
      publisher_domain: null,
    });
    const text = `{ publisherIdentities { nodes { id status recordName } } }`;
    const { data } = await graphql<Record<string, { nodes: object[] }>>(app, text, {}, who.token);
    expect(data.publisherIdentities?.nodes).toEqual([
      { id: claimed.id, status: 'domain_verified', recordName: claimed.record_name },
    ]);
  });

  it('proves a domain by a record, a legal name by an operator, and nothing else', async () => {
    const [first, second] = [await newCustomer(app), await newCustomer(app)];
    await proved(first, { legal_name: 'ПАО Вымпел', domain: 'evil-market.ru' });
    const borrowed = await newPublished(app, first, { publisher: 'ПАО Вымпел' });
    const unproved = {
      publisher_standing: 'self_attested',
      publisher_domain: null,
      publisher_legal_name: null,
      publisher_tier: 'registered',
    };
    expect(await shown(borrowed.listingId)).toMatchObject(unproved);
    const asked = { badge: 'verified_publisher', listing_id: borrowed.listingId };
    const review = await newReview(app, first, asked);
    const { body } = await decide(app, first.token, review, GATES);
    expect(body).toMatchObject({ status: 'rejected', gates_failed: ['publisher_identity'] });
    const planted = "UPDATE certification SET badge = 'verified_publisher' WHERE id = $1";
    await app.owner.pool.query(planted, [borrowed.badgeId]);
    const statusOf = async (status: string) => {
      const path = `/certification?status=${status}`;
      return (await ask(app, 'GET', path, undefined, first.token)).body.data.map(({ id }) => id);
    };
    expect([await statusOf('unproven'), await statusOf('certified')]).toEqual([
      [borrowed.badgeId],
      [],
    ]);
    const decided = await claim(second, { legal_name: 'АО Кедр', domain: 'not-mine.ru' });
    expect((await judge(decided.id, 'approved')).body.status).toBe('operator_verified');
    const named = await newPublished(app, second, { publisher: 'not-mine.ru' });
    expect(await shown(named.listingId)).toMatchObject(unproved);
    const own = await newPublished(app, second, { publisher: 'АО «Кедр»' });
    expect(await shown(own.listingId)).toMatchObject({
      publisher_standing: 'operator_verified',
      publisher_domain: null,
      publisher_legal_name: 'АО Кедр',
    });
    const { body: said } = await ask(app, 'GET', `/certification/verify/${own.badgeId}`);
    const [, payload = ''] = String(said.statement).split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      publisher: 'АО «Кедр»',
      publisher_domain: null,
      publisher_standing: 'operator_verified',
    });
  });

  it('with a name server that lies, fails, hangs or answers too much is not verified', async () => {
    const claimed = await claim(customer);
    const value = String(claimed.record_value);
    const look = async () => (await verify(customer, claimed.id)).body;
    server.zone = () => [value.toUpperCase(), `x${value}`, `${value} x`];
    expect(await look()).toMatchObject({ status: 'pending', check_failure: 'token_missing' });
    server.zone = () => Array.from({ length: 21 }, () => 'noise').concat(value);
    expect(await look()).toMatchObject({ status: 'pending', check_failure: 'answer_too_large' });
    server.zone = () => 'servfail';
    expect(await look()).toMatchObject({ status: 'pending', check_failure: 'server_failed' });
    server.zone = () => 'hang';
    expect(await look()).toMatchObject({ status: 'pending', check_failure: 'timeout' });
    expect(new Set(server.asked).has(String(claimed.record_name).toLowerCase())).toBe(true);
  }, 30_000);

  it('is looked up once at a time, however many ask, and of its own claim alone', async () => {
    const claimed = await claim(customer);
    setRecord(claimed);
    const path = `${IDENTITIES}/${claimed.id}/verify`;
    const before = server.asked.length;
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => ask(app, 'POST', path, undefined, customer.token)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429]);
    expect(server.asked.length - before).toBe(1);
    for (const step of ['verify', 'withdraw']) {
      const at = (id: string) =>
        ask(app, 'POST', `${IDENTITIES}/${id}/${step}`, undefined, other.token);
      const [foreign, missing] = [await at(claimed.id), await at(UNKNOWN)];
      expect([foreign.status, comparable(foreign, claimed.id)]).toEqual([
        404,
        comparable(missing, UNKNOWN),
      ]);
    }
    const mine = await ask(app, 'GET', IDENTITIES, undefined, other.token);
    expect(JSON.stringify(mine.body)).not.toContain(claimed.id);
  });

  it('cannot prove a claim that is over, was withdrawn, or has no domain', async () => {
    const claimed = await claim(customer);
    setRecord(claimed);
    const late = "UPDATE publisher_identity SET challenge_until = '2020-01-01' WHERE id = $1";
    await app.owner.pool.query(late, [claimed.id]);
    expect((await verify(customer, claimed.id)).body.error.code).toBe('publisher_claim_closed');
    const again = await claim(customer, { domain: claimed.domain });
    expect([again.status, again.record_value === claimed.record_value]).toEqual(['pending', false]);
    expect((await verify(customer, again.id)).body.check_failure).toBe('token_missing');
    const twice = await claim(customer, { domain: claimed.domain });
    expect(twice.error).toMatchObject({ code: 'publisher_claim_open', id: again.id });
    await ask(app, 'POST', `${IDENTITIES}/${again.id}/withdraw`, undefined, customer.token);
    setRecord(again);
    expect((await verify(customer, again.id)).body.error.code).toBe('publisher_claim_closed');
    const bare = await claim(customer, { domain: null });
    expect((await verify(customer, bare.id)).body.error.code).toBe(
      'publisher_claim_without_domain',
    );
  });
});

describe('a domain', () => {
  it('is proved by one organization at a time, also when two verify at once', async () => {
    const domain = newDomain();
    const [mine, theirs] = [
      await claim(customer, { domain, legal_name: 'ООО Первый хозяин' }),
      await claim(other, { domain, legal_name: 'ООО Другая фирма' }),
    ];
    setRecord(mine, String(theirs.record_value));
    const both = await Promise.all([verify(customer, mine.id), verify(other, theirs.id)]);
    const standing = both.map(({ body }) => [body.status, body.check_failure]);
    expect(standing.sort()).toEqual([
      ['domain_verified', null],
      ['pending', 'domain_taken'],
    ]);
  });

  it('goes to its next owner, whose record alone is there, at once', async () => {
    const who = await newCustomer(app);
    const first = await proved(who, { legal_name: 'ООО Прежний' });
    const second = await claim(other, { domain: first.domain, legal_name: 'ООО Нынешний' });
    setRecord(second);
    expect((await verify(other, second.id)).body.status).toBe('domain_verified');
    const { body } = await ask(app, 'GET', IDENTITIES, undefined, who.token);
    expect(body.data[0]).toMatchObject({ status: 'lapsed', check_failure: 'token_missing' });
  });

  it('that is like one proved before, or below it, takes nothing from the first', async () => {
    const [first, second] = [await newCustomer(app), await newCustomer(app)];
    const own = await proved(first, { domain: 'vasilek.ru', legal_name: 'ООО Василёк' });
    const { listingId } = await newPublished(app, first, { publisher: 'Vasilek' });
    const alike = await claim(second, { domain: 'vasilek.xyz', legal_name: 'Zzz' });
    setRecord(alike);
    expect((await verify(second, alike.id)).body.check_failure).toBe('name_taken');
    const below = await claim(second, { domain: 'a.vasilek.net', legal_name: 'Zzz Two' });
    setRecord(below);
    expect((await verify(second, below.id)).body.status).toBe('domain_verified');
    await recheckRecords(app.server.services);
    const { body } = await ask(app, 'GET', IDENTITIES, undefined, first.token);
    expect(body.data.find(({ id }) => id === own.id)?.status).toBe('domain_verified');
    expect(await shown(listingId)).toMatchObject({ publisher_standing: 'domain_verified' });
  });

  it('is looked up daily: a missing record ends the proof, silence does not', async () => {
    const who = await newCustomer(app);
    const { id, record_name } = await proved(who);
    const standing = async () => {
      const dated =
        "UPDATE publisher_identity SET checked_at = clock_timestamp() - interval '25 h'";
      await app.owner.pool.query(`${dated} WHERE id = $1`, [id]);
      await recheckRecords(app.server.services);
      const { body } = await ask(app, 'GET', IDENTITIES, undefined, who.token);
      return [body.data[0]?.status, body.data[0]?.check_failure];
    };
    expect(await standing()).toEqual(['domain_verified', null]);
    server.zone = () => 'servfail';
    expect(await standing()).toEqual(['domain_verified', 'server_failed']);
    answerRecords();
    records.delete(String(record_name));
    expect(await standing()).toEqual(['lapsed', 'record_missing']);
  });

  it('is refused when it is inside, a suffix, a look-alike or no domain', async () => {
    for (const domain of [
      ...['localhost', 'db.internal', '10.0.0.1', 'printer.local', 'romashka', '127.1', 'a..ru'],
      ...['com.ru', 'co.uk', 'msk.ru', 'github.io', 'yаndex.ru', 'аррӏе.com', 'yándex.ru'],
      ...['-a.ru', 'https://a.ru', 'a.ru/x', 'user@a.ru', '*.a.ru', `${'a'.repeat(64)}.ru`],
    ]) {
      const { error } = await claim(customer, { domain });
      expect([domain, error?.faults?.map(({ path }) => path)]).toEqual([domain, ['domain']]);
    }
    const { domain, record_name } = await claim(other, { domain: 'Ромашка.РФ.' });
    expect([domain, record_name]).toEqual([
      'xn--80aa3agjl3d.xn--p1ai',
      '_gw-publisher.xn--80aa3agjl3d.xn--p1ai',
    ]);
  });
});
