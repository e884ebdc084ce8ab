import { type Customer, graphql, type TestApp } from '../../support/app.js';
import { newMigration, step } from './steps.js';

/** How each mutation of migrations is called once so that it changes something. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  const mutate = (text: string) => async (customer: Customer) => {
    const { id } = await newMigration(app, customer.token);
    return graphql(app, `mutation($id: ID!) { ${text} }`, { id }, customer.token);
  };
  return {
    providerMigrationCreate: ({ token }) => newMigration(app, token),
    providerMigrationScan: mutate(
      'providerMigrationScan(id: $id, usedCapabilities: [chat]) { score }',
    ),
    providerMigrationCompare: mutate(
      'providerMigrationCompare(id: $id, input: { sourceCostPer1mRub: "120" }) { id }',
    ),
    providerMigrationCutOver: mutate('providerMigrationCutOver(id: $id, input: {}) { decision }'),
    providerMigrationRollback: mutate('providerMigrationRollback(id: $id) { id }'),
  };
}

/** One migration of the customer, with a scan and a receipt. */
export async function belongingsOf(
  app: TestApp,
  { token }: Customer,
): Promise<Record<string, string>> {
  const { id } = await newMigration(app, token);
  const scan = { used_capabilities: ['chat'] };
  await step(app, token, { id, path: 'compatibility-scan', body: scan });
  await step(app, token, { id, path: 'compare', body: { source_cost_per_1m_rub: 120 } });
  return { ProviderMigration: id };
}
