import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, newCustomer } from '../../support/app.js';
import type { ProvidedApp } from '../../support/provided-app.js';
import { VOICES } from '../money/world.js';
import { PLAIN, publish, startWorkloadWorld } from './world.js';

let app: ProvidedApp;
beforeAll(async () => {
  app = await startWorkloadWorld();
});
afterAll(() => app?.stop());

const [[, askPlain]] = VOICES as [(typeof VOICES)[number]];
const QUESTION = { model: PLAIN, messages: [{ role: 'user', content: 'Сколько дней в году?' }] };
const say = (role: string, content: string) => ({ role, content });

describe('what is recorded of a contract', () => {
  it('is its version and what was asked, so that each part can be decided again', async () => {
    const customer = await newCustomer(app, 1_000);
    await publish(app, customer, {
      output_tokens_max: 40,
      reasoning_effort_max: 'low',
      history_messages_max: 0,
      retrieval_tokens_max: 100,
    });
    const messages = [say('user', 'Раз'), say('assistant', 'Два'), ...QUESTION.messages];
    const blocks = [{ id: 'a', text: 'Срок десять дней.', priority: 'MUST' }];
    const more = { messages, max_tokens: 300, reasoning_effort: 'high', gw_context: { blocks } };
    await askPlain(app, customer.key, { ...QUESTION, ...more });
    const { rows } = await app.owner.pool.query(
      "SELECT metadata -> 'gw_workload' AS record FROM usage_event WHERE tenant_id = $1",
      [customer.tenantId],
    );
    expect(rows).toEqual([
      {
        record: {
          contract: 'default',
          version: 1,
          output_tokens_asked: 300,
          reasoning_effort_asked: 'high',
          history_messages: 2,
          history_messages_kept: 0,
          history_tokens_kept: null,
          retrieval_tokens_asked: null,
          retrieval_tokens_kept: expect.any(Number),
        },
      },
    ]);
  });

  it('is what a decision of the router was made from, so that it can be made again', async () => {
    const customer = await newCustomer(app, 1_000);
    await publish(app, customer, { output_tokens_max: 40, reasoning_effort_max: 'low' });
    const more = { model: 'gw:auto', max_tokens: 300, reasoning_effort: 'high' };
    const told = await askPlain(app, customer.key, { ...QUESTION, ...more });
    expect(told.failure).toBeUndefined();
    const { rows } = await app.owner.pool.query(
      `SELECT metadata -> 'gw_routing' -> 'features' AS features
       FROM usage_event WHERE tenant_id = $1`,
      [customer.tenantId],
    );
    expect(rows).toEqual([
      { features: expect.objectContaining({ output_tokens_max: 40, needs: [] }) },
    ]);
  });

  it('is told in the typed voice too', async () => {
    const customer = await newCustomer(app, 1_000);
    await publish(app, customer, { output_tokens_max: 40 });
    const { data } = await graphql<{ chatComplete: { gwRouting: unknown } }>(
      app,
      `mutation ($input: ChatInput!) { chatComplete(input: $input) { gwRouting { workload {
        contract contractVersion effects { part stated asked used reason } } } } }`,
      { input: { model: PLAIN, messages: [{ role: 'user', parts: [{ text: 'Да?' }] }] } },
      customer.key,
    );
    expect(data.chatComplete.gwRouting).toEqual({
      workload: {
        contract: 'default',
        contractVersion: 1,
        effects: [{ part: 'output_tokens', stated: '40', asked: null, used: '40', reason: 'set' }],
      },
    });
  });
});
