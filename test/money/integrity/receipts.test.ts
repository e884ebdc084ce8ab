import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { existedSince } from '../../support/owner.js';
import { FAILED, plant } from './books.js';
import { BEGIN, END, MONTH } from './checked.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** A customer whose organization was there in every month that is sealed. */
async function oldCustomer(fundsRub = 0): Promise<Customer> {
  const customer = await newCustomer(app, fundsRub);
  await existedSince(app, customer.tenantId);
  return customer;
}

const DAY_MS = 86_400_000;
const WHOLE = { hold: {}, finalize: {}, usage: {} };

const SEAL = '/v1/gw/billing-integrity/receipts';

describe('an integrity receipt', () => {
  async function seal(customer: Customer, body: object = { period: MONTH }) {
    return rest<Record<string, unknown>>(app, 'POST', SEAL, { credential: customer.key, body });
  }

  it('of a clean period is HEALTHY, and the same whatever comes later', async () => {
    const customer = await oldCustomer(1_000);
    const at = new Date(BEGIN.getTime() + DAY_MS);
    await plant(app.owner.pool, customer, at, WHOLE);
    const { body: first, status } = await seal(customer);
    expect(status).toBe(200);
    expect(first).toMatchObject({
      verdict: 'HEALTHY',
      completeness: 'COMPLETE',
      dual_meter: 'MATCHED',
      replay: 'RECONCILED',
      pairs: 1,
      reason: null,
      already_sealed: false,
    });
    await plant(app.owner.pool, customer, at, { hold: {}, finalize: {} });
    const { body: again } = await seal(customer);
    expect(again).toMatchObject({ id: first.id, verdict: 'HEALTHY', already_sealed: true });
    const read = await rest(app, 'GET', `${SEAL}/${first.id}`, { credential: customer.key });
    expect(read.body).toMatchObject({ id: first.id, sha256: first.sha256, verdict: 'HEALTHY' });
    const verified = await rest(app, 'GET', `${SEAL}/${first.id}/verify`, {
      credential: customer.key,
    });
    expect(verified.body).toMatchObject({ valid: true, chain_valid: true, hash: first.sha256 });
  });

  it('violation_outranks_insufficient: and insufficient data outranks HEALTHY', async () => {
    const empty = await oldCustomer();
    expect((await seal(empty)).body).toMatchObject({
      verdict: 'cannot_certify',
      needed: expect.arrayContaining([expect.any(String)]),
    });
    const failing = await oldCustomer();
    await plant(app.owner.pool, failing, BEGIN, { hold: {}, release: {}, usage: FAILED });
    expect((await seal(failing)).body).toMatchObject({
      verdict: 'cannot_certify',
      completeness: 'COMPLETE',
      dual_meter: 'cannot_certify',
    });
    const broken = await oldCustomer();
    const id = await plant(app.owner.pool, broken, BEGIN, { hold: {}, finalize: {} });
    expect((await seal(broken)).body).toMatchObject({
      verdict: 'VIOLATION',
      completeness: 'INCOMPLETE',
      dual_meter: 'cannot_certify',
      reason: null,
      faulty: [{ request_id: id, faults: ['orphan_charge'] }],
    });
  });

  it('sealed_once: a period has one receipt, also when many ask at once', async () => {
    const customer = await oldCustomer();
    const sealed = await Promise.all([1, 2, 3, 4].map(() => seal(customer)));
    expect(new Set(sealed.map(({ body }) => body.id)).size).toBe(1);
    expect(sealed.filter(({ body }) => body.already_sealed === false)).toHaveLength(1);
  });

  it('periods_have_ended: one that is not over is refused, with every fault', async () => {
    const customer = await oldCustomer();
    const period = new Date().toISOString().slice(0, 7);
    expect((await seal(customer, { period })).status).toBe(400);
    expect((await seal(customer, { period: '2026-13' })).status).toBe(400);
    const now = new Date().toISOString();
    const { status, body } = await seal(customer, { period: MONTH, from: now, to: now });
    expect(status).toBe(400);
    const faults = (body.error as { faults?: readonly { path: string }[] }).faults ?? [];
    expect(faults.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['period', 'from', 'to']),
    );
  });

  it('is refused for a period before the organization, by month as by times', async () => {
    const customer = await newCustomer(app);
    const window = { from: '2026-02-01', to: '2026-02-27' };
    for (const [body, param] of [
      [{ period: '2026-02' }, 'period'],
      [window, 'to'],
      [{}, 'period'],
    ]) {
      const answer = await seal(customer, body as object);
      expect([answer.status, answer.body.error]).toMatchObject([400, { param }]);
    }
    await existedSince(app, customer.tenantId, '2026-02-27T12:00:00Z');
    expect((await seal(customer, window)).body).toMatchObject({
      from: '2026-01-31T21:00:00.000Z',
      to: '2026-02-27T21:00:00.000Z',
      already_sealed: false,
    });
  });

  it('of another tenant does not exist, and an id that is no uuid is refused', async () => {
    const owner = await oldCustomer();
    const other = await oldCustomer();
    const { body } = await seal(owner);
    for (const path of [`${SEAL}/${body.id}`, `${SEAL}/${body.id}/verify`]) {
      expect((await rest(app, 'GET', path, { credential: other.key })).status).toBe(404);
    }
    const none = await rest(app, 'GET', `${SEAL}/nothing`, { credential: owner.key });
    expect(none.body).toMatchObject({ error: { code: 'invalid_receipt_id' } });
  });

  it('is sealed for the last month where nothing is stated, in GraphQL as well', async () => {
    const customer = await oldCustomer();
    const { data } = await graphql<{ sealed: Record<string, unknown> }>(
      app,
      'mutation { sealed: billingIntegrityReceiptSeal(input: {}) { from to verdict sealKey } }',
      {},
      customer.key,
    );
    expect(data.sealed).toEqual({
      from: BEGIN.toISOString(),
      to: END.toISOString(),
      verdict: 'cannot_certify',
      sealKey: `${BEGIN.toISOString()}/${END.toISOString()}`,
    });
  });
});

describe('the what-ifs', () => {
  const ask = async (path: string, body: object) =>
    (await rest(app, 'POST', `/v1/gw/billing-integrity/${path}/what-if`, { body })).body;
  const declared = { provenance: 'declared', authoritative: false };

  it('two_independent_traces: completeness needs a second source', async () => {
    expect(await ask('completeness', { ledger_charges: 5 })).toMatchObject({
      verdict: 'CANNOT_CERTIFY',
      needed: ['usage_rows'],
      ...declared,
    });
    expect(await ask('completeness', {})).toMatchObject({ verdict: 'CANNOT_CERTIFY' });
    const both = { ledger_charges: 5, usage_rows: 5 };
    expect(await ask('completeness', both)).toMatchObject({ verdict: 'COMPLETE', ...declared });
    expect(await ask('completeness', { ...both, danglings: 1 })).toMatchObject({
      verdict: 'INCOMPLETE',
      faulty_total: 1,
    });
  });

  it('what_if_is_declared: the dual meter needs a pair; a difference is a MISMATCH', async () => {
    expect(await ask('dual-meter', {})).toMatchObject({ verdict: 'CANNOT_CERTIFY', ...declared });
    expect(await ask('dual-meter', { ledger_rub: 5, usage_rub: 5 })).toMatchObject({
      verdict: 'MATCHED',
      pairs: 1,
    });
    const pairs = [
      { request_id: 'a', ledger_rub: 1, usage_rub: 2 },
      { request_id: 'b', ledger_rub: 2, usage_rub: 1 },
    ];
    expect(await ask('dual-meter', { pairs })).toMatchObject({
      verdict: 'MISMATCH',
      difference_rub: 0,
      mismatched: ['a', 'b'],
    });
  });

  it('ledger_is_authoritative: no replay without it; beyond tolerance a DISCREPANCY', async () => {
    expect(await ask('replay', { usage_rub: 5 })).toMatchObject({
      verdict: 'CANNOT_CERTIFY',
      needed: ['ledger_rub'],
      ...declared,
    });
    const stated = { ledger_rub: 5.000001, usage_rub: 5 };
    expect(await ask('replay', stated)).toMatchObject({ verdict: 'DISCREPANCY' });
    expect(await ask('replay', { ...stated, tolerance_rub: 0.000001 })).toMatchObject({
      verdict: 'RECONCILED',
      difference_rub: 0.000001,
    });
  });
});

describe('figures that contradict each other', () => {
  const faults = async (path: string, body: object) => {
    const answer = await rest<{ error?: { faults: { path: string }[] }; verdict?: string }>(
      app,
      'POST',
      `/v1/gw/billing-integrity/${path}/what-if`,
      { body },
    );
    return answer.body.error?.faults.map((each) => each.path) ?? answer.body.verdict;
  };

  it('are refused, each by its name, and nothing is certified from them', async () => {
    const counts = { ledger_charges: 5, usage_rows: 5 };
    expect(await faults('completeness', { ...counts, orphans: 11 })).toEqual(['orphans']);
    expect(await faults('completeness', { ...counts, doubles: 11 })).toEqual(['doubles']);
    expect(await faults('completeness', { ...counts, orphans: 1 })).toEqual(['orphans']);
    expect(await faults('completeness', { ...counts, orphans: 2 })).toBe('INCOMPLETE');
    expect(await faults('completeness', { ...counts, orphans: -1 })).toEqual(['orphans']);
    const pair = { request_id: 'a', ledger_rub: 1, usage_rub: 1 };
    const sums = { pairs: [pair, pair], ledger_rub: 3, usage_rub: 2 };
    expect(await faults('dual-meter', sums)).toEqual(['ledger_rub', 'pairs.1.request_id']);
    expect(await faults('dual-meter', { pairs: [pair], ledger_rub: 1 })).toBe('MATCHED');
    const replay = { ledger_rub: 5, usage_rub: 9, tolerance_rub: 5 };
    expect(await faults('replay', replay)).toEqual(['tolerance_rub']);
    expect(await faults('replay', { ...replay, tolerance_rub: -1 })).toEqual(['tolerance_rub']);
  });

  it('and amounts of nothing certify nothing', async () => {
    const nothing = { ledger_rub: 0, usage_rub: 0 };
    expect(await faults('dual-meter', nothing)).toBe('CANNOT_CERTIFY');
    expect(await faults('replay', nothing)).toBe('CANNOT_CERTIFY');
    expect(await faults('replay', { ledger_rub: 0, usage_rub: 1 })).toBe('DISCREPANCY');
  });
});

describe('the reference', () => {
  it('is public and publishes the checks and hard rules that the answers name', async () => {
    const { status, body } = await rest<{
      checks: { code: string }[];
      hard_rules: { code: string }[];
    }>(app, 'GET', '/v1/gw/billing-integrity/reference');
    expect(status).toBe(200);
    expect(body.checks.map(({ code }) => code)).toEqual([
      'completeness',
      'dual_meter',
      'replay',
      'rows',
    ]);
    expect(body.hard_rules.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['two_independent_traces', 'empty_is_cannot_certify']),
    );
  });
});
