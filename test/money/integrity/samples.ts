import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';
import { existedSince } from '../../support/owner.js';

const PATH = '/v1/gw/billing-integrity/receipts';
const SEAL = 'mutation { billingIntegrityReceiptSeal(input: {}) { id } }';
const SEAL_PERIOD = 'mutation { billingIntegrityPeriodSeal(input: {}) { ... on Node { id } } }';

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  const seal = (document: string) => async (customer: Customer) => {
    await existedSince(app, customer.tenantId);
    return graphql(app, document, {}, customer.token);
  };
  return {
    billingIntegrityPeriodSeal: seal(SEAL_PERIOD),
    billingIntegrityReceiptSeal: seal(SEAL),
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  await existedSince(app, customer.tenantId);
  const sealed = await rest<{ id: string; sealing_id: string }>(app, 'POST', PATH, {
    credential: customer.token,
    body: { period: '2026-01' },
  });
  return { BillingIntegrityReceipt: sealed.body.id, IntegritySeal: sealed.body.sealing_id };
}
