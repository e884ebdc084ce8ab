import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const PACKS = '/v1/gw/procurement/packs';

/** A new pack of a customer. @returns its id */
export async function newPack(
  app: TestApp,
  { token }: Pick<Customer, 'token'>,
  body: Record<string, unknown> = {},
): Promise<string> {
  const made = await rest<{ id: string }>(app, 'POST', PACKS, { credential: token, body });
  return made.body.id;
}

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  const onPack = (text: string) => async (customer: Customer) => {
    const id = await newPack(app, customer);
    return graphql(app, text, { id }, customer.token);
  };
  return {
    procurementPackAssemble: (customer) => newPack(app, customer),
    procurementPackStatusSet: onPack(
      `mutation($id: ID!) { procurementPackStatusSet(id: $id, input: { status: legal_review }) {
        id } }`,
    ),
    procurementQuestionnaireFill: onPack(
      `mutation($id: ID!) { procurementQuestionnaireFill(id: $id, input: {
        answers: [{ question: "iso_27001", answer: no }] }) { completionScore } }`,
    ),
    procurementEdoTrack: onPack(
      `mutation($id: ID!) { procurementEdoTrack(id: $id, input: { provider: diadoc }) { id } }`,
    ),
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  return { ProcurementPack: await newPack(app, customer) };
}
