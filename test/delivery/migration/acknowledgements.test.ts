import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, newKey, newPolicy, outcome } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { compareMigration, newScanned, read, step } from './steps.js';

let app: LiveApp;
beforeAll(async () => {
  app = await startLiveApp();
});
afterAll(() => app?.stop());

async function answered({ token }: Customer, id: string): Promise<unknown> {
  const { cutover_checklist: items } = await read(app, token, id);
  return (items as { code: string }[]).find(({ code }) => code === 'live_traffic');
}

describe('a conditional cutover', () => {
  async function conditional(more: object = {}): Promise<{ customer: Customer; id: string }> {
    const customer = await newCustomer(app, 500);
    const policy = { name: 'production', hybrid: 'rf_only', budgets: { daily_rub: 100 } };
    await newPolicy(app, customer.token, policy);
    await chat(app, customer.key, 'Здравствуйте', { model: LIVE });
    const id = await newScanned(app, customer, { ...more });
    const { body } = await compareMigration(app, customer, id, { source_cost_per_1m_rub: 19 });
    expect(body.migration_receipt).toMatchObject({
      simulated: false,
      cutover_decision: 'conditional',
      reasons: [{ rule: 'quality_unknown' }, { rule: 'evidence_short' }, { rule: 'dearer' }],
    });
    await expect.poll(() => answered(customer, id)).toMatchObject({ done: true });
    return { customer, id };
  }

  const ACCEPTED = [
    { code: 'quality_unknown', reason: 'judged by hand' },
    { code: 'evidence_short', reason: 'the pilot was small' },
    { code: 'dearer', reason: 'worth it' },
  ];

  it('is refused with the conditions named until a member acknowledges each', async () => {
    const { customer, id } = await conditional();
    const ask = (acknowledgements: unknown, credential = customer.token) =>
      step<Record<string, unknown>>(app, credential, {
        id,
        path: 'cutover',
        body: { acknowledgements },
      });
    expect((await ask(undefined)).body).toMatchObject({
      decision: 'blocked',
      reason: 'conditions that no member has acknowledged: quality_unknown, evidence_short, dearer',
      open_conditions: ['quality_unknown', 'evidence_short', 'dearer'],
      acknowledgements: [],
      receipt_id: null,
      project: { status: 'ready' },
    });
    expect((await ask(ACCEPTED.slice(0, 2))).body).toMatchObject({
      decision: 'blocked',
      open_conditions: ['dearer'],
    });
    expect(outcome(await ask(ACCEPTED, customer.key))).toBe('403 acknowledgement_needs_member');
    const faulty = [{ code: 'no_scan', reason: ' ' }, ACCEPTED[0], ACCEPTED[0]];
    const refused = await ask(faulty);
    expect(outcome(refused)).toBe('400 invalid_request');
    expect((refused.body.error as { faults: { path: string }[] }).faults).toMatchObject([
      { path: 'acknowledgements.0.reason' },
      { path: 'acknowledgements.0.code' },
      { path: 'acknowledgements.2.code' },
    ]);
    const { body } = await ask(ACCEPTED);
    const kept = ACCEPTED.map((each) => ({ ...each, member_id: customer.userId }));
    expect(body).toMatchObject({
      decision: 'cut_over',
      acknowledgements: kept,
      open_conditions: [],
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      project: { status: 'cut_over' },
    });
    const { data } = await graphql<{ receipt: { kind: string; content: object } }>(
      app,
      'query($id: String!) { receipt(id: $id) { kind content } }',
      { id: body.receipt_id },
      customer.token,
    );
    expect(data.receipt).toMatchObject({
      kind: 'migration_cutover',
      content: {
        migration_id: id,
        comparison_decision: 'conditional',
        conditions: ['quality_unknown', 'evidence_short', 'dearer'],
        acknowledgements: kept,
        cut_over_by: { kind: 'user', id: customer.userId },
      },
    });
  });

  it('with an approval is shown with its acknowledgements, which the receipt keeps', async () => {
    const { customer, id } = await conditional({ requires_approval: true });
    const asked = await step<{ approval_id: string; decision: string }>(app, customer.token, {
      id,
      path: 'cutover',
      body: { acknowledgements: ACCEPTED },
    });
    expect(asked.body.decision).toBe('pending_approval');
    // Another request while it waits needs no second acknowledgement.
    const again = await step<{ approval_id: string }>(app, customer.token, { id, path: 'cutover' });
    expect(again.body.approval_id).toBe(asked.body.approval_id);
    const { data } = await graphql<{ approvalDecide: { status: string } }>(
      app,
      'mutation($id: ID!) { approvalDecide(id: $id, decision: approve) { status } }',
      { id: asked.body.approval_id },
      customer.token,
    );
    expect(data.approvalDecide.status).toBe('approved');
    const { cutover, status } = await read(app, customer.token, id);
    expect(status).toBe('cut_over');
    expect(cutover).toMatchObject({
      decision: 'cut_over',
      receipt_id: expect.any(String),
      acknowledgements: ACCEPTED.map((each) => ({ ...each, member_id: customer.userId })),
    });
  });

  const USE_CASE = 'support.reply';

  function evaluationSet(expected: string, more: object = {}) {
    return Array.from({ length: 20 }, (_, index) => ({
      input: `Number ${index}`,
      expect: { contains: expected },
      use_case: USE_CASE,
      ...more,
    }));
  }

  it('takes one live request and an echo for no evidence, and names each number', async () => {
    const customer = await newCustomer(app, 500);
    const other = await newCustomer(app, 500);
    const metadata = { feature: USE_CASE };
    for (let asked = 0; asked < 20; asked += 1) {
      await chat(app, other.key, 'Здравствуйте', { model: LIVE, metadata });
    }
    await chat(app, customer.key, 'Здравствуйте', { model: LIVE, metadata });
    for (let asked = 0; asked < 20; asked += 1) {
      await chat(app, customer.key, 'Здравствуйте', { model: 'sandbox/gw-mini', metadata });
    }
    const id = await newScanned(app, customer, { use_cases: [USE_CASE] });
    app.double.script('live', { text: 'Number' });
    const figures = { source_cost_per_1m_rub: 120, source_quality: 0.5 };
    const compare = (evaluation_set: unknown) =>
      compareMigration(app, customer, id, { ...figures, evaluation_set });
    const { body } = await compare(evaluationSet('Number'));
    expect(body.migration_receipt).toMatchObject({
      quality: 'not_conclusive',
      quality_evidence: { items: 20, echo_items: 20, passed: 0, share: null },
      cutover_decision: 'conditional',
      evidence: [
        { use_case: USE_CASE, minimum: 'live_requests', required: 20, found: 1 },
        { use_case: USE_CASE, minimum: 'evaluation_items', required: 20, found: 0 },
        { use_case: USE_CASE, minimum: 'source_outputs', required: 20, found: 0 },
      ],
      reasons: [
        { rule: 'quality_unknown' },
        {
          rule: 'evidence_short',
          reason:
            'below the published minimums: support.reply has 1 of 20 live_requests; ' +
            'support.reply has 0 of 20 evaluation_items; ' +
            'support.reply has 0 of 20 source_outputs',
        },
      ],
    });
    const strange = await compare(evaluationSet('Number', { use_case: 'another' }));
    expect(outcome(strange)).toBe('400 invalid_request');
    expect(strange.body.error.faults).toHaveLength(20);
    expect(strange.body.error.faults?.[0]).toMatchObject({ path: 'evaluation_set.0.use_case' });
  });

  it('is possible for a key where both sides have enough measured outcomes', async () => {
    const customer = await newCustomer(app, 500);
    const policy = { name: 'production', hybrid: 'rf_only', budgets: { daily_rub: 100 } };
    await newPolicy(app, customer.token, policy);
    const metadata = { feature: USE_CASE };
    for (let asked = 0; asked < 20; asked += 1) {
      await chat(app, customer.key, 'Здравствуйте', { model: LIVE, metadata });
    }
    const id = await newScanned(app, customer, { use_cases: [USE_CASE] });
    app.double.script('live', { text: 'The answer' });
    const compare = (evaluation_set: unknown) =>
      compareMigration(app, customer, id, { source_cost_per_1m_rub: 120, evaluation_set });
    const worse = await compare(evaluationSet('answer', { source_output: 'nothing' }));
    expect(worse.body.migration_receipt).toMatchObject({
      quality_delta: 'better',
      quality_evidence: { source_passed: 0, difference_low: 0.7721, difference_high: 1 },
    });
    const { body } = await compare(evaluationSet('answer', { source_output: 'an answer' }));
    expect(body).toMatchObject({
      status: 'ready',
      migration_receipt: {
        simulated: false,
        quality: 'measured',
        quality_delta: 'same_within_interval',
        quality_evidence: { source_passed: 20, difference_low: -0.1611, difference_high: 0.1611 },
        latency: { verdict: 'measured_by_evaluation' },
        cutover_decision: 'ready',
        evidence: [{ found: 20 }, { found: 20 }, { found: 20 }],
        provenance: expect.objectContaining({ quality: 'live_measured' }),
      },
    });
    await expect.poll(() => answered(customer, id)).toMatchObject({ done: true });
    const { key } = await newKey(app, customer.token, 'service');
    const cut = await step(app, key, { id, path: 'cutover' });
    expect(cut.body).toMatchObject({ decision: 'cut_over', acknowledgements: [] });
  });
});
