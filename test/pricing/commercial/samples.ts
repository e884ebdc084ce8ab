import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const HYPOTHESIS = `mutation {
  wtpHypothesisRecord(input: { dealRef: "sample", wtpRub: "1.50" }) { id } }`;
const OUTCOME = `mutation {
  dealOutcomeRecord(input: { dealRef: "sample", outcome: win }) { recordedAt } }`;
const SEAL = 'mutation { commercialReceiptSeal(input: { dealRef: "sealed" }) { id } }';

const COMMERCIAL = '/v1/gw/commercial';

async function recordAndSeal(app: TestApp, { token: credential }: Customer, dealRef: string) {
  const post = async (path: string, body: object) =>
    (await rest<{ id: string }>(app, 'POST', COMMERCIAL + path, { credential, body })).body.id;
  const WtpHypothesis = await post('/wtp', { deal_ref: dealRef, wtp_rub: 1 });
  return { WtpHypothesis, CommercialReceipt: await post('/receipts', { deal_ref: dealRef }) };
}

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    wtpHypothesisRecord: (customer) => graphql(app, HYPOTHESIS, {}, customer.token),
    dealOutcomeRecord: (customer) => graphql(app, OUTCOME, {}, customer.token),
    commercialReceiptSeal: async (customer) => {
      const body = { deal_ref: 'sealed', wtp_rub: 1 };
      await rest(app, 'POST', `${COMMERCIAL}/wtp`, { credential: customer.token, body });
      return graphql(app, SEAL, {}, customer.token);
    },
  };
}

/** One of each thing of the module: its id by the name of its type. */
export function belongingsOf(app: TestApp, customer: Customer): Promise<Record<string, string>> {
  return recordAndSeal(app, customer, 'own');
}
