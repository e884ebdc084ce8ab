import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { newPrompt, VERSION } from './samples.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app);
});
afterAll(() => app?.stop());

interface Receipt {
  readonly gate_status: string;
  readonly schema_valid: boolean | null;
  readonly checks: readonly { readonly code: string }[];
}

function test(id: string, sample_outputs: unknown) {
  const body = { sample_outputs };
  return rest<Receipt>(app, 'POST', `/v1/gw/prompts/${id}/test`, { credential: owner.token, body });
}

describe('the gate', () => {
  it('always judges the outputs of the version, whatever outputs a run brings', async () => {
    const wrong = { ...VERSION, sample_outputs: [{ reply: 'a' }, { reply: 1 }] };
    const id = await newPrompt(app, owner.token, wrong);
    for (const sample_outputs of [undefined, [], [{ reply: 'fine' }]]) {
      const { body } = await test(id, sample_outputs);
      expect([body.gate_status, body.schema_valid]).toEqual(['fail', false]);
      expect(body.checks.find(({ code }) => code === 'sample_outputs_valid')).toMatchObject({
        status: 'fail',
        details: [{ source: 'version', index: 1, faults: ['output.reply must be string.'] }],
      });
    }
    const { data } = await graphql<{ promptTest: { gateStatus: string } }>(
      app,
      `mutation($id: ID!) {
        promptTest(id: $id, sampleOutputs: [{ reply: "fine" }]) { gateStatus }
      }`,
      { id },
      owner.token,
    );
    expect(data.promptTest.gateStatus).toBe('fail');
  });
});
