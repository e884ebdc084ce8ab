import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { compareMigration, newScanned, read } from './steps.js';

let app: LiveApp;
let owner: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  app.double.script('live', { text: 'The number' });
  owner = await newCustomer(app, 500);
});
afterAll(() => app?.stop());

function compare(id: string, body: Record<string, unknown>, customer = owner) {
  return compareMigration(app, customer, id, body);
}

/** A set of which `passing` items pass: the model answers everything with the same text. */
function evaluationSet(passing: number, failing = 0) {
  const item = (index: number, passes: boolean) => ({
    input: `Number ${index}`,
    expect: passes ? { contains: 'number' } : { equals: 'something else' },
  });
  return [
    ...Array.from({ length: passing }, (_, index) => item(index, true)),
    ...Array.from({ length: failing }, (_, index) => item(passing + index, false)),
  ];
}

describe('a comparison with an evaluation set', () => {
  it('really runs it: billed requests under the feature of the migration', async () => {
    const customer = await newCustomer(app, 500);
    const id = await newScanned(app, customer, { migration_key: 'with-set' });
    const { body } = await compare(
      id,
      { source_cost_per_1m_rub: 120, evaluation_set: evaluationSet(19, 1), source_quality: 0.9 },
      customer,
    );
    const receipt = body.migration_receipt;
    expect(receipt).toMatchObject({
      route_chosen_by: 'evaluation',
      route_model: LIVE,
      quality: 'measured',
      quality_delta: 'same_within_interval',
      quality_delta_percent: 5,
      quality_evidence: {
        items: 20,
        ran: 20,
        passed: 19,
        share: 0.95,
        interval_low: 0.7639,
        interval_high: 0.9911,
        source_share: 0.9,
        source_provenance: 'declared',
      },
      latency: { verdict: 'measured_by_evaluation', samples: 20, provenance: 'live_measured' },
      provenance: expect.objectContaining({ quality: 'live_measured', latency: 'live_measured' }),
    });
    expect(receipt.evaluation?.results.map(({ passed }) => passed)).toEqual([
      ...Array.from({ length: 19 }, () => true),
      false,
    ]);
    await expect
      .poll(async () => {
        const usage = await rest<{ data: { request_id: string; cost_rub: number }[] }>(
          app,
          'GET',
          '/usage?feature=migration:with-set&limit=200',
          { credential: customer.token },
        );
        return usage.body.data.map(({ request_id }) => request_id).sort();
      })
      .toEqual(receipt.evaluation?.results.map(({ request_id }) => request_id).sort());
    const balance = await rest<{ available_rub: number }>(app, 'GET', '/billing/balance', {
      credential: customer.token,
    });
    expect(receipt.evaluation?.cost_rub).toBeGreaterThan(0);
    expect(balance.body.available_rub).toBeCloseTo(500 - (receipt.evaluation?.cost_rub ?? 0), 6);
  });

  it('judges the source by the same expectations where its outputs are given', async () => {
    const set = evaluationSet(20).map((item, index) => ({
      ...item,
      source_output: index < 5 ? 'a number' : 'no idea',
    }));
    const { body } = await compare(await newScanned(app, owner), {
      source_cost_per_1m_rub: 120,
      evaluation_set: set,
    });
    expect(body.migration_receipt).toMatchObject({
      quality_delta: 'better',
      quality_delta_percent: 75,
      quality_evidence: expect.objectContaining({ source_share: 0.25 }),
    });
  });

  it('cannot compare quality when nothing is known of the source', async () => {
    const { body } = await compare(await newScanned(app, owner), {
      source_cost_per_1m_rub: 120,
      evaluation_set: evaluationSet(20),
    });
    expect(body.migration_receipt).toMatchObject({
      quality: 'measured',
      quality_delta: 'cannot_compare',
      quality_delta_percent: null,
      quality_evidence: expect.objectContaining({
        needed: ['source_quality, or source_output for every item'],
      }),
    });
  });

  it('is not conclusive on few items', async () => {
    const { body } = await compare(await newScanned(app, owner), {
      source_cost_per_1m_rub: 120,
      evaluation_set: evaluationSet(3),
    });
    expect(body.migration_receipt).toMatchObject({
      quality: 'not_conclusive',
      quality_delta: 'not_measured',
    });
  });

  it('holds when the quality is worse than that of the source', async () => {
    const { body } = await compare(await newScanned(app, owner), {
      source_cost_per_1m_rub: 120,
      evaluation_set: evaluationSet(10, 10),
      source_quality: 0.95,
    });
    expect(body.status).toBe('compared');
    expect(body.migration_receipt).toMatchObject({
      quality_delta: 'worse',
      cutover_decision: 'hold',
    });
  });

  it('asks for structured output where a schema is expected', async () => {
    const schema = {
      type: 'object',
      properties: { sum: { type: 'integer' } },
      required: ['sum'],
      additionalProperties: false,
    };
    app.double.script('live', { text: '{"sum": 4}' });
    const { body } = await compare(await newScanned(app, owner), {
      source_cost_per_1m_rub: 120,
      evaluation_set: [
        {
          messages: [
            { role: 'system', content: 'Add.' },
            { role: 'user', content: '2 + 2' },
          ],
          expect: { json_schema: schema },
        },
      ],
    });
    expect(body.migration_receipt.evaluation?.results).toEqual([
      {
        index: 0,
        passed: true,
        request_id: expect.any(String),
        error_code: null,
        simulated: false,
        use_case: null,
        echo: false,
        proves_nothing: false,
        source_passed: null,
      },
    ]);
    expect(JSON.parse(app.double.received('live').at(-1)?.body ?? '')).toMatchObject({
      response_format: { json_schema: { schema } },
    });
    app.double.script('live', { text: 'The number' });
  });

  it('that cannot be paid is not conclusive, and names why', async () => {
    const poor = await newCustomer(app);
    const { status, body } = await compare(
      await newScanned(app, poor),
      { source_cost_per_1m_rub: 120, evaluation_set: evaluationSet(20) },
      poor,
    );
    expect(status).toBe(200);
    expect(body.migration_receipt).toMatchObject({
      quality: 'not_conclusive',
      evaluation: expect.objectContaining({ cost_rub: 0 }),
      quality_evidence: expect.objectContaining({
        ran: 0,
        share: null,
        reason: '20 of 20 items could not be run: insufficient_balance',
      }),
    });
  });

  it('seals nothing as measured where any answer would pass', async () => {
    const forged = [{ contains: ' ' }, { json_schema: {} }].map((expect_, kind) =>
      Array.from({ length: 20 }, (_none, index) => ({
        input: `Tell ${index}`,
        expect: expect_,
        source_output: kind === 0 ? 'a b' : '{}',
      })),
    );
    for (const evaluation_set of forged) {
      const id = await newScanned(app, owner);
      const { body } = await compare(id, { source_cost_per_1m_rub: 120, evaluation_set });
      expect(body.migration_receipt).toMatchObject({
        quality: 'not_conclusive',
        quality_evidence: { items: 20, passed: 0, echo_items: expect.any(Number) },
        cutover_decision: 'conditional',
      });
      const found = body.migration_receipt.evaluation?.results ?? [];
      expect(found.map((each) => (each as Record<string, unknown>).proves_nothing)).toEqual(
        Array(20).fill(true),
      );
    }
  });

  it('keeps no prompt and no answer', async () => {
    const id = await newScanned(app, owner);
    const canary = 'canary-7f3a';
    await compare(id, {
      source_cost_per_1m_rub: 120,
      evaluation_set: [{ input: canary, expect: { contains: canary }, source_output: canary }],
    });
    expect(JSON.stringify(await read(app, owner.token, id))).not.toContain(canary);
    const { prisma } = app.owner;
    const receipts = await prisma.sealedReceipt.findMany({ where: { tenantId: owner.tenantId } });
    expect(receipts.length).toBeGreaterThan(0);
    expect(receipts.map(({ content }) => content).join()).not.toContain(canary);
  });
});
