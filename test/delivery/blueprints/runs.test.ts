import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtIns } from '../../../src/delivery/blueprints/catalogue.js';
import { formatRub } from '../../../src/kernel/money.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { charged, micro, requestIds, run } from './wire.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app.stop());

/** An amount of the wire as receipts spell it. */
function rubles(amount: number): string {
  return formatRub(BigInt(micro(amount)));
}

async function sealed(customer: Customer, id: string) {
  const { data } = await graphql<{
    receipt: { kind: string; sealKey: string; sha256: string; content: Record<string, unknown> };
    receiptVerification: { valid: boolean; chainValid: boolean };
  }>(
    app,
    `query($id: String!) {
      receipt(id: $id) { kind sealKey sha256 content }
      receiptVerification(id: $id) { valid chainValid }
    }`,
    { id },
    customer.token,
  );
  expect(data.receiptVerification).toEqual({ valid: true, chainValid: true });
  return data.receipt;
}

describe('a sandbox run really runs the steps through the pipeline of the gateway', () => {
  it.each(builtIns().map((manifest) => [manifest.id, manifest] as const))(
    '%s completes with its example, its personal data are found, and its cost is the ledger’s',
    async (id, manifest) => {
      const { status, body } = await run(app, owner, id);
      expect([status, body.status, body.simulated, body.input_source]).toEqual([
        200,
        'completed',
        true,
        'example',
      ]);
      expect(body.steps.map(({ step }) => step)).toEqual(manifest.steps.map((step) => step.id));
      const asked = body.steps.filter(({ type, status }) => type === 'llm' && status !== 'skipped');
      expect(asked.length).toBeGreaterThan(0);
      for (const step of asked) {
        expect(step).toMatchObject({ output_valid: true, fallback: false, error_code: null });
      }
      const found = new Set(
        asked.flatMap(({ firewall }) => (firewall?.findings ?? []).map((each) => each.class)),
      );
      expect(manifest.personal_data.filter((each) => !found.has(each))).toEqual([]);
      expect(await charged(app, owner, requestIds(body))).toBe(micro(body.cost_rub));
      expect(micro(body.cost_rub)).toBeGreaterThan(0);
      expect(body.cost_rub).toBeLessThan(manifest.policies.budget.run_rub_max);
    },
  );

  it('reports its cost by the feature of the blueprint and the given client', async () => {
    const { body } = await run(app, owner, 'support-ticket-triage', {
      metadata: { client_id: 'client-9' },
    });
    const usage = await rest<{ data: Record<string, unknown>[] }>(
      app,
      'GET',
      '/usage?feature=blueprint.support-ticket-triage&client_id=client-9',
      { credential: owner.token },
    );
    expect(usage.body.data).toEqual([
      expect.objectContaining({
        request_id: requestIds(body)[0],
        environment: 'sandbox',
        simulated: true,
      }),
    ]);
  });

  it('runs the input that is given, and each decision follows from it', async () => {
    const offers = [
      { supplier: 'А', price_rub: 100, delivery_days: 3, terms: 'Постоплата.' },
      { supplier: 'Б', price_rub: 80, delivery_days: 9, terms: 'Аванс.' },
    ];
    const { body } = await run(app, owner, 'procurement-offer-comparison', {
      input: { subject: 'Бумага', offers },
    });
    const outputs = Object.fromEntries(body.steps.map(({ step, output }) => [step, output]));
    expect(body.input_source).toBe('given');
    expect(outputs.prices).toEqual({
      cheapest: offers[1],
      fastest: offers[0],
      spread_percent: 20,
      offers: 2,
    });
    expect(outputs.manager).toEqual({
      decision: 'not_required',
      reasons: [],
      approver: 'Руководитель закупок',
    });
    expect(body.business_result).toEqual({
      event: 'offers_compared',
      unit: 'закупка',
      proof: 'simulated',
      checks: expect.arrayContaining([
        expect.objectContaining({ code: 'terms_known', result: 'held', proves: false }),
      ]),
      achieved: false,
      not_achieved_because: ['a simulated model answered'],
      quantity: 0,
      quantity_provenance: 'estimated',
      minutes_saved: 0,
      minutes_saved_provenance: 'declared',
      cost_per_unit_rub: null,
      facts: { cheapest: offers[1], spread_percent: 20, approval: 'not_required' },
      simulated: true,
    });
  });

  it('leaves out the step whose condition does not hold, and asks no model for it', async () => {
    const documents = [{ id: 'A', title: 'Доступ', text: 'Доступ выдаёт администратор.' }];
    const { body } = await run(app, owner, 'rag-knowledge-assistant', {
      input: { question: 'Какая погода завтра?', documents },
    });
    expect(body).toMatchObject({ status: 'completed', cost_rub: 0, fallbacks: 0 });
    expect(body.steps[1]).toMatchObject({
      step: 'answer',
      status: 'skipped',
      reason: 'its condition does not hold: steps.search.found above 0',
      attempts: [],
    });
    expect(body.business_result).toMatchObject({
      achieved: false,
      quantity: 0,
      cost_per_unit_rub: null,
      proof: 'not_proved',
      not_achieved_because: [
        'steps.answer.answered equals true',
        'steps.check.passed equals true',
        'no check proves the content',
      ],
    });
  });

  it('keeps no personal data of the input or of the answers', async () => {
    const { body } = await run(app, owner, 'employee-assistant');
    const listed = await rest(app, 'GET', `/v1/gw/blueprints/runs/${body.id}`, {
      credential: owner.token,
    });
    expect(listed.body).toEqual(body);
    const kept = JSON.stringify([body.input, body.steps.map(({ output }) => output)]);
    expect(kept).not.toMatch(/915|ivanov@|123456|112-233|5555/);
  });
});

describe('a receipt per step', () => {
  it('is sealed for each step, and the receipt of the run names them by hash', async () => {
    const { body } = await run(app, owner, 'support-ticket-reply');
    for (const step of body.steps) {
      const receipt = await sealed(owner, step.receipt_id);
      expect(receipt).toMatchObject({
        kind: 'blueprint_step',
        sealKey: `${body.id}:${step.step}`,
        sha256: step.receipt_hash,
        content: { run_id: body.id, manifest_hash: body.manifest_hash },
      });
      const { receipt_id: _id, receipt_hash: _hash, ...kept } = step;
      expect(receipt.content.step).toEqual({
        ...kept,
        cost_rub: rubles(step.cost_rub),
        attempts: step.attempts.map((each) => ({ ...each, cost_rub: rubles(each.cost_rub) })),
      });
    }
    const whole = await sealed(owner, body.receipt_id);
    expect(whole).toMatchObject({ kind: 'blueprint_run', sealKey: body.id });
    expect(whole.content).toEqual({
      run_id: body.id,
      blueprint_id: 'support-ticket-reply',
      blueprint_version: '2.1.0',
      manifest_hash: body.manifest_hash,
      status: 'completed',
      failure: null,
      simulated: true,
      input_source: 'example',
      cost_rub: rubles(body.cost_rub),
      fallbacks: 0,
      business_result: expect.objectContaining({ event: 'ticket_deflected' }),
      steps: body.steps.map(({ step, receipt_hash }) => ({ step, sha256: receipt_hash })),
    });
  });
});

describe('tools', () => {
  it('are judged by the action policy of the contract in force, and never called', async () => {
    const customer = await newCustomer(app, 500);
    const body = { tool_key: 'helpdesk.tickets', verbs: ['assign'], requires_approval: true };
    const registered = await rest(app, 'POST', '/v1/gw/tools/register', {
      credential: customer.token,
      body,
    });
    expect(registered.status).toBe(200);
    const ran = await run(app, customer, 'support-ticket-triage');
    expect(ran.body.steps.at(-1)).toMatchObject({
      step: 'assign',
      output: { decision: 'needs_approval', guard: 'contract_requires_approval', verb: 'assign' },
    });
    const calls = await rest<{ data: object[] }>(app, 'GET', '/v1/gw/tools/calls', {
      credential: customer.token,
    });
    expect(calls.body.data).toEqual([]);
  });
});
