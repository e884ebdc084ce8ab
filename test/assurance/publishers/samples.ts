import { type Customer, graphql, type TestApp } from '../../support/app.js';
import { ask, newPublished } from '../certification/world.js';

const CLAIMS = '/marketplace/publisher-identities';
const CLAIMED = { legal_name: 'ООО Ромашка', domain: 'romashka.example.com' };
const REPORT = { reason: 'misleading', details: 'It does something else.' };

/** A claim that the customer has open. */
async function newClaim(app: TestApp, { token }: Customer): Promise<string> {
  const { body } = await ask(app, 'POST', CLAIMS, CLAIMED, token);
  return body.id ?? String(Reflect.get(body.error, 'id'));
}

function byId(app: TestApp, { token }: Customer, mutation: string, id: string) {
  const text = `mutation($id: ID!) { ${mutation}(id: $id) { id status } }`;
  return graphql(app, text, { id }, token);
}

/** One successful call of each mutation that an organization has; operators are tested beside. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    publisherIdentityClaim: ({ token }) =>
      ask(app, 'POST', CLAIMS, { ...CLAIMED, domain: 'other.example.com' }, token),
    publisherIdentityVerify: async (customer) =>
      byId(app, customer, 'publisherIdentityVerify', await newClaim(app, customer)),
    publisherIdentityWithdraw: async (customer) =>
      byId(app, customer, 'publisherIdentityWithdraw', await newClaim(app, customer)),
    marketplaceListingReport: async (customer) => {
      const { listingId } = await newPublished(app, customer);
      const path = `/marketplace/listings/${listingId}/reports`;
      return ask(app, 'POST', path, REPORT, customer.token);
    },
  };
}

/** One of each thing of both modules: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { listingId } = await newPublished(app, customer);
  const path = `/marketplace/listings/${listingId}/reports`;
  const { body } = await ask(app, 'POST', path, REPORT, customer.token);
  return { PublisherIdentity: await newClaim(app, customer), ListingReport: body.id };
}
