import { newMember, PASSWORD } from '../../journeys/people.js';
import { type Customer, graphql, type TestApp } from '../../support/app.js';
import { enrol, newFactor } from './authenticator.js';
import { type Login, logIn } from './nodes.js';

/** Another login of the customer's owner. */
async function another(app: Pick<TestApp, 'url'>, { email }: Customer): Promise<Login> {
  return (await logIn(app, email)).body;
}

/** Issues a link for the new password of a member. */
async function issueReset(
  app: Pick<TestApp, 'url'>,
  credential: string,
  id: string,
): Promise<{ readonly token: string }> {
  const query = 'mutation($id: ID!) { memberPasswordResetIssue(id: $id) { token } }';
  const { data } = await graphql<{ memberPasswordResetIssue: { token: string } }>(
    app,
    query,
    { id },
    credential,
  );
  return data.memberPasswordResetIssue;
}

/** The sessions of whoever shows a token, newest first. */
async function sessionIds(
  app: Pick<TestApp, 'url'>,
  credential: string,
): Promise<readonly string[]> {
  const { data } = await graphql<{ authSessions: { nodes: { id: string }[] } }>(
    app,
    '{ authSessions { nodes { id } } }',
    {},
    credential,
  );
  return data.authSessions.nodes.map(({ id }) => id);
}

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    authLogout: async (customer) => {
      const { accessToken } = await another(app, customer);
      return graphql(app, 'mutation { authLogout { id } }', {}, accessToken);
    },
    authLogoutEverywhere: ({ token }) =>
      graphql(
        app,
        'mutation { authLogoutEverywhere(keepThis: true) { endedSessions } }',
        {},
        token,
      ),
    authPasswordChange: ({ token }) => {
      const query = `mutation($old: String!) {
        authPasswordChange(currentPassword: $old, newPassword: "another long password") {
          endedSessions
        }
      }`;
      return graphql(app, query, { old: PASSWORD }, token);
    },
    authPasswordReset: async ({ token: credential }) => {
      const { userId } = await newMember(app, credential, 'viewer');
      const { token } = await issueReset(app, credential, userId);
      const query = `mutation($token: String!) {
        authPasswordReset(token: $token, newPassword: "another long password") { endedSessions }
      }`;
      return graphql(app, query, { token });
    },
    authSecondFactorEnroll: ({ token }) => enrol(app, token),
    authSecondFactorConfirm: ({ token }) => newFactor(app, token),
    authRecoveryCodesRenew: async ({ token }) => {
      const { recoveryCodes } = await newFactor(app, token);
      const query = `mutation($code: String!) {
        authRecoveryCodesRenew(code: $code) { recoveryCodes }
      }`;
      return graphql(app, query, { code: recoveryCodes[0] }, token);
    },
    authSecondFactorRemove: async ({ token }) => {
      const { recoveryCodes } = await newFactor(app, token);
      const query = `mutation($password: String!, $code: String!) {
        authSecondFactorRemove(password: $password, code: $code) { endedSessions }
      }`;
      return graphql(app, query, { password: PASSWORD, code: recoveryCodes[0] }, token);
    },
    memberSecondFactorRemove: async ({ token }) => {
      const { userId: id, token: theirs } = await newMember(app, token, 'viewer');
      await newFactor(app, theirs);
      const query = 'mutation($id: ID!) { memberSecondFactorRemove(id: $id) { id } }';
      return graphql(app, query, { id }, token);
    },
    memberPasswordResetIssue: async ({ token }) => {
      const { userId } = await newMember(app, token, 'viewer');
      return issueReset(app, token, userId);
    },
    authSessionEnd: async (customer) => {
      await another(app, customer);
      const [id] = await sessionIds(app, customer.token);
      const query = 'mutation($id: ID!) { authSessionEnd(id: $id) { id } }';
      return graphql(app, query, { id }, customer.token);
    },
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { accessToken } = await another(app, customer);
  const [id = ''] = await sessionIds(app, accessToken);
  return { AuthSession: id };
}
