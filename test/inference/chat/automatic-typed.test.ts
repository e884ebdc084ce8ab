import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, graphql, newCustomer } from '../../support/app.js';
import { BASIC, GOOD, type ManyModelsApp, startManyModels } from '../../support/many-models.js';

let app: ManyModelsApp;
let customer: Customer;
beforeAll(async () => {
  app = await startManyModels();
  customer = await newCustomer(app, 1_000);
});
afterAll(() => app.stop());

describe('a typed answer', () => {
  it('tells the decision of the router with its own types', async () => {
    const { data, errors } = await graphql<{
      chatComplete: { gwRouting: Record<string, unknown> };
    }>(
      app,
      `mutation ($input: ChatInput!) { chatComplete(input: $input) { gwRouting {
        strategy candidates { model rejected }
        decision { origin mode killSwitch verdict complexity useCase stages { stage leader } }
      } } }`,
      {
        input: {
          model: 'gw:auto',
          maxTokens: 50,
          messages: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        },
      },
      customer.key,
    );
    expect(errors).toBeUndefined();
    expect(data.chatComplete.gwRouting).toMatchObject({
      strategy: 'automatic',
      candidates: expect.arrayContaining([{ model: GOOD, rejected: 'lower_utility' }]),
      decision: {
        origin: 'DEFAULT',
        mode: 'COST_CONTROLLED',
        killSwitch: 'ACTIVE',
        verdict: 'ROUTED',
        complexity: 'SIMPLE',
        useCase: 'default',
        stages: expect.arrayContaining([{ stage: 'HARD_GATES', leader: BASIC }]),
      },
    });
  });
});
