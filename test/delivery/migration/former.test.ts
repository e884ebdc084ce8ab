import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seal } from '../../../src/records/receipts.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { type Compared, compareMigration, newScanned, PROJECTS } from './steps.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app?.stop());

/** A comparison as the first were sealed: quality in one object, simulated answers not told. */
const FORMER = {
  migration_id: '01977c2a-5b1e-7028-8000-3f2b9c4d5e6f',
  migration_key: 'former',
  number: 1,
  target_model: 'gw:auto',
  route_model: 'house/chat',
  route_chosen_by: 'evaluation',
  price_day: '2026-01-02',
  input_share: 0.75,
  source_cost_per_1m_rub: '120',
  route_cost_per_1m_rub: '12.5',
  cost_delta_percent: -89.58,
  monthly_tokens: '2000000',
  monthly_delta_rub: '-215',
  quality: {
    verdict: 'not_conclusive',
    reason: '1 items are fewer than the 20 that a verdict needs',
    needed: ['evaluation_set with at least 20 items'],
    items: 1,
    ran: 1,
    passed: 1,
    share: 1,
    interval_low: 0.2065,
    interval_high: 1,
    source_share: 0.9,
    source_provenance: 'declared',
    delta: 'not_measured',
    delta_percent: null,
  },
  evaluation: {
    sha256: 'ab'.repeat(32),
    cost_rub: '0.5',
    results: [
      {
        index: 0,
        passed: true,
        request_id: '01977c2a-5b1e-7009-8000-3f2b9c4d5e6f',
        error_code: null,
      },
    ],
  },
  latency: {
    verdict: 'not_measured',
    reason: '1 requests are fewer than the 20 that a percentile needs',
    samples: 1,
    p50_ms: null,
    p95_ms: null,
    provenance: null,
    source_latency_ms: 300,
  },
  score: 95,
  cutover_decision: 'conditional',
  decided_by: 'quality_unknown',
  reasons: [{ rule: 'quality_unknown', outcome: 'conditional', reason: 'not conclusive' }],
  provenance: {
    source_cost: 'declared',
    route_cost: 'declared',
    cost_delta: 'estimated',
    quality: 'live_measured',
    latency: null,
  },
};

describe('a comparison', () => {
  it('that was sealed under earlier names reads as one of today, and verifies', async () => {
    const id = await newScanned(app, owner);
    const { services } = app.server;
    const scope = { services, who: { tenantId: owner.tenantId } };
    const { receipt } = await seal(scope, 'migration_comparison', `${id}:1`, FORMER);
    const data = { receiptId: receipt.id };
    await app.owner.prisma.providerMigration.update({ where: { id }, data });
    const path = `${PROJECTS}/${id}/receipt`;
    const { body } = await rest<Compared>(app, 'GET', path, { credential: owner.token });
    const { quality, evaluation, ...same } = FORMER;
    const { verdict, delta, delta_percent, ...evidence } = quality;
    const { migration_id, migration_key, monthly_tokens, score, decided_by, ...shown } = same;
    expect(body.migration_receipt).toEqual({
      ...shown,
      id: receipt.id,
      sha256: Buffer.from(receipt.sha256).toString('hex'),
      sealed_at: receipt.createdAt.toISOString(),
      simulated: false,
      erased: false,
      source_cost_per_1m_rub: 120,
      route_cost_per_1m_rub: 12.5,
      monthly_delta_rub: -215,
      price_rows: null,
      price_change_rub: null,
      quality: verdict,
      quality_delta: delta,
      quality_delta_percent: delta_percent,
      quality_evidence: {
        ...evidence,
        echo_items: null,
        proves_nothing_items: null,
        source_passed: null,
        difference_low: null,
        difference_high: null,
      },
      evidence: null,
      evaluation: {
        ...evaluation,
        simulated: false,
        cost_rub: 0.5,
        results: [
          {
            ...evaluation.results[0],
            simulated: false,
            echo: null,
            proves_nothing: null,
            source_passed: null,
            use_case: null,
          },
        ],
      },
    });
    const verified = await graphql(
      app,
      'query($id: String!) { receiptVerification(id: $id) { valid chainValid } }',
      { id: receipt.id },
      owner.token,
    );
    expect(verified.data).toEqual({ receiptVerification: { valid: true, chainValid: true } });
    const next = await compareMigration(app, owner, id, {
      source_cost_per_1m_rub: 120,
    });
    expect(next.body.migration_receipt.number).toBe(2);
  });
});
