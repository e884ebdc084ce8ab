import { newFolder, writeProviders } from '../../faults/providers.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import {
  type Answer,
  type Customer,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';

/** A gateway on which every chat request holds and costs exactly one ruble. */
export interface RubleApp extends TestApp {
  readonly double: UpstreamDouble;
}

/** Starts it on a double; `environment` adds to its settings. */
export async function startRubleApp(environment: NodeJS.ProcessEnv = {}): Promise<RubleApp> {
  const double = await startUpstreamDouble();
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  double.script('own', { text: 'Да', usage });
  const folder = newFolder();
  const lane = { lane: 'own', model: 'own/model', inputRub: 0, outputRub: 1_000_000 };
  const app = await startApp({
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [lane]),
    GW_SANDBOX: 'off',
    ...environment,
  });
  return {
    ...app,
    double,
    async stop() {
      await app.stop();
      await double.close();
      folder.remove();
    },
  };
}

/** A chat request that costs one ruble; `more` adds members to its body. */
export function spendRuble(
  app: Pick<TestApp, 'url'>,
  credential: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const body = { ...ONE_RUBLE, ...more };
  return rest(app, 'POST', '/v1/chat/completions', { credential, body });
}

/** Spends rubles one after the other until one is refused. @returns how many were spent */
export async function spendAll(app: Pick<TestApp, 'url'>, credential: string): Promise<number> {
  for (let spent = 0; spent < 100; spent += 1) {
    if ((await spendRuble(app, credential)).status !== 200) return spent;
  }
  throw new Error('nothing stops the spending');
}

/** A customer with a policy that caps days, months or both, in rubles. */
export async function cappedCustomer(
  app: Pick<TestApp, 'url'>,
  budgets: Readonly<Record<string, number>>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Customer & { readonly policyId: string }> {
  const customer = await newCustomer(app, 1_000);
  const made = await rest<{ id: string }>(app, 'POST', '/v1/gw/policies', {
    credential: customer.token,
    body: { name: 'capped', budgets, ...more },
  });
  return { ...customer, policyId: made.body.id };
}

/** An exception over REST, as tests read it. */
export interface ExceptionBody {
  readonly id: string;
  readonly approval_id: string;
  readonly period_start: string;
  readonly status: string;
}

/** Asks for an exception from a budget. */
export function askException(
  app: Pick<TestApp, 'url'>,
  credential: string,
  policyId: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Answer<ExceptionBody>> {
  return rest(app, 'POST', `/v1/gw/policies/${policyId}/budget-exceptions`, {
    credential,
    body: { period: 'day', amount_rub: 3, reason: 'A release', ...body },
  });
}

/** Decides about an approval over REST. */
export function decide(
  app: Pick<TestApp, 'url'>,
  credential: string,
  approvalId: string,
  decision: 'approve' | 'reject',
  body: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const path = `/v1/gw/approvals/${approvalId}/${decision}`;
  return rest(app, 'POST', path, { credential, body });
}

/** The ids of approvals that wait, oldest first. */
export async function waiting(app: Pick<TestApp, 'url'>, credential: string): Promise<string[]> {
  const path = '/v1/gw/approvals?status=pending&kind=budget_exception';
  const { body } = await rest<{ data: { id: string }[] }>(app, 'GET', path, { credential });
  return body.data.map(({ id }) => id).reverse();
}
