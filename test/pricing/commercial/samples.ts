import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const HYPOTHESIS = `mutation {
  wtpHypothesisRecord(input: { dealRef: "sample", wtpRub: "1.50" }) { id } }`;
const OUTCOME = `mutation {
  dealOutcomeRecord(input: { dealRef: "sample", outcome: win }) { recordedAt } }`;
const STATE = `mutation($id: ID!, $dealRef: String!) {
  wtpEvidenceState(input: { topUpId: $id, dealRef: $dealRef }) { id } }`;
const SEAL = 'mutation { commercialReceiptSeal(input: { dealRef: "sealed" }) { id } }';

const COMMERCIAL = '/v1/gw/commercial';

async function recordAndSeal(app: TestApp, { token: credential }: Customer, dealRef: string) {
  const post = async (path: string, body: object) =>
    (await rest<{ id: string }>(app, 'POST', COMMERCIAL + path, { credential, body })).body.id;
  const WtpHypothesis = await post('/wtp', { deal_ref: dealRef, wtp_rub: 1 });
  return { WtpHypothesis, CommercialReceipt: await post('/receipts', { deal_ref: dealRef }) };
}

/** Tops up, and states which deal that is for. */
async function stateTopUp(app: TestApp, { token: credential }: Customer, dealRef: string) {
  const post = (path: string, body: object) => rest(app, 'POST', path, { credential, body });
  await post(`${COMMERCIAL}/wtp`, { deal_ref: dealRef, wtp_rub: 1 });
  const paid = await post('/billing/top-up/manual', { amount_rub: 1 });
  const { request_id: id } = paid.body as { readonly request_id: string };
  type Stated = { wtpEvidenceState: { id: string } };
  return graphql<Stated>(app, STATE, { id, dealRef }, credential);
}

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    wtpHypothesisRecord: (customer) => graphql(app, HYPOTHESIS, {}, customer.token),
    wtpEvidenceState: (customer) => stateTopUp(app, customer, 'stated'),
    dealOutcomeRecord: (customer) => graphql(app, OUTCOME, {}, customer.token),
    commercialReceiptSeal: async (customer) => {
      const body = { deal_ref: 'sealed', wtp_rub: 1 };
      await rest(app, 'POST', `${COMMERCIAL}/wtp`, { credential: customer.token, body });
      return graphql(app, SEAL, {}, customer.token);
    },
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { data } = await stateTopUp(app, customer, 'stated');
  const own = await recordAndSeal(app, customer, 'own');
  return { ...own, WtpEvidence: data.wtpEvidenceState.id };
}
