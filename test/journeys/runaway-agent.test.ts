import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BudgetApp, spend, startBudgetApp } from '../finops/budgets/budget-app.js';
import { newCustomer } from '../support/app.js';
import { readEvents } from './feeds.js';
import { comparable, graphqlVoice, type Json, restVoice, Story, type Voice } from './voices.js';

let app: BudgetApp;
beforeAll(async () => {
  app = await startBudgetApp();
});
afterAll(() => app.stop());

/** The first item of a list, as soon as there is one. */
async function first(story: Story, name: string, operation: string, who: string): Promise<Json> {
  let found: Json | undefined;
  await expect
    .poll(
      async () => {
        const { nodes } = await story.step(name, operation, {}, who);
        [found] = nodes as Json[];
        return found;
      },
      { timeout: 15_000 },
    )
    .toBeDefined();
  return found ?? {};
}

/** A runaway agent is seen, alerted, paused, and resumed by an approval. */
async function tell(voice: Voice): Promise<Json> {
  const customer = await newCustomer(app, 100);
  const { token, tenantId } = customer;
  const story = new Story(voice);
  const terms = { type: 'retry_loop', scope: 'agent_session', threshold: 5, action: 'pause' };
  await story.step('rule', 'PublishAnomalyRule', terms, token);
  const metadata = { session_id: 'runaway' };
  for (let made = 0; made < 8; made += 1) await spend(app, customer, metadata);
  const pause = await first(story, 'pauses', 'ListSpendPauses', token);
  expect(pause.status).toBe('paused');
  const anomaly = await first(story, 'anomalies', 'ListAnomalies', token);
  expect([anomaly.type, anomaly.scope_ref ?? anomaly.scopeRef]).toEqual(['retry_loop', 'runaway']);
  expect((await spend(app, customer, metadata)).status).toBe(403);
  await story.step('approval', 'Approve', { id: pause.approval_id ?? pause.approvalId }, token);
  expect((await spend(app, customer, metadata)).status).toBe(200);
  const types = async () => (await readEvents(app, tenantId, 'anomalies')).map(({ type }) => type);
  const whole = ['anomaly', 'paused', 'resumed'];
  await expect.poll(types, { timeout: 15_000 }).toEqual(whole);
  return { ...story.told, types: whole };
}

describe('a runaway agent', () => {
  it('is seen, alerted, paused and resumed by approval, in REST and GraphQL', async () => {
    const [asRest, asGraphql] = [await tell(restVoice(app)), await tell(graphqlVoice(app))];
    const steps = (told: Json) => Object.keys(told).sort();
    expect(steps(asGraphql)).toEqual(steps(asRest));
    expect(Object.keys(comparable(asGraphql) as Json)).toHaveLength(5);
  });
});
