import { type Customer, graphql, type TestApp } from '../../support/app.js';

const TRACK = `mutation {
  onboardingTrack(input: { milestones: [quickstart] }) { id receiptId } }`;

interface Tracked {
  readonly onboardingTrack: { readonly id: string; readonly receiptId: string };
}

const track = (app: TestApp, { token }: Customer) => graphql<Tracked>(app, TRACK, {}, token);

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return { onboardingTrack: (customer) => track(app, customer) };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { data } = await track(app, customer);
  const { id, receiptId } = data.onboardingTrack;
  return { Onboarding: id, OnboardingReceipt: receiptId };
}
