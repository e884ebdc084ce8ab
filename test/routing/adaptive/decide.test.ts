import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { ADAPTIVE, freshRequest } from './samples.js';

let app: LiveApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  customer = await newCustomer(app);
  other = await newCustomer(app);
});
afterAll(() => app.stop());

type Body = Record<string, unknown>;

const post = (path: string, body: Body, credential?: string) =>
  rest<Body>(app, 'POST', ADAPTIVE + path, { body, credential });
const read = (path: string, credential?: string) =>
  rest<Body>(app, 'GET', ADAPTIVE + path, { credential });

describe('a decision', () => {
  it('is sealed once for its request, and verifies as the same decision', async () => {
    const requestId = freshRequest();
    const racers = Array.from({ length: 8 }, (_, at) =>
      post('/decide', { request_id: requestId, input_tokens: 100 + at }, customer.key),
    );
    const sealed = await Promise.all(racers);
    expect(sealed.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(sealed.map(({ body }) => body.id)).size).toBe(1);
    expect(sealed.filter(({ body }) => body.already_sealed === false)).toHaveLength(1);
    const first = sealed.find(({ body }) => body.already_sealed === false);
    expect(first?.body).toMatchObject({
      request_id: requestId,
      seal_key: requestId,
      kind: 'adaptive_route',
      verdict: 'ROUTED',
      model: LIVE,
      commercial_influence: 'none',
      inputs: { seed: requestId, situation: { terms: { origin: 'DEFAULT' } } },
    });
    const id = String(first?.body.id);
    expect((await read(`/receipts/${id}/verify`, customer.token)).body).toEqual({
      valid: true,
      hash: first?.body.sha256,
      recomputed_hash: first?.body.sha256,
      chain_valid: true,
      erased: false,
      decision_identical: true,
      differences: [],
    });
    const shown = await read(`/receipts/${id}`, customer.token);
    const { content: _, ...fields } = shown.body;
    expect(fields).toEqual({ ...first?.body, already_sealed: true });
    for (const path of [`/receipts/${id}`, `/receipts/${id}/verify`]) {
      expect((await read(path, other.token)).status).toBe(404);
      expect((await read(path)).status).toBe(401);
    }
    expect((await read('/receipts/7', customer.token)).body).toMatchObject({
      error: { code: 'invalid_receipt_id' },
    });
    const own = await post('/decide', { request_id: requestId }, other.key);
    expect(own.body.already_sealed).toBe(false);
  });

  it('obeys the contract from the next one on, and the policy of the caller', async () => {
    const decided = async (body: Body = {}) =>
      (
        await post(
          '/decide',
          { request_id: freshRequest(), use_case: 'strict', ...body },
          customer.key,
        )
      ).body;
    expect(await decided()).toMatchObject({ model: LIVE });
    const terms = { contract_key: 'strict', mode: 'FIXED', pinned_model: 'sandbox/gw-mini' };
    await post('/contracts', terms, customer.token);
    expect(await decided()).toMatchObject({
      model: 'sandbox/gw-mini',
      inputs: { situation: { terms: { origin: 'CONTRACT', contract_version: 1, mode: 'FIXED' } } },
    });
    const policy = { name: 'only live', allowed_models: [LIVE] };
    const credential = customer.token;
    const made = await rest<{ id: string }>(app, 'POST', '/v1/gw/policies', {
      credential,
      body: policy,
    });
    expect(made.status).toBe(200);
    const closed = await decided();
    expect([closed.verdict, closed.model]).toEqual(['CANNOT_ROUTE', null]);
    const rejections = Object.fromEntries(
      (closed.candidates as Body[]).map(({ model, rejection }) => [model, rejection]),
    );
    expect(rejections).toMatchObject({ [LIVE]: 'not_pinned', 'sandbox/gw-mini': 'not_allowed' });
    await rest(app, 'DELETE', `/v1/gw/policies/${made.body.id}`, { credential });
  });

  it('that somebody has changed in the database is named by its verification', async () => {
    const { body } = await post('/decide', { request_id: freshRequest() }, other.key);
    const { pool } = app.owner;
    await pool.query('ALTER TABLE sealed_receipt DISABLE TRIGGER USER');
    const { rows } = await pool.query<{ name: string }>(
      `SELECT conname AS name FROM pg_constraint
       WHERE conrelid = 'sealed_receipt'::regclass AND contype = 'c'`,
    );
    for (const { name } of rows) {
      await pool.query(`ALTER TABLE sealed_receipt DROP CONSTRAINT ${name}`);
    }
    const change = async (from: string, to: string) => {
      const text = `UPDATE sealed_receipt SET content = replace(content, $2, $3) WHERE id = $1`;
      expect((await pool.query(text, [body.id, from, to])).rowCount).toBe(1);
      return (await read(`/receipts/${body.id}/verify`, other.token)).body;
    };
    const chosen = `"model":"${LIVE}","quality_floor`;
    const forged = `"model":"sandbox/gw-mini","quality_floor`;
    expect(await change(chosen, forged)).toMatchObject({
      valid: false,
      decision_identical: false,
      differences: [{ path: 'model', sealed: '"sandbox/gw-mini"', recomputed: `"${LIVE}"` }],
    });
    expect(await change(forged, chosen)).toMatchObject({ valid: true, decision_identical: true });
    const moved = await change('"mode":"COST_CONTROLLED"', '"mode":"ASSURED"');
    expect(moved).toMatchObject({ valid: false, decision_identical: false });
    expect(JSON.stringify(moved.differences)).toContain('situation_sha256');
    expect(await change('{', 'broken {')).toMatchObject({
      valid: false,
      decision_identical: false,
      differences: [{ path: 'inputs' }],
    });
  });
});
