import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 5_000);
  other = await newCustomer(app);
});
afterAll(() => app.stop());

const COMMERCIAL = '/v1/gw/commercial';
type Body = Record<string, unknown>;
type Refused = Body & { error: { code: string; param: string; faults: { path: string }[] } };

const post = (path: string, body: Body, credential?: string) =>
  rest<Refused>(app, 'POST', COMMERCIAL + path, { body, credential });
const get = (path: string, credential?: string) =>
  rest<Refused & { data: Body[] }>(app, 'GET', COMMERCIAL + path, { credential });

const record = (dealRef: string, wtpRub: number, who = customer, more: Body = {}) =>
  post('/wtp', { deal_ref: dealRef, wtp_rub: wtpRub, ...more }, who.key);
const validate = (dealRef: string, who = customer, more: Body = {}) =>
  post('/wtp/validate', { deal_ref: dealRef, ...more }, who.key);
const topUp = async (amountRub: number, who = customer) => {
  const body = { amount_rub: amountRub };
  await rest(app, 'POST', '/billing/top-up/manual', { credential: who.token, body });
};

/** Records a hypothesis as if it had been recorded days ago, as only the owner of the rows can. */
async function plantHypothesis(
  who: Customer,
  dealRef: string,
  daysAgo: number,
  windowDays: number,
) {
  const body = {
    deal_ref: dealRef,
    wtp_rub: '100.00',
    window_days: windowDays,
    note: null,
    status: 'DECLARED',
  };
  await app.owner.pool.query(
    `INSERT INTO contract_version
       (id, tenant_id, kind, contract_key, version, body, created_by, created_at)
     VALUES ($1, $2, 'wtp_hypothesis', $3, 1, $4, $5, now() - make_interval(days => $6))`,
    [newId('ContractVersion'), who.tenantId, dealRef, body, who.userId, daysAgo],
  );
}

describe('a recorded hypothesis', () => {
  it('hypotheses_only_grow: each is a version of its deal, and rows refuse changes', async () => {
    const first = await record('D-list', 100, customer, { note: 'an interview' });
    const second = await record('D-list', 80, customer, { window_days: 30 });
    await record('D-else', 1);
    expect(first.body).toMatchObject({
      version: 1,
      deal_ref: 'D-list',
      wtp_rub: 100,
      window_days: 90,
      note: 'an interview',
      status: 'DECLARED',
    });
    const listed = await get('/wtp?deal_ref=D-list', customer.key);
    expect(listed.body.data).toEqual([second.body, first.body]);
    expect((await get('/wtp?deal_ref=D-list', other.key)).body.data).toEqual([]);
    const { pool } = app.owner;
    const where = "WHERE kind = 'wtp_hypothesis'";
    await expect(pool.query(`UPDATE contract_version SET body = '{}' ${where}`)).rejects.toThrow();
    await expect(pool.query(`DELETE FROM contract_version ${where}`)).rejects.toThrow();
  });

  it('top_ups_after_hypothesis: funds that were there before do not count', async () => {
    await record('D-before', 100);
    const { body } = await validate('D-before');
    expect(body).toMatchObject({
      status: 'DECLARED',
      paid_rub: 0,
      top_ups: 0,
      missing_rub: 100,
      evidence: [],
      provenance: 'live_measured',
      needed: [expect.stringMatching(/^top-ups of 100\.00 RUB before /)],
    });
  });

  it('validated_only_from_ledger: becomes VALIDATED by top-ups after it', async () => {
    const payer = await newCustomer(app);
    await record('D-paid', 100, payer);
    await topUp(60, payer);
    expect((await validate('D-paid', payer)).body).toMatchObject({
      status: 'DECLARED',
      paid_rub: 60,
    });
    await topUp(40, payer);
    const { body } = await validate('D-paid', payer);
    expect(body).toMatchObject({
      status: 'VALIDATED',
      paid_rub: 100,
      top_ups: 2,
      missing_rub: 0,
      reason: null,
      needed: [],
    });
    expect((body.evidence as Body[]).map(({ amount_rub }) => amount_rub)).toEqual([60, 40]);
    const { data } = await graphql<{ wtpValidation: Body }>(
      app,
      '{ wtpValidation(input: { dealRef: "D-paid" }) { status paidRub provenance } }',
      {},
      payer.key,
    );
    expect(data.wtpValidation).toEqual({
      status: 'VALIDATED',
      paidRub: '100.00',
      provenance: 'live_measured',
    });
  });

  it('only_top_ups_count: credits, adjustments and refunds are no payment', async () => {
    const payer = await newCustomer(app);
    await record('D-gift', 100, payer);
    const { ledger } = app.server.services;
    const { accountId } = payer;
    const op = { accountId, amountMicro: 500_000_000n, description: 'a gift' };
    await ledger.credit({ ...op, requestId: newId('Request'), actorId: payer.userId });
    await ledger.adjust({ ...op, requestId: newId('Request'), actorId: payer.userId });
    const { rows } = await app.owner.pool.query(
      'SELECT type FROM ledger_entry WHERE account_id = $1 ORDER BY account_version',
      [accountId],
    );
    expect(rows.map(({ type }) => type)).toEqual(['credit', 'adjustment']);
    expect((await validate('D-gift', payer)).body).toMatchObject({
      status: 'DECLARED',
      paid_rub: 0,
    });
  });

  it('is not validated by what another organization pays, and is not found by it', async () => {
    await record('D-own', 10, other);
    await topUp(1_000, customer);
    expect((await validate('D-own', other)).body).toMatchObject({ status: 'DECLARED' });
    await record('D-mine', 10);
    const [foreign, missing] = [await validate('D-mine', other), await validate('D-none', other)];
    expect([foreign.status, foreign.body.error.param]).toEqual([404, 'deal_ref']);
    expect(missing.status).toBe(404);
  });

  it('is REFUTED when its window is over, whatever is paid later', async () => {
    const late = await newCustomer(app);
    await plantHypothesis(late, 'D-late', 10, 5);
    await plantHypothesis(late, 'D-open', 10, 20);
    await topUp(100, late);
    expect((await validate('D-late', late)).body).toMatchObject({
      status: 'REFUTED',
      paid_rub: 0,
      reason: 'The window is over, and 100.00 RUB were not topped up in it.',
      needed: [],
    });
    expect((await validate('D-open', late)).body).toMatchObject({ status: 'VALIDATED' });
  });

  it('is judged by its version, and tells of others of the deal and in its window', async () => {
    const who = await newCustomer(app);
    await record('D-two', 100, who);
    await record('D-two', 5, who);
    await record('D-beside', 5, who);
    await topUp(50, who);
    const latest = await validate('D-two', who);
    expect(latest.body).toMatchObject({
      status: 'VALIDATED',
      hypothesis_version: 2,
      hypotheses_of_deal: 2,
      deals_in_window: 1,
    });
    const first = await validate('D-two', who, { version: 1 });
    expect(first.body).toMatchObject({ status: 'DECLARED', hypothesis_version: 1, wtp_rub: 100 });
    expect((await validate('D-two', who, { version: 3 })).status).toBe(404);
  });
});

describe('recorded outcomes', () => {
  const rate = async (who: Customer, query = '') =>
    (await get(`/outcomes/win-rate${query}`, who.key)).body;

  it('latest_outcome_stands: each deal counts once, no_decision not at all', async () => {
    const who = await newCustomer(app);
    const outcome = (dealRef: string, value: string, more: Body = {}) =>
      post('/outcomes', { deal_ref: dealRef, outcome: value, ...more }, who.key);
    expect(await rate(who)).toMatchObject({
      verdict: 'CANNOT_CONCLUDE',
      win_rate: null,
      provenance: 'live_measured',
    });
    await outcome('A', 'no_decision');
    expect(await rate(who)).toMatchObject({ verdict: 'CANNOT_CONCLUDE', no_decision: 1 });
    const won = await outcome('A', 'won', { reason: 'value_proven', amount_rub: 700 });
    expect(won.body).toMatchObject({
      deal_ref: 'A',
      outcome: 'win',
      reason: 'value_proven',
      amount_rub: 700,
      is_loss: false,
      in_win_rate: true,
    });
    await outcome('B', 'loss');
    await outcome('C', 'win');
    await outcome('D', 'no_decision', { reason: 'budget_frozen' });
    expect(await rate(who)).toMatchObject({
      verdict: 'COMPUTED',
      won: 2,
      lost: 1,
      no_decision: 1,
      win_rate: 0.666667,
    });
    expect(await rate(other)).toMatchObject({ won: 0, lost: 0, no_decision: 0 });
    const empty = await rate(who, '?from=2025-01-01T00:00:00Z&to=2025-02-01T00:00:00Z');
    expect(empty.verdict).toBe('CANNOT_CONCLUDE');
  });

  it('outcomes_only_grow: rows refuse changes, and a reason has its outcome', async () => {
    const wrong = await post(
      '/outcomes',
      { deal_ref: 'X', outcome: 'win', reason: 'price_too_high' },
      customer.key,
    );
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'reason']);
    const { pool } = app.owner;
    const where = "WHERE kind = 'deal_outcome'";
    await expect(pool.query(`UPDATE journal_entry SET value = 'win' ${where}`)).rejects.toThrow();
    await expect(pool.query(`DELETE FROM journal_entry ${where}`)).rejects.toThrow();
  });
});

describe('a commercial receipt', () => {
  it('sealed_once: has what the ledger said first, also when ten race', async () => {
    const who = await newCustomer(app);
    await record('R-1', 100, who);
    await post('/outcomes', { deal_ref: 'R-1', outcome: 'win', reason: 'best_fit' }, who.key);
    const seal = () => post('/receipts', { deal_ref: 'R-1' }, who.key);
    const answers = await Promise.all(Array.from({ length: 10 }, seal));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ body }) => body.already_sealed === false)).toHaveLength(1);
    await topUp(100, who);
    const { body } = await seal();
    expect(body).toMatchObject({
      status: 'DECLARED',
      paid_rub: 0,
      outcome: 'win',
      outcome_reason: 'best_fit',
      provenance: 'live_measured',
      already_sealed: true,
    });
    expect((await validate('R-1', who)).body.status).toBe('VALIDATED');
  });

  it('is read and verified by its own organization alone', async () => {
    const owner = await newCustomer(app);
    await record('R-2', 1, owner);
    await topUp(1, owner);
    const { body } = await post('/receipts', { deal_ref: 'R-2' }, owner.key);
    expect(body).toMatchObject({ status: 'VALIDATED', paid_rub: 1, outcome: null });
    const read = (id: unknown, who = owner, more = '') => get(`/receipts/${id}${more}`, who.key);
    const { content, ...receipt } = (await read(body.id)).body;
    expect(receipt).toEqual({ ...body, already_sealed: true });
    expect(content).toMatchObject({ deal_ref: 'R-2', paid_rub: '1.00' });
    expect((await read(body.id, owner, '/verify')).body).toEqual({
      valid: true,
      hash: body.sha256,
      recomputed_hash: body.sha256,
      chain_valid: true,
      erased: false,
    });
    const unknown = '0192f0c1-7a3b-700b-8000-3f2b9c4d5e6f';
    const answers = await Promise.all([
      read(body.id, other),
      read(unknown, other),
      read('R-2'),
      post('/receipts', { deal_ref: 'R-2' }, other.key),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 400, 404]);
    expect(answers[2]?.body.error.code).toBe('invalid_receipt_id');
  });
});
