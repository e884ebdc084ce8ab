import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, newPolicy, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import {
  compareMigration,
  makeReady,
  newMigration,
  newScanned,
  PROJECTS,
  read,
  step,
} from './steps.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app?.stop());

function compare(id: string, body: Record<string, unknown>, customer = owner) {
  return compareMigration(app, customer, id, body);
}

/** The month to come, in which no price row begins. */
const MONTH = {
  monthly_delta_rub: -215,
  price_rows: [
    {
      deployment: 'sandbox:sandbox/gw-mini',
      effective_from: '2026-01-01',
      from_day: expect.any(String),
      until_day: expect.any(String),
      repriced_rub: 0,
      unpriced: [],
      change_rub: 0,
    },
  ],
  price_change_rub: 0,
};

describe('a comparison without an evaluation set', () => {
  it('computes the cost from both prices, and quality is not_measured', async () => {
    const id = await newScanned(app, owner);
    const { status, body } = await compare(id, {
      source_cost_per_1m_rub: 120,
      monthly_tokens: 2_000_000,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      migration_key: expect.any(String),
      status: 'compared',
      migration_receipt: {
        id: expect.any(String),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        number: 1,
        target_model: 'gw:auto',
        route_model: 'sandbox/gw-mini',
        route_chosen_by: 'route_choice',
        simulated: true,
        price_day: expect.any(String),
        input_share: 0.75,
        source_cost_per_1m_rub: 120,
        route_cost_per_1m_rub: 12.5,
        cost_delta_percent: -89.58,
        ...MONTH,
        quality: 'not_measured',
        quality_delta: 'not_measured',
        quality_delta_percent: null,
        quality_evidence: {
          reason: 'no evaluation set was given, so nothing was run',
          needed: ['evaluation_set with at least 20 items'],
          items: 0,
          ran: 0,
          passed: 0,
          share: null,
          interval_low: null,
          interval_high: null,
          source_share: null,
          source_provenance: null,
          ...{ echo_items: 0, proves_nothing_items: 0 },
          source_passed: null,
          difference_low: null,
          difference_high: null,
        },
        evidence: ['live_requests', 'evaluation_items', 'source_outputs'].map((minimum) => ({
          ...{ use_case: null, minimum },
          required: 20,
          found: 0,
          provenance: minimum === 'source_outputs' ? 'declared' : null,
        })),
        evaluation: null,
        latency: expect.objectContaining({ p50_ms: null, source_latency_ms: null }),
        cutover_decision: 'hold',
        reasons: [
          expect.objectContaining({ rule: 'simulated_route', outcome: 'hold' }),
          expect.objectContaining({ rule: 'quality_unknown', outcome: 'conditional' }),
          expect.objectContaining({ rule: 'evidence_short', outcome: 'conditional' }),
        ],
        provenance: {
          source_cost: 'declared',
          route_cost: 'declared',
          cost_delta: 'estimated',
          quality: null,
          latency: null,
        },
        erased: false,
        sealed_at: expect.any(String),
      },
    });
  });

  it('follows the stated mix and the stated model', async () => {
    const id = await newScanned(app, owner);
    const { body } = await compare(id, {
      source_cost_per_1m_rub: 100,
      model: 'sandbox/gw-pro',
      input_share: 0.5,
    });
    expect(body.migration_receipt).toMatchObject({
      target_model: 'sandbox/gw-pro',
      route_model: 'sandbox/gw-pro',
      route_cost_per_1m_rub: 80,
      cost_delta_percent: -20,
    });
  });

  it('prices embeddings by their input alone', async () => {
    const { id } = await newMigration(app, owner.token);
    const used = { used_capabilities: ['embeddings'] };
    await step(app, owner.token, { id, path: 'compatibility-scan', body: used });
    const { body } = await compare(id, { source_cost_per_1m_rub: 10 });
    expect(body.migration_receipt).toMatchObject({
      route_model: 'sandbox/gw-embed',
      input_share: 1,
      route_cost_per_1m_rub: 5,
      cost_delta_percent: -50,
    });
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['cost_increase', 'the route is much dearer', { source_cost_per_1m_rub: 1 }],
    ['cost_increase', 'the source is nearly free', { source_cost_per_1m_rub: 0.01 }],
  ])('holds by the rule %s when %s', async (rule, _why, figures) => {
    const id = await newScanned(app, owner);
    const { body } = await compare(id, figures);
    expect(body.status).toBe('compared');
    expect(body.migration_receipt.cutover_decision).toBe('hold');
    expect(body.migration_receipt.reasons).toContainEqual(
      expect.objectContaining({ rule, outcome: 'hold' }),
    );
  });

  it('holds without a scan, and with a blocking gap', async () => {
    const { id } = await newMigration(app, owner.token);
    const unscanned = await compare(id, { source_cost_per_1m_rub: 120 });
    expect(unscanned.body.status).toBe('compared');
    expect(unscanned.body.migration_receipt.reasons).toEqual(
      expect.arrayContaining([expect.objectContaining({ rule: 'no_scan', outcome: 'hold' })]),
    );
    const audio = { used_capabilities: ['audio'] };
    await step(app, owner.token, { id, path: 'compatibility-scan', body: audio });
    const blocked = await compare(id, { source_cost_per_1m_rub: 120 });
    expect(blocked.body.migration_receipt).toMatchObject({
      number: 2,
      cutover_decision: 'hold',
      route_model: null,
      route_cost_per_1m_rub: null,
      cost_delta_percent: null,
    });
  });
});

describe('latency', () => {
  it('is that of recorded requests, and says where they are simulated', async () => {
    const customer = await newCustomer(app, 500);
    for (let count = 0; count < 20; count += 1) await chat(app, customer.key);
    const id = await newScanned(app, customer);
    await expect
      .poll(async () => {
        const figures = { source_cost_per_1m_rub: 120, source_latency_ms: 3_600_000 };
        const { body } = await compare(id, figures, customer);
        return body.migration_receipt.latency;
      })
      .toEqual({
        verdict: 'simulated',
        reason: 'nearest rank over 20 requests',
        samples: 20,
        p50_ms: expect.any(Number),
        p95_ms: expect.any(Number),
        provenance: null,
        source_latency_ms: 3_600_000,
      });
  });
});

describe('the receipt', () => {
  it('is sealed, and every comparison has its own', async () => {
    const id = await newScanned(app, owner);
    const first = await compare(id, { source_cost_per_1m_rub: 120 });
    const second = await compare(id, { source_cost_per_1m_rub: 120 });
    const receipts = [first, second].map(({ body }) => body.migration_receipt);
    expect(receipts.map(({ number }) => number)).toEqual([1, 2]);
    expect(receipts[0]?.id).not.toBe(receipts[1]?.id);
    for (const receipt of receipts) {
      const { data } = await graphql<{ receiptVerification: unknown; receipt: unknown }>(
        app,
        `query($id: String!) {
          receiptVerification(id: $id) { valid hash chainValid }
          receipt(id: $id) { kind sealKey content }
        }`,
        { id: receipt.id },
        owner.token,
      );
      expect(data).toEqual({
        receiptVerification: { valid: true, hash: receipt.sha256, chainValid: true },
        receipt: {
          kind: 'migration_comparison',
          sealKey: `${id}:${receipt.number}`,
          content: expect.objectContaining({
            cost_delta_percent: -89.58,
            cutover_decision: 'hold',
          }),
        },
      });
    }
  });

  it('comes with the rollback plan, and says why where there is none yet', async () => {
    const { id } = await newMigration(app, owner.token);
    const ask = () => rest(app, 'GET', `${PROJECTS}/${id}/receipt`, { credential: owner.token });
    const none = await ask();
    expect(none).toMatchObject({
      status: 200,
      body: {
        id,
        status: 'draft',
        migration_receipt: null,
        reason: `No comparison was made yet; POST /v1/gw/migration/projects/${id}/compare.`,
        rollback_plan: { base_url: 'https://api.openai.com/v1' },
      },
    });
    await makeReady(app, owner.token, id);
    const some = await ask();
    expect(some.body).toMatchObject({
      migration_receipt: { number: 1, cost_delta_percent: -89.58 },
      reason: null,
      rollback_plan: { base_url: 'https://api.openai.com/v1' },
    });
  });
});

describe('bad input', () => {
  it('is named in full, and nothing is run', async () => {
    const id = await newScanned(app, owner);
    const refused = await compare(id, {
      source_cost_per_1m_rub: 0,
      model: 'sandbox/gw-minn',
      evaluation_set: [{ input: 'x', expect: { equals: 'a', contains: 'b' } }],
      source_quality: 2,
      input_share: -1,
    });
    expect(outcome(refused)).toBe('400 invalid_request');
    expect(refused.body.error.faults?.map(({ path }) => path)).toEqual([
      'evaluation_set.0.expect',
      'source_cost_per_1m_rub',
      'source_quality',
      'input_share',
      'model',
    ]);
    expect(refused.body.error.message).toContain('sandbox/gw-mini');
    expect((await read(app, owner.token, id)).status).toBe('scanned');
  });

  it('needs the price of the source', async () => {
    const refused = await compare(await newScanned(app, owner), {});
    expect(outcome(refused)).toBe('400 invalid_request');
    expect(refused.body.error.param).toBe('source_cost_per_1m_rub');
  });

  it('a model that the policy forbids has no route: the comparison holds', async () => {
    const customer = await newCustomer(app, 500);
    await newPolicy(app, customer.token, { allowed_models: ['sandbox/gw-mini'] });
    const figures = { source_cost_per_1m_rub: 120, model: 'sandbox/gw-pro' };
    const { body } = await compare(await newScanned(app, customer), figures, customer);
    expect(body.migration_receipt).toMatchObject({ route_model: null, cutover_decision: 'hold' });
  });
});
