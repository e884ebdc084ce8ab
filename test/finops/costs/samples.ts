import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const FORECAST = `mutation { costForecastRecord(input: {
  units: 10, costPerUnitRub: "1.50" }) { id } }`;
const RECEIPT = `mutation { costReceiptSeal(input: {
  inputTokens: 10, tokensRub: "0.50" }) { id } }`;

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: Pick<TestApp, 'url'>,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    costForecastRecord: (customer) => graphql(app, FORECAST, {}, customer.token),
    costReceiptSeal: (customer) => graphql(app, RECEIPT, {}, customer.token),
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: Pick<TestApp, 'url'>,
  customer: Customer,
): Promise<Record<string, string>> {
  const made = (path: string, body: object) =>
    rest<{ id: string }>(app, 'POST', path, { credential: customer.token, body });
  const forecast = await made('/v1/gw/finops/forecast', { units: 1, cost_per_unit_rub: 1 });
  const receipt = await made('/v1/gw/finops/cost-receipts', { tokens_rub: 1 });
  return { CostForecast: forecast.body.id, CostReceipt: receipt.body.id };
}
