import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { prove } from '../../support/proof.js';
import { freshKey } from './samples.js';

let app: TestApp;
let customer: Customer;
let stranger: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 500);
  stranger = await newCustomer(app);
});
afterAll(() => app.stop());

function post(path: string, body: object) {
  return rest(app, 'POST', `/v1/gw/prompts${path}`, { credential: customer.token, body });
}

describe('a package that says little', () => {
  it('reaches production by the fields that are documented, and a case of one name', async () => {
    const { body } = await post('', { prompt_key: freshKey() });
    const path = `/${body.id}`;
    await post(`${path}/versions`, {
      template: 'Ты помощник.\nВопрос: {{question}}',
      variables: ['question'],
      output_schema: {
        type: 'object',
        properties: { answer: { type: 'string' } },
        required: ['answer'],
      },
      model_variants: ['sandbox/gw-mini'],
    });
    const before = await post(`${path}/test`, {});
    expect(before.body).toMatchObject({ gate_status: 'fail', schema_valid: true });
    const cases = [{ name: 'a question', variables: { question: 'Где мой заказ?' } }];
    await prove(app, customer.token, String(body.id), { cases });
    const run = await post(`${path}/test`, {});
    expect(run.body).toMatchObject({ gate_status: 'pass', schema_valid: true });
    await post(`${path}/promote`, {});
    const staged = await post(`${path}/promote`, {});
    expect(staged.body).toMatchObject({ status: 'staging', current_version: 1 });
    expect((await post(`${path}/promote`, {})).body).toMatchObject({ status: 'production' });
  });

  it('keeps the name of a context policy to come; its gate fails until it is there', async () => {
    const foreign = { name: 'to come' };
    await rest(app, 'POST', '/v1/gw/context-policies', {
      credential: stranger.token,
      body: foreign,
    });
    const { body } = await post('', {
      prompt_key: freshKey(),
      context_policy: 'to come',
      template: 'Be kind.',
    });
    expect(body).toMatchObject({ context_policy: 'to come' });
    const check = async () => {
      const run = await post(`/${body.id}/test`, {});
      const { checks } = run.body as unknown as { checks: { code: string }[] };
      return checks.find(({ code }) => code === 'context_policy');
    };
    expect(await check()).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('POST /v1/gw/context-policies'),
    });
    await rest(app, 'POST', '/v1/gw/context-policies', {
      credential: customer.token,
      body: { name: 'to come' },
    });
    expect(await check()).toMatchObject({ status: 'not_measured' });
  });

  it('that nothing could be measured of does not reach production, and is told why', async () => {
    const { body } = await post('', { prompt_key: freshKey(), template: 'Be kind.' });
    const path = `/${body.id}`;
    const run = await post(`${path}/test`, {});
    expect(run.body).toMatchObject({
      gate_status: 'not_measured',
      missing: expect.arrayContaining([
        'sample_outputs_valid: The version has no output_schema.',
        expect.stringMatching(/^cases_proved: The package has no case set; POST /),
      ]),
    });
    await post(`${path}/promote`, {});
    expect((await post(`${path}/promote`, {})).body).toMatchObject({ status: 'staging' });
    const refused = await post(`${path}/promote`, {});
    expect([refused.status, refused.body.error]).toEqual([
      422,
      expect.objectContaining({
        code: 'prompt_gate_not_measured',
        message: expect.stringContaining('cases_proved: The package has no case set'),
      }),
    ]);
    const { errors } = await graphql(
      app,
      'mutation($id: ID!) { promptPromote(id: $id) { status } }',
      { id: body.id },
      customer.token,
    );
    expect(errors?.[0]?.extensions.code).toBe('prompt_gate_not_measured');
  });
});
