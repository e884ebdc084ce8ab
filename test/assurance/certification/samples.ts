import { type Customer, graphql, type TestApp } from '../../support/app.js';
import { certify, newListing, newPublished, newReview } from './world.js';

const call = (app: TestApp, { token }: Customer, text: string, id?: string) =>
  graphql<Record<string, { id: string }>>(app, text, { id }, token);

const BY_ID = 'mutation($id: ID!)';
const REVIEW = { badge: 'cost_controlled' };

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    marketplaceListingCreate: (customer) => newListing(app, customer),
    marketplaceListingPublish: async (customer) => {
      const id = await newListing(app, customer);
      await certify(app, customer, id);
      const text = `${BY_ID} { marketplaceListingPublish(id: $id) { id status } }`;
      return call(app, customer, text, id);
    },
    marketplaceListingWithdraw: async (customer) => {
      const id = await newListing(app, customer);
      const text = `${BY_ID} { marketplaceListingWithdraw(id: $id) { id status } }`;
      return call(app, customer, text, id);
    },
    certificationReviewStart: async (customer) => {
      const listing_id = await newListing(app, customer);
      return newReview(app, customer, { ...REVIEW, listing_id });
    },
    certificationReviewDecide: async (customer) => {
      const listing_id = await newListing(app, customer);
      const id = await newReview(app, customer, { ...REVIEW, listing_id });
      const text = `${BY_ID} { certificationReviewDecide(id: $id,
        input: { gatesPassed: [documentation] }) { id status } }`;
      return call(app, customer, text, id);
    },
    certificationRevoke: async (customer) => {
      const id = await certify(app, customer, await newListing(app, customer));
      const text = `${BY_ID} { certificationRevoke(id: $id, input: { reason: "No." }) { id } }`;
      return call(app, customer, text, id);
    },
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { listingId, badgeId } = await newPublished(app, customer);
  return { MarketplaceListing: listingId, Certification: badgeId };
}
