import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const REVENUE = '/v1/gw/revenue';
const EVENT = `mutation {
  revenueEventRecord(input: { eventType: second_department, accountRef: "own" }) { id } }`;
const DERIVE = 'mutation { revenueSignalsDerive(accountRef: "own") { derived { id } } }';
const QUOTE = 'mutation { revenueQuoteCreate(input: { package: pilot }) { id } }';
const ATTRIBUTION = `mutation { partnerAttributionRegister(input: {
  partnerRef: "integrator", clientRef: "acme", source: referral }) { id } }`;
const RESOLVE = `mutation($id: ID!) {
  revenueSignalResolve(id: $id, input: { resolution: won }) { id } }`;

async function newSignal(app: TestApp, { token }: Customer): Promise<string> {
  const post = (path: string, body: object) =>
    rest<{ derived: { id: string }[] }>(app, 'POST', REVENUE + path, { credential: token, body });
  await post('/events', { event_type: 'second_department' });
  const { body } = await post('/signals/derive/own', {});
  return body.derived[0]?.id ?? '';
}

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    revenueEventRecord: ({ token }) => graphql(app, EVENT, {}, token),
    revenueSignalsDerive: async ({ token }) => {
      await graphql(app, EVENT, {}, token);
      return graphql(app, DERIVE, {}, token);
    },
    revenueSignalResolve: async (customer) =>
      graphql(app, RESOLVE, { id: await newSignal(app, customer) }, customer.token),
    revenueQuoteCreate: ({ token }) => graphql(app, QUOTE, {}, token),
    partnerAttributionRegister: ({ token }) => graphql(app, ATTRIBUTION, {}, token),
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const RevenueSignal = await newSignal(app, customer);
  const made = await graphql<{ revenueQuoteCreate: { id: string } }>(
    app,
    QUOTE,
    {},
    customer.token,
  );
  return { RevenueSignal, RevenueQuote: made.data.revenueQuoteCreate.id };
}
