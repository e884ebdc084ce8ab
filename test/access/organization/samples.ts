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

const LIMITS = `mutation($always: Boolean!) {
  organizationLimitsByMembersSet(always: $always) { id limitsByMembers }
}`;

/** Sets whether members alone change limits. */
export function setLimitsByMembers(app: Pick<TestApp, 'url'>, credential: string, always: boolean) {
  return graphql<{ organizationLimitsByMembersSet: { id: string; limitsByMembers: boolean } }>(
    app,
    LIMITS,
    { always },
    credential,
  );
}

const REQUIRED = `mutation($required: Boolean!) {
  organizationWorkspaceRequiredSet(required: $required) { id workspaceRequired }
}`;

/** Sets whether every request needs a workspace. */
export function setWorkspaceRequired(
  app: Pick<TestApp, 'url'>,
  credential: string,
  required: boolean,
) {
  return graphql<{ organizationWorkspaceRequiredSet: { id: string; workspaceRequired: boolean } }>(
    app,
    REQUIRED,
    { required },
    credential,
  );
}

/** One successful call of each mutation of the module, by the member. */
export function callsOf(
  app: Pick<TestApp, 'url'>,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    organizationFourEyesSet: ({ token }) => setFourEyes(app, token, true),
    organizationSecondFactorSet: ({ token }) =>
      graphql(app, 'mutation { organizationSecondFactorSet(required: false) { id } }', {}, token),
    organizationLimitsByMembersSet: ({ token }) => setLimitsByMembers(app, token, true),
    organizationWorkspaceRequiredSet: ({ token }) => setWorkspaceRequired(app, token, false),
  };
}

/** The module makes nothing that has an id of its own. */
export async function belongingsOf(): Promise<Record<string, string>> {
  return {};
}
