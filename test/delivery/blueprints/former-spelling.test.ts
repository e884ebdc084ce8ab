import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { seal } from '../../../src/records/receipts.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import type { WireRun } from './wire.js';

let app: TestApp;
let owner: Customer;
let stranger: Customer;
beforeAll(async () => {
  app = await startApp();
  [owner, stranger] = [await newCustomer(app), await newCustomer(app)];
});
afterAll(() => app.stop());

const HASH = 'ab'.repeat(32);
const REQUEST = newId('Request');

/** A step as it was kept when money was spelt in micro-rubles and a step by its `id`. */
const OLD_STEP = {
  id: 'classify',
  type: 'llm',
  title: 'Тема',
  status: 'completed',
  reason: null,
  error_code: null,
  fallback: true,
  attempts: [
    { model: 'a/one', request_id: null, cost_micro: '0', error_code: 'upstream_timeout' },
    { model: 'a/two', request_id: REQUEST, cost_micro: '1250000', error_code: null },
  ],
  routing: {
    requested_model: 'a/two',
    model: 'a/two',
    provider: 'a',
    jurisdiction: 'rf',
    strategy: 'explicit',
    simulated: true,
    failed_calls: 0,
  },
  firewall: {
    verdict: 'masked',
    data_class: 'personal',
    findings: [{ class: 'phone', count: 2, confidence: 'high' }],
  },
  cost_micro: '1250000',
  latency_ms: 12,
  // What a customer's model answered keeps its own names.
  output: { id: 'x', cost_micro: '7' },
  output_truncated: false,
  output_valid: true,
};

const OLD_RESULT = {
  event: 'ticket_sorted',
  unit: 'обращение',
  achieved: true,
  not_achieved_because: [],
  quantity: 2,
  quantity_provenance: 'estimated',
  minutes_saved: 6,
  minutes_saved_provenance: 'declared',
  cost_per_unit_micro: '625000',
  facts: null,
  simulated: true,
};

const RUN_ID = newId('BlueprintRun');
const FACTS = {
  run_id: RUN_ID,
  blueprint_id: 'support-ticket-triage',
  blueprint_version: '1.0.0',
  manifest_hash: HASH,
};

async function sealed(kind: string, key: string, content: Parameters<typeof seal>[3]) {
  const scope = { services: app.server.services, who: { tenantId: owner.tenantId } };
  return (await seal(scope, kind, key, content)).receipt;
}

async function receiptShown(id: string, fields: string, { token }: Customer = owner) {
  const query = `query($id: String!) {
    receipt(id: $id) { __typename content ${fields} }
    receiptVerification(id: $id) { valid chainValid }
  }`;
  const { data, errors } = await graphql<{ receipt: object; receiptVerification: object }>(
    app,
    query,
    { id },
    token,
  );
  return errors ?? [data.receipt, data.receiptVerification];
}

const HOLDS = { valid: true, chainValid: true };

describe('what was sealed under earlier names', () => {
  it('of a step is read under those of today, and its hash still holds', async () => {
    const content = { ...FACTS, step: OLD_STEP };
    const { id } = await sealed('blueprint_step', `${RUN_ID}:classify`, content);
    const fields = `... on BlueprintStepReceipt {
      runId manifestHash
      step { step status costRub latencyMs attempts { model costRub errorCode } output }
    }`;
    expect(await receiptShown(id, fields)).toEqual([
      {
        __typename: 'BlueprintStepReceipt',
        content,
        runId: RUN_ID,
        manifestHash: HASH,
        step: {
          step: 'classify',
          status: 'completed',
          costRub: '1.25',
          latencyMs: 12,
          attempts: [
            { model: 'a/one', costRub: '0.00', errorCode: 'upstream_timeout' },
            { model: 'a/two', costRub: '1.25', errorCode: null },
          ],
          output: OLD_STEP.output,
        },
      },
      HOLDS,
    ]);
    expect(await receiptShown(id, '', stranger)).toMatchObject([
      { extensions: { code: 'not_found' } },
    ]);
  });

  it('of a run is too, with nothing for what it did not say', async () => {
    const content = {
      ...FACTS,
      status: 'completed',
      simulated: true,
      input_source: 'example',
      cost_micro: '1250000',
      fallbacks: 1,
      business_result: OLD_RESULT,
      steps: [{ step: 'classify', sha256: HASH }],
    };
    const { id } = await sealed('blueprint_run', RUN_ID, content);
    const fields = `... on BlueprintRunReceipt {
      status failure inputSource costRub businessResult { proof quantity costPerUnitRub facts }
      steps { step sha256 }
    }`;
    expect(await receiptShown(id, fields)).toEqual([
      {
        __typename: 'BlueprintRunReceipt',
        content,
        status: 'completed',
        failure: null,
        inputSource: 'example',
        costRub: '1.25',
        businessResult: {
          proof: 'simulated',
          quantity: 2,
          costPerUnitRub: '0.625',
          facts: null,
        },
        steps: [{ step: 'classify', sha256: HASH }],
      },
      HOLDS,
    ]);
  });
});

describe('a run that was kept under earlier names', () => {
  it('is answered as those of today are', async () => {
    const receipt = { receipt_id: newId('SealedReceipt'), receipt_hash: HASH };
    await app.owner.prisma.blueprintRun.create({
      data: {
        id: RUN_ID,
        tenantId: owner.tenantId,
        blueprintId: 'support-ticket-triage',
        manifestHash: new Uint8Array(Buffer.from(HASH, 'hex')),
        status: 'completed',
        input: { source: 'given', values: { subject: 'Касса' } },
        steps: [{ ...OLD_STEP, ...receipt }],
        costMicro: 1_250_000n,
        fallbacks: 1,
        businessResult: OLD_RESULT,
        receiptId: receipt.receipt_id,
        requestedBy: owner.userId,
        startedAt: new Date('2026-01-31T09:00:00Z'),
      },
    });
    const path = `/v1/gw/blueprints/runs/${RUN_ID}`;
    const { body } = await rest<WireRun>(app, 'GET', path, { credential: owner.token });
    const { id: step, cost_micro: _cost, attempts, ...same } = OLD_STEP;
    const costs = [0, 1.25];
    const { cost_per_unit_micro: _each, ...result } = OLD_RESULT;
    expect(body).toEqual({
      id: RUN_ID,
      blueprint_id: 'support-ticket-triage',
      manifest_hash: HASH,
      status: 'completed',
      failure: null,
      simulated: true,
      input_source: 'given',
      erased: false,
      input: { subject: 'Касса' },
      steps: [
        {
          ...same,
          step,
          cost_rub: 1.25,
          attempts: attempts.map(({ cost_micro: _none, ...each }, index) => ({
            ...each,
            cost_rub: costs[index],
          })),
          ...receipt,
        },
      ],
      cost_rub: 1.25,
      fallbacks: 1,
      business_result: { ...result, proof: 'simulated', checks: [], cost_per_unit_rub: 0.625 },
      receipt_id: receipt.receipt_id,
      requested_by: owner.userId,
      started_at: '2026-01-31T09:00:00.000Z',
      created_at: expect.any(String),
    });
    expect((await rest(app, 'GET', path, { credential: stranger.token })).status).toBe(404);
  });
});
