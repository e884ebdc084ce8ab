import { type Customer, graphql, type TestApp } from '../../support/app.js';

const PUBLISH = `mutation {
  partnerTermsPublish(input: { clientId: "own", markupBasisPoints: 1000 }) { id } }`;

const publish = (app: TestApp, { token }: Customer) =>
  graphql<{ partnerTermsPublish: { id: string } }>(app, PUBLISH, {}, token);

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return { partnerTermsPublish: (customer) => publish(app, customer) };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { data } = await publish(app, customer);
  return { PartnerTerms: data.partnerTermsPublish.id };
}
