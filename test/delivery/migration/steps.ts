import { chat, type ErrorBody, newPolicy } from '../../journeys/people.js';
import { type Answer, type Customer, rest, type TestApp } from '../../support/app.js';

/** Where migrations live. */
export const PROJECTS = '/v1/gw/migration/projects';

type Body = Readonly<Record<string, unknown>>;

/** A migration as tests read it. */
export interface MigrationBody {
  readonly id: string;
  readonly status: string;
  readonly [more: string]: unknown;
}

let keys = 0;

/** Creates a migration under a key that nobody has. */
export async function newMigration(
  app: TestApp,
  credential: string,
  body: Body = {},
): Promise<MigrationBody> {
  keys += 1;
  const answer = await rest<MigrationBody>(app, 'POST', PROJECTS, {
    credential,
    body: { migration_key: `migration-${keys}`, source_provider: 'openai', ...body },
  });
  return answer.body;
}

/** A step of a migration over REST. */
export function step<T = Record<string, unknown>>(
  app: TestApp,
  credential: string,
  { id, path, body = {} }: { readonly id: string; readonly path: string; readonly body?: Body },
): Promise<Answer<T>> {
  return rest<T>(app, 'POST', `${PROJECTS}/${id}/${path}`, { credential, body });
}

/** The migration as it is. */
export async function read(app: TestApp, credential: string, id: string): Promise<MigrationBody> {
  return (await rest<MigrationBody>(app, 'GET', `${PROJECTS}/${id}`, { credential })).body;
}

/** Scans and compares, so that the cutover may go on as far as both are concerned. */
export async function makeReady(app: TestApp, credential: string, id: string): Promise<void> {
  const scan = { used_capabilities: ['chat', 'streaming'] };
  await step(app, credential, { id, path: 'compatibility-scan', body: scan });
  await step(app, credential, { id, path: 'compare', body: { source_cost_per_1m_rub: 120 } });
}

/** Closes the items of the checklist that hang on the project: policy, budget and traffic. */
async function openForTraffic(app: TestApp, customer: Customer): Promise<void> {
  const policy = { name: 'production', hybrid: 'rf_only', budgets: { daily_rub: 100 } };
  await newPolicy(app, customer.token, policy);
  await chat(app, customer.key);
}

/** A migration whose cutover nothing speaks against. */
export async function readyMigration(
  app: TestApp,
  customer: Customer,
  body: Body = {},
): Promise<MigrationBody> {
  await openForTraffic(app, customer);
  const migration = await newMigration(app, customer.token, body);
  await makeReady(app, customer.token, migration.id);
  return migration;
}

/** What the history of a migration says, the oldest first. */
export async function historyOf(app: TestApp, credential: string, id: string): Promise<string[]> {
  const { history } = await read(app, credential, id);
  return (history as { event: string }[]).map(({ event }) => event).reverse();
}

/** A receipt as tests read it. */
export interface ReceiptBody {
  readonly id: string;
  readonly sha256: string;
  readonly cutover_decision: string;
  readonly evaluation: {
    readonly cost_rub: number;
    readonly results: { readonly request_id: string; readonly passed: boolean }[];
  } | null;
  readonly [more: string]: unknown;
}

/** The answer to a comparison. */
export interface Compared extends ErrorBody {
  readonly id: string;
  readonly status: string;
  readonly migration_receipt: ReceiptBody;
}

/** Compares a migration. */
export function compareMigration(
  app: TestApp,
  { token }: Customer,
  id: string,
  body: Body,
): Promise<Answer<Compared>> {
  return step<Compared>(app, token, { id, path: 'compare', body });
}

/** A new migration with a scan. @returns its id */
export async function newScanned(
  app: TestApp,
  { token }: Customer,
  body: Body = {},
): Promise<string> {
  const { id } = await newMigration(app, token, body);
  const scan = { used_capabilities: ['chat', 'json_schema'] };
  await step(app, token, { id, path: 'compatibility-scan', body: scan });
  return id;
}
