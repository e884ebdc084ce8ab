import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  other = await newCustomer(app);
});
afterAll(() => app.stop());

const COMMERCIAL = '/v1/gw/commercial';
type Body = Record<string, unknown>;
type Answer = Body & { data: Body[]; error: { code: string; param: string } };

const post = (path: string, body: Body, credential: string) =>
  rest<Answer>(app, 'POST', COMMERCIAL + path, { body, credential });
const get = (path: string, credential: string) =>
  rest<Answer>(app, 'GET', COMMERCIAL + path, { credential });
const record = (dealRef: string, wtpRub: number, who: Customer) =>
  post('/wtp', { deal_ref: dealRef, wtp_rub: wtpRub }, who.key);
const validate = (dealRef: string, who: Customer) =>
  post('/wtp/validate', { deal_ref: dealRef }, who.key);
const topUp = (amountRub: number, who: Customer) =>
  rest(app, 'POST', '/billing/top-up/manual', {
    credential: who.token,
    body: { amount_rub: amountRub },
  });

describe('a ruble of a top-up', () => {
  const counted = async (dealRef: string, who: Customer) => {
    const { status, counted_rub } = (await validate(dealRef, who)).body;
    return [status, counted_rub];
  };
  const state = (topUpId: unknown, dealRef: string, who: Customer) =>
    post('/wtp/evidence', { top_up_id: topUpId, deal_ref: dealRef }, who.key);
  const lastTopUp = async (who: Customer) => {
    const { rows } = await app.owner.pool.query(
      `SELECT request_id FROM ledger_entry WHERE account_id = $1 AND type = 'top_up'
       ORDER BY account_version DESC LIMIT 1`,
      [who.accountId],
    );
    return rows[0].request_id as string;
  };

  it('ruble_counts_once: one top-up does not validate every open deal', async () => {
    const who = await newCustomer(app);
    for (const dealRef of ['C', 'B', 'A']) await record(dealRef, 60, who);
    await topUp(100, who);
    expect(await counted('C', who)).toEqual(['VALIDATED', 60]);
    expect(await counted('B', who)).toEqual(['DECLARED', 40]);
    expect(await counted('A', who)).toEqual(['DECLARED', 0]);
    const { body } = await validate('B', who);
    expect(body).toMatchObject({ paid_rub: 100, top_ups: 1, missing_rub: 20 });
    expect(body.evidence).toEqual([
      {
        request_id: await lastTopUp(who),
        amount_rub: 100,
        counted_rub: 40,
        is_stated: false,
        topped_up_at: expect.any(String),
      },
    ]);
  });

  it('counts for the deal that was stated, and a correction moves it whole', async () => {
    const who = await newCustomer(app);
    for (const dealRef of ['A', 'B', 'C']) await record(dealRef, 60, who);
    await topUp(100, who);
    const topUpId = await lastTopUp(who);
    expect((await state(topUpId, 'B', who)).body).toMatchObject({
      version: 1,
      top_up_id: topUpId,
      deal_ref: 'B',
    });
    expect(await counted('A', who)).toEqual(['DECLARED', 0]);
    expect(await counted('B', who)).toEqual(['VALIDATED', 60]);
    expect((await state(topUpId, 'C', who)).body).toMatchObject({ version: 2, deal_ref: 'C' });
    expect(await counted('B', who)).toEqual(['DECLARED', 0]);
    expect(await counted('C', who)).toEqual(['VALIDATED', 60]);
    const refused = await Promise.all([
      state(topUpId, 'none', who),
      state(newId('Request'), 'B', who),
      state(topUpId, 'B', other),
      state('x', 'B', who),
    ]);
    expect(refused.map(({ status, body }) => [status, body.error.param])).toEqual([
      [404, 'deal_ref'],
      [404, 'top_up_id'],
      [404, 'top_up_id'],
      [400, 'top_up_id'],
    ]);
    const listed = await get(`/wtp/evidence?top_up_id=${topUpId}`, who.key);
    expect(listed.body.data.map(({ deal_ref }) => deal_ref)).toEqual(['C', 'B']);
    expect((await get('/wtp/evidence', other.key)).body.data).toEqual([]);
  });

  it('stays with a sealed receipt, also where statements and seals race', async () => {
    const who = await newCustomer(app);
    for (const dealRef of ['A', 'B']) await record(dealRef, 60, who);
    await topUp(60, who);
    const topUpId = await lastTopUp(who);
    const [sealed, moved] = await Promise.all([
      post('/receipts', { deal_ref: 'A' }, who.key),
      state(topUpId, 'B', who),
    ]);
    if (moved.status === 200) expect(sealed.body.status).toBe('DECLARED');
    else
      expect([moved.body.error.code, sealed.body.status]).toEqual([
        'wtp_evidence_sealed',
        'VALIDATED',
      ]);
    await post('/receipts', { deal_ref: 'B' }, who.key);
    const before = [await counted('A', who), await counted('B', who)];
    const taken = before.map(([status]) => status === 'VALIDATED');
    expect(taken.filter(Boolean)).toHaveLength(1);
    const loser = taken[0] ? 'B' : 'A';
    expect((await state(topUpId, loser, who)).body.error.code).toBe('wtp_evidence_sealed');
    expect([await counted('A', who), await counted('B', who)]).toEqual(before);
  });
});
