import { EPHEMERAL_SCOPES } from '../../../src/access/abuse/vocabulary.js';
import { KEY_TYPES, ROLES } from '../../../src/graph/permissions.js';
import { issue } from '../../access/abuse/samples.js';
import { newKey, newMember } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, type TestApp } from '../../support/app.js';

/** What a caller shows of itself, and by what its questions are limited. */
export interface Shown {
  readonly headers: Readonly<Record<string, string>>;
  /** The id behind the credential; undefined where it stands for nobody. */
  readonly id: string | undefined;
}

/** A kind of credential, and how one is come by in an organization of its own. */
export interface CredentialKind {
  readonly name: string;
  /** True where it may act on other organizations by its office. */
  readonly isOperator?: boolean;
  make(app: TestApp, customer: Customer): Promise<Shown>;
}

const FUNDS_RUB = 500;

function bearer(credential: string, id?: string): Shown {
  return { headers: { authorization: `Bearer ${credential}` }, id };
}

const MEMBERS: readonly CredentialKind[] = ROLES.codes.map((role) => ({
  name: `a member as ${role}`,
  async make(app, { token }) {
    const member = await newMember(app, token, role);
    return bearer(member.token, member.userId);
  },
}));

const KEYS: readonly CredentialKind[] = KEY_TYPES.codes.map((type) => ({
  name: `a key of type ${type}`,
  async make(app, { token }) {
    const { key, id } = await newKey(app, token, type);
    return bearer(key, id);
  },
}));

const TOKENS: readonly CredentialKind[] = EPHEMERAL_SCOPES.codes.map((scope) => ({
  name: `an ephemeral token for ${scope}`,
  async make(app, { token }) {
    const { body } = await issue(app, token, { scope, max_requests: 1_000 });
    return bearer(body.token, body.id);
  },
}));

async function changeKey(app: TestApp, id: string, change: string): Promise<void> {
  await app.owner.pool.query(`UPDATE api_key SET ${change} WHERE id = $1`, [id]);
}

/** Credentials that stand for nobody, or not any more. */
const VOID: readonly CredentialKind[] = [
  { name: 'no credential', make: async () => ({ headers: {}, id: undefined }) },
  {
    name: 'a key that was revoked',
    async make(app, { token }) {
      const { key, id } = await newKey(app, token, 'service');
      await graphql(app, 'mutation($id: ID!) { apiKeyRevoke(id: $id) { id } }', { id }, token);
      return bearer(key);
    },
  },
  {
    name: 'a key that has expired',
    async make(app, { token }) {
      const { key, id } = await newKey(app, token, 'service');
      await changeKey(app, id, `expires_at = clock_timestamp() - interval '1 second'`);
      return bearer(key);
    },
  },
  {
    name: 'a key that nobody has issued',
    async make(_, { key }) {
      return bearer(key.slice(0, -1) + (key.endsWith('0') ? '1' : '0'));
    },
  },
  {
    name: 'an ephemeral token that has expired',
    async make(app, { token }) {
      const { body } = await issue(app, token);
      await changeKey(app, body.id, `expires_at = clock_timestamp() - interval '1 second'`);
      return bearer(body.token);
    },
  },
  {
    name: 'a member who was removed',
    async make(app, { token }) {
      const { userId: id, token: removed } = await newMember(app, token, 'admin');
      await graphql(app, 'mutation($id: ID!) { memberRemove(id: $id) { id } }', { id }, token);
      return bearer(removed);
    },
  },
  {
    name: 'a member of an organization that is suspended',
    async make(app, { token, tenantId }) {
      await app.owner.pool.query(`UPDATE tenant SET status = 'suspended' WHERE id = $1`, [
        tenantId,
      ]);
      return bearer(token);
    },
  },
];

const OTHERS: readonly CredentialKind[] = [
  {
    name: 'an operator of the platform',
    isOperator: true,
    async make(app, { token, userId }) {
      const { platformAdmins } = app.server.services.config;
      (platformAdmins as Set<string>).add(userId);
      return bearer(token, userId);
    },
  },
];

/** Every kind of credential: of roles, key types and scopes whatever the tables hold. */
export const CREDENTIAL_KINDS: readonly CredentialKind[] = [
  ...MEMBERS,
  ...KEYS,
  ...TOKENS,
  ...OTHERS,
  ...VOID,
];

/** A credential of a kind, in an organization that has nothing but funds. */
export async function newCredential(app: TestApp, kind: CredentialKind): Promise<Shown> {
  return kind.make(app, await newCustomer(app, FUNDS_RUB));
}
