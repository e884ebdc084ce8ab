import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const PUBLISH = 'mutation { pricePlanPublish(input: { plan: "team" }) { id } }';
const SEAL = `mutation { priceBookReceiptSeal(input: {
  quoteRef: "sample", plan: "team", monthlyRequests: 1000, costPerRequestRub: "1.50" }) { id } }`;

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    pricePlanPublish: (customer) => graphql(app, PUBLISH, {}, customer.token),
    priceBookReceiptSeal: (customer) => graphql(app, SEAL, {}, customer.token),
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const sealed = await rest<{ id: string }>(app, 'POST', '/v1/gw/price-book/receipts', {
    credential: customer.token,
    body: { quote_ref: 'own', plan: 'team', monthly_requests: 10, cost_per_request_rub: 1 },
  });
  const plan = await rest<{ id: string }>(app, 'POST', '/v1/gw/price-book/plans', {
    credential: customer.token,
    body: { plan: 'team' },
  });
  return { PriceBookReceipt: sealed.body.id, PricePlan: plan.body.id };
}
