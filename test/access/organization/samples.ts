import { type Customer, graphql, type TestApp } from '../../support/app.js';

const SET = `mutation($always: Boolean!) {
  organizationFourEyesSet(always: $always) { id fourEyesAlways }
}`;

/** Sets whether four eyes are always required. */
export function setFourEyes(app: Pick<TestApp, 'url'>, credential: string, always: boolean) {
  return graphql<{ organizationFourEyesSet: { id: string; fourEyesAlways: boolean } }>(
    app,
    SET,
    { always },
    credential,
  );
}

/** One successful call of each mutation of the module, by the member. */
export function callsOf(
  app: Pick<TestApp, 'url'>,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return { organizationFourEyesSet: ({ token }) => setFourEyes(app, token, true) };
}

/** The module makes nothing that has an id of its own. */
export async function belongingsOf(): Promise<Record<string, string>> {
  return {};
}
