import { newFolder, writeProviders } from '../../faults/providers.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type Answer, type Customer, rest, startApp, type TestApp } from '../../support/app.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../../support/upstream-double.js';

/** A gateway with a dear model and a cheap one, played by a process of its own. */
export interface BudgetApp extends TestApp {
  readonly double: SpawnedDouble;
}

/** Costs and holds exactly a ruble for a request. */
export const DEAR = 'own/model';
/** Costs and holds exactly a tenth of it. */
export const CHEAP = 'cheap/model';

/** Fails, and the cheap one stands in for it. */
export const FAILING = 'bad2/model';

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** Starts it. `lie/model` reports far more than was allowed, and `bad/model` fails. */
export async function startBudgetApp(environment: NodeJS.ProcessEnv = {}): Promise<BudgetApp> {
  const double = await spawnUpstreamDouble();
  await double.script('own', { text: 'Да', usage: USAGE });
  await double.script('cheap', { text: 'Да', usage: USAGE });
  const lie = { prompt_tokens: 1, completion_tokens: 9_000, total_tokens: 9_001 };
  await double.script('lie', { text: 'Да', usage: lie });
  await double.script('bad', { status: 500 });
  await double.script('bad2', { status: 500 });
  const folder = newFolder();
  const lanes = [
    { lane: 'own', model: DEAR, inputRub: 0, outputRub: 1_000_000 },
    { lane: 'cheap', model: CHEAP, inputRub: 0, outputRub: 100_000 },
    { lane: 'bad', model: 'bad/model', inputRub: 0, outputRub: 1_000_000 },
    { lane: 'bad2', model: FAILING, inputRub: 0, outputRub: 1_000_000, fallbacks: [CHEAP] },
    { lane: 'lie', model: 'lie/model', inputRub: 0, outputRub: 1_000_000 },
  ];
  const app = await startApp({
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, lanes),
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

/** A budget over REST, as tests read it. */
export interface BudgetBody {
  readonly id: string;
  readonly [name: string]: unknown;
}

/** Sets a budget; `use_case` of `support` and a cap of two rubles unless stated. */
export function setBudget(
  app: Pick<TestApp, 'url'>,
  credential: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Answer<BudgetBody>> {
  return rest(app, 'POST', '/v1/gw/finops/budgets', {
    credential,
    body: { scope: 'use_case', scope_ref: 'support', hard_cap: 2, ...body },
  });
}

/** A chat request for a ruble, with metadata. */
export function spend(
  app: Pick<TestApp, 'url'>,
  { key }: Pick<Customer, 'key'>,
  metadata: Readonly<Record<string, unknown>> = { feature: 'support' },
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const body = { ...ONE_RUBLE, metadata, ...more };
  return rest(app, 'POST', '/v1/chat/completions', { credential: key, body });
}

/** What the guard of a budget says. */
export async function check(
  app: Pick<TestApp, 'url'>,
  { token }: Pick<Customer, 'token'>,
  id: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const path = `/v1/gw/finops/budgets/${id}/check`;
  return (await rest(app, 'POST', path, { credential: token, body })).body;
}
