import { expect } from 'vitest';
import { decide } from '../../access/budgets/ruble-app.js';
import { readEvents } from '../../journeys/feeds.js';
import { type Customer, rest } from '../../support/app.js';
import { type BudgetApp, setBudget, spend } from '../budgets/budget-app.js';

/** The events of an agent that runs away, by their types in the order of letters. */
export const STORY = ['anomaly', 'budget_alert', 'paused', 'resumed'];

const PATIENT = { timeout: 15_000 };

async function typesOf(app: BudgetApp, { tenantId }: Customer): Promise<string[]> {
  return (await readEvents(app, tenantId, 'anomalies')).map(({ type }) => type).sort();
}

/** A budget of ten rubles that alerts at half of it, reached. @returns its id */
export async function reachAlert(app: BudgetApp, customer: Customer): Promise<string> {
  const terms = { hard_cap: 10, soft_alerts: [50], name: 'Secret name' };
  const { body } = await setBudget(app, customer.token, terms);
  for (let made = 0; made < 5; made += 1) {
    await spend(app, customer, { feature: 'support', session_id: `${made}` });
  }
  await expect.poll(() => typesOf(app, customer), PATIENT).toContain('budget_alert');
  return body.id;
}

/** Live requests reach a soft alert, trigger a rule and pause their scope; a member resumes it. */
export async function runAway(app: BudgetApp, customer: Customer) {
  const credential = customer.token;
  const rule = { type: 'retry_loop', scope: 'agent_session', threshold: 5, action: 'pause' };
  await rest(app, 'POST', '/v1/gw/finops/anomaly-rules', { credential, body: rule });
  const budgetId = await reachAlert(app, customer);
  for (let made = 0; made < 8; made += 1) {
    await spend(app, customer, { session_id: 'runaway', feature: 'loop' });
  }
  await expect.poll(() => typesOf(app, customer), PATIENT).toContain('paused');
  const { body } = await rest<{ data: { id: string; approval_id: string; anomaly_id: string }[] }>(
    app,
    'GET',
    '/v1/gw/finops/pauses',
    { credential },
  );
  const [pause] = body.data;
  if (!pause) throw new Error('nothing is paused');
  await decide(app, credential, pause.approval_id, 'approve');
  await expect.poll(() => typesOf(app, customer), PATIENT).toEqual(STORY);
  return { budgetId, pause };
}
