import { invite, newKey, newMember, PASSWORD } from '../journeys/people.js';
import { type Customer, graphql, rest, type TestApp } from './app.js';
import { callsOfModules } from './modules.js';

/** Calls a mutation once so that it changes something. */
export type Call = (customer: Customer) => Promise<unknown>;

/** How each mutation that manages something is called. */
export function callsOfMutations(app: TestApp): Readonly<Record<string, Call>> {
  const mutate =
    (text: string, variables: (customer: Customer) => Promise<Record<string, unknown>>) =>
    async (customer: Customer) =>
      graphql(app, `mutation${text}`, await variables(customer), customer.token);
  return {
    ...callsOfModules(app),
    authRegister: async () => {},
    inviteAccept: async ({ token }) => {
      const invited = await invite(app, token, 'viewer');
      const body = { token: invited.token, password: PASSWORD };
      await rest(app, 'POST', '/auth/accept-invite', { body });
    },
    inviteCreate: ({ token }) => invite(app, token, 'viewer'),
    inviteRevoke: mutate('($id: ID!) { inviteRevoke(id: $id) { id } }', async (owner) => {
      const { id } = await invite(app, owner.token, 'viewer');
      return { id };
    }),
    memberChangeRole: mutate(
      '($id: ID!) { memberChangeRole(id: $id, role: admin) { id } }',
      async (owner) => ({ id: (await newMember(app, owner.token, 'viewer')).userId }),
    ),
    memberRemove: mutate('($id: ID!) { memberRemove(id: $id) { id } }', async (owner) => {
      const { userId } = await newMember(app, owner.token, 'viewer');
      return { id: userId };
    }),
    projectCreate: mutate(' { projectCreate(name: "second") { id } }', async () => ({})),
    apiKeyCreate: ({ token }) => newKey(app, token, 'agent'),
    apiKeyRevoke: mutate('($id: ID!) { apiKeyRevoke(id: $id) { id } }', async (owner) => {
      const { id } = await newKey(app, owner.token, 'agent');
      return { id };
    }),
    apiKeyUpdate: mutate(
      '($id: ID!) { apiKeyUpdate(id: $id, input: { limits: { rpm: 9 } }) { id } }',
      async (owner) => ({ id: (await newKey(app, owner.token, 'agent')).id }),
    ),
    apiKeyRotate: mutate('($id: ID!) { apiKeyRotate(id: $id) { key } }', async (owner) => ({
      id: (await newKey(app, owner.token, 'agent')).id,
    })),
    apiKeyFormerSecretsEnd: mutate(
      '($id: ID!) { apiKeyFormerSecretsEnd(id: $id) { id } }',
      async (owner) => {
        const { id } = await newKey(app, owner.token, 'agent');
        const path = `/api-keys/${id}/rotate`;
        await rest(app, 'POST', path, { credential: owner.token, body: {} });
        return { id };
      },
    ),
    policyCreate: mutate(' { policyCreate(input: {}) { id } }', async () => ({})),
    policyUpdate: mutate(
      '($id: ID!) { policyUpdate(id: $id, input: { name: "other" }) { id } }',
      async ({ token }) => {
        const { body } = await rest(app, 'POST', '/v1/gw/policies', {
          credential: token,
          body: {},
        });
        return { id: body.id };
      },
    ),
    billingTopUp: mutate(' { billingTopUp(amount: "1") { requestId } }', async () => ({})),
  };
}
