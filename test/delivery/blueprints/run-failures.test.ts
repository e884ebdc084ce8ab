import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customerUnder } from '../../journeys/people.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { charged, micro, requestIds, run } from './wire.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app.stop());

describe('the fallback', () => {
  it('takes over where the policy forbids the primary model, and is counted', async () => {
    const customer = await customerUnder(app, { allowed_models: ['sandbox/gw-pro'] });
    const { body } = await run(app, customer, 'support-ticket-triage');
    expect(body).toMatchObject({ status: 'completed', fallbacks: 1 });
    expect(body.steps[0]).toMatchObject({
      fallback: true,
      attempts: [
        {
          model: 'sandbox/gw-mini',
          request_id: null,
          cost_rub: 0,
          error_code: 'model_not_allowed',
        },
        { model: 'sandbox/gw-pro', error_code: null },
      ],
      routing: { model: 'sandbox/gw-pro' },
    });
  });

  it('takes over where the primary model fails, and the run is charged once', async () => {
    const { body } = await run(app, owner, 'support-ticket-triage', {
      metadata: { sandbox_error: '503', sandbox_error_model: 'gw-mini' },
    });
    expect(body).toMatchObject({ status: 'completed', fallbacks: 1 });
    expect(body.steps[0]).toMatchObject({ fallback: true, routing: { model: 'sandbox/gw-pro' } });
    expect(body.steps[0]?.routing?.failed_calls).toBeGreaterThan(0);
    const answered = requestIds(body).filter((id) => id !== null);
    expect(await charged(app, owner, answered)).toBe(micro(body.cost_rub));
  });
});

describe('a step that fails ends the run as data', () => {
  it('where no model serves: with the code of the failure', async () => {
    const { status, body } = await run(app, owner, 'support-ticket-triage', {
      metadata: { sandbox_error: '400' },
    });
    expect([status, body.status, body.cost_rub]).toEqual([200, 'failed', 0]);
    expect(body.steps).toHaveLength(1);
    expect(body.steps[0]).toMatchObject({
      status: 'failed',
      error_code: 'upstream_rejected',
      output: null,
    });
    expect(body.steps[0]?.attempts.map(({ model }) => model)).toEqual([
      'sandbox/gw-mini',
      'sandbox/gw-pro',
    ]);
  });

  it('where the firewall blocks: the fallback is not asked, and the finding is told', async () => {
    const customer = await customerUnder(app, { firewall: { phone: 'block' } });
    const { body } = await run(app, customer, 'support-ticket-triage');
    expect(body).toMatchObject({ status: 'failed', cost_rub: 0, fallbacks: 0 });
    expect(body.steps[0]).toMatchObject({
      error_code: 'firewall_blocked',
      attempts: [{ model: 'sandbox/gw-mini', error_code: 'firewall_blocked' }],
      firewall: { verdict: 'blocked' },
    });
  });

  it('where no answer satisfies the schema: both models were asked and billed', async () => {
    const customer = await customerUnder(app, { limits: { max_output_tokens: 5 } });
    const { body } = await run(app, customer, 'support-ticket-triage');
    expect(body).toMatchObject({ status: 'failed', fallbacks: 1 });
    expect(body.steps[0]).toMatchObject({
      error_code: 'blueprint_output_invalid',
      output_valid: false,
      attempts: [
        { model: 'sandbox/gw-mini', error_code: 'blueprint_output_invalid' },
        { model: 'sandbox/gw-pro', error_code: 'blueprint_output_invalid' },
      ],
    });
    expect(micro(body.cost_rub)).toBeGreaterThan(0);
    expect(await charged(app, customer, requestIds(body))).toBe(micro(body.cost_rub));
  });

  it('where there are no funds: nothing is charged', async () => {
    const customer = await newCustomer(app);
    const { body } = await run(app, customer, 'support-ticket-triage');
    expect(body).toMatchObject({ status: 'failed', cost_rub: 0 });
    expect(body.steps[0]).toMatchObject({ error_code: 'insufficient_balance' });
  });

  it('where a check says stop: the violations are told and no later step runs', async () => {
    const { body } = await run(app, owner, 'finance-payment-purpose', {
      input: { purpose: 'Оплата по счёту 7', payer: 'ООО «Альфа»', payer_inn: '1', amount_rub: 5 },
    });
    expect(body).toMatchObject({ status: 'failed', cost_rub: 0 });
    expect(body.steps.at(-1)).toMatchObject({
      step: 'requisites',
      error_code: 'blueprint_check_failed',
      reason: 'The checks of the step requisites failed: inn_valid.',
      output: { passed: false, violations: [expect.objectContaining({ code: 'inn_valid' })] },
    });
  });
});
