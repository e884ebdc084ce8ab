import * as abuse from '../access/abuse/samples.js';
import * as budgets from '../access/budgets/samples.js';
import * as credentials from '../access/credentials/samples.js';
import * as organization from '../access/organization/samples.js';
import * as personalData from '../access/personal-data/samples.js';
import * as workspaces from '../access/workspaces/samples.js';
import * as integrations from '../actions/integrations/samples.js';
import * as tools from '../actions/tools/samples.js';
import * as webhooks from '../actions/webhook-endpoints/samples.js';
import * as certification from '../assurance/certification/samples.js';
import * as procurement from '../assurance/procurement/samples.js';
import * as publishers from '../assurance/publishers/samples.js';
import * as transparency from '../assurance/transparency/samples.js';
import * as blueprints from '../delivery/blueprints/samples.js';
import * as cockpit from '../delivery/cockpit/samples.js';
import * as migration from '../delivery/migration/samples.js';
import * as anomalies from '../finops/anomalies/samples.js';
import * as finopsBudgets from '../finops/budgets/samples.js';
import * as costs from '../finops/costs/samples.js';
import * as unitEconomics from '../finops/unit-economics/samples.js';
import * as devex from '../growth/devex/samples.js';
import * as partner from '../growth/partner/samples.js';
import * as revenue from '../growth/revenue/samples.js';
import * as value from '../growth/value/samples.js';
import * as integrity from '../money/integrity/samples.js';
import * as monthClose from '../money/month-close/samples.js';
import * as operations from '../money/operations/samples.js';
import * as commercial from '../pricing/commercial/samples.js';
import * as priceBook from '../pricing/price-book/samples.js';
import * as contextPolicies from '../prompts/context-policies/samples.js';
import * as evaluations from '../prompts/evaluations/samples.js';
import * as packages from '../prompts/packages/samples.js';
import * as adaptiveRouting from '../routing/adaptive/samples.js';
import * as aliases from '../routing/aliases/samples.js';
import * as economics from '../routing/economics/samples.js';
import * as workloads from '../routing/workloads/samples.js';
import type { Customer, TestApp } from './app.js';

/** What each module offers to the tests that walk over the whole schema. */
interface Samples {
  /** One successful call of each mutation, by the name of its field. */
  callsOf(app: TestApp): Readonly<Record<string, (customer: Customer) => Promise<unknown>>>;
  /** Makes one of each thing of the module. @returns ids by type */
  belongingsOf(app: TestApp, customer: Customer): Promise<Readonly<Record<string, string>>>;
}

const MODULES: readonly Samples[] = [
  contextPolicies,
  integrity,
  transparency,
  publishers,
  monthClose,
  operations,
  priceBook,
  unitEconomics,
  commercial,
  finopsBudgets,
  costs,
  anomalies,
  packages,
  evaluations,
  economics,
  adaptiveRouting,
  aliases,
  workloads,
  tools,
  integrations,
  webhooks,
  blueprints,
  migration,
  cockpit,
  budgets,
  organization,
  personalData,
  credentials,
  abuse,
  workspaces,
  value,
  partner,
  revenue,
  certification,
  procurement,
  devex,
];

/** One successful call of each mutation of the modules. */
export function callsOfModules(app: TestApp): ReturnType<Samples['callsOf']> {
  return Object.assign({}, ...MODULES.map((samples) => samples.callsOf(app)));
}

/** Makes one of each thing of the modules, one after the other. */
export async function belongingsOfModules(
  app: TestApp,
  customer: Customer,
): Promise<Readonly<Record<string, string>>> {
  const ids: Record<string, string> = {};
  for (const samples of MODULES) Object.assign(ids, await samples.belongingsOf(app, customer));
  return ids;
}
