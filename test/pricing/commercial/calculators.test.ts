import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HARD_RULES } from '../../../src/pricing/commercial/vocabulary.js';
import { graphql, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const COMMERCIAL = '/v1/gw/commercial';
type Body = Record<string, unknown>;
type Refused = Body & { error: { code: string; param: string; faults: { path: string }[] } };

const post = (path: string, body: Body) => rest<Refused>(app, 'POST', COMMERCIAL + path, { body });
const get = (path: string) => rest<Refused>(app, 'GET', COMMERCIAL + path);

describe('the reference', () => {
  it('is public and lists what decides, the minimum and the salt included', async () => {
    const { status, body } = await get('/reference');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      hard_rules: HARD_RULES.rows,
      experiment_n_min: 30,
      wtp_window_days: 90,
      assignment_salt: 'gw-commercial-assignment-v1',
    });
    const codesOf = (rows: unknown) => (rows as { code: string }[]).map(({ code }) => code);
    expect(codesOf(body.wtp_statuses)).toEqual(['DECLARED', 'VALIDATED', 'REFUTED']);
    expect(codesOf(body.outcomes)).toEqual(['win', 'loss', 'no_decision']);
  });
});

describe('a stated willingness to pay', () => {
  it('body_cannot_raise: a status or payment in the body leaves it DECLARED', async () => {
    const stated = { wtp_rub: 100, status: 'VALIDATED', paid_rub: 1_000, authoritative: true };
    const { status, headers, body } = await post('/wtp/what-if', stated);
    expect(status).toBe(200);
    expect(headers.get('x-gw-ignored-fields')).toBe('status, authoritative');
    expect(body).toEqual({
      status: 'DECLARED',
      deal_ref: null,
      wtp_rub: 100,
      window_days: 90,
      needed_top_up_rub: 100,
      stated_gap_rub: -900,
      rules: ['body_cannot_raise', 'validated_only_from_ledger', 'top_ups_after_hypothesis'],
      authoritative: false,
      provenance: 'declared',
    });
    const { errors } = await graphql(
      app,
      '{ wtpWhatIf(input: { wtpRub: "100", status: VALIDATED }) { status } }',
    );
    expect(errors?.[0]?.extensions.code).toBe('graphql_invalid');
  });
});

describe('calculators', () => {
  it('answer the same in both voices, and name faults as the wire does', async () => {
    const { body } = await post('/win-rate', { won: 3, lost: 1, no_decision: 9 });
    expect(body).toMatchObject({ win_rate: 0.75, verdict: 'COMPUTED', provenance: 'declared' });
    const { data } = await graphql(
      app,
      '{ winRate(input: { won: 3, lost: 1, noDecision: 9 }) { winRate verdict authoritative } }',
    );
    expect(data).toEqual({ winRate: { winRate: 0.75, verdict: 'COMPUTED', authoritative: false } });
    const wrong = await post('/experiment', {
      a: { n: 5, conversions: 9 },
      b: { n: -1, conversions: 0 },
    });
    expect([wrong.status, wrong.body.error.faults.map(({ path }) => path)]).toEqual([400, ['b.n']]);
  });

  it('no_decision_is_no_loss: classify, with the words that people use', async () => {
    const { body } = await post('/outcome', { reason: 'no_response' });
    expect(body).toMatchObject({ outcome: 'no_decision', is_loss: false, in_win_rate: false });
    const lost = await post('/outcome', { outcome: 'lost' });
    expect(lost.body).toMatchObject({ outcome: 'loss', is_loss: true, in_win_rate: true });
    expect((await post('/outcome', {})).status).toBe(400);
  });

  it('conclude nothing from a small sample, and name a leader of a larger one', async () => {
    const small = await post('/experiment', {
      a: { n: 10, conversions: 2 },
      b: { n: 10, conversions: 5 },
    });
    expect(small.body).toMatchObject({ verdict: 'CANNOT_CONCLUDE', leader: null });
    const large = await post('/experiment', {
      variant_a: { n: 400, wins: 60 },
      variant_b: { n: 410, wins: 90 },
    });
    expect(large.body).toMatchObject({
      verdict: 'DIRECTIONAL',
      leader: 'b',
      peeking_guard: 'sequential',
      not_claimed: ['significance', 'optimal_price'],
      authoritative: false,
    });
  });

  it('assignment_is_recomputable: the same again, with what recomputes it', async () => {
    const asked = { experiment: 'price-1', subject: 'account-17' };
    const [first, again] = await Promise.all([
      post('/experiment/assign', asked),
      post('/experiment/assign', { ...asked, variants: ['b', 'a'] }),
    ]);
    expect(again.body).toEqual(first.body);
    expect(first.body).toMatchObject({
      variants: ['a', 'b'],
      message: 'price-1:account-17',
      salt: 'gw-commercial-assignment-v1',
    });
  });
});
