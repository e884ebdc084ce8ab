import { brandWithType } from '@pothos/core';
import { builder } from '../../graph/builder.js';
import type { AuthorizedCtx, Principal } from '../../graph/ctx.js';
import { authorized, database } from '../../graph/database.js';
import { loadNodesOf } from '../../graph/node.js';
import { ownList } from '../../graph/own-list.js';
import { ROLES } from '../../graph/permissions.js';
import { PRINCIPAL_KINDS } from '../../graph/principals.js';
import { argsOf, shownFields, storedFields, typed } from '../../graph/table-types.js';
import {
  code,
  defaulting,
  flag,
  instant,
  integer,
  list,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { Account } from '../../money/billing/schema.js';
import { termsInForce } from '../../money/billing/terms.js';
import { tenantDatabase } from '../../platform/database/tenant.js';
import { AuditEvent } from '../../records/schema.js';
import { DESCENDANTS } from '../keys/vocabulary.js';
import { workspaceOfCaller } from '../workspaces/boundary.js';
import {
  acceptInvite,
  type CreatedInvite,
  changeRole,
  createInvite,
  removeMember,
  revokeInvite,
} from './members.js';
import { createProject } from './projects.js';
import { type LoggedIn, logIn, type Registered, registerTenant } from './registration.js';
import { rotateSession, type Tokens } from './sessions.js';
import { MEMBER_STATUSES, TENANT_STATUSES } from './vocabulary.js';

/** An organization. */
export const Tenant = builder.prismaNode('Tenant', {
  id: { field: 'id', description: 'The id of the organization.' },
  description: 'An organization: the customer to whom everything belongs.',
  fields: (t) => ({
    ...storedFields(t, {
      name: text('The name it was registered with.'),
      status: code(TENANT_STATUSES, 'Whether the organization is served.'),
      fourEyesAlways: flag('True when nobody may ever approve their own request.'),
      secondFactorRequired: flag('True when members without a second factor can only enrol one.'),
      limitsByMembers: flag('True when members alone change limits, budgets and policies.'),
      workspaceRequired: flag('True when requests without a workspace are refused.'),
      createdAt: instant('When it was registered.'),
    }),
    plan: t.string({
      description: 'The commercial plan in force.',
      resolve: async ({ id }, _args, { services }) =>
        (await termsInForce(tenantDatabase(services.prisma, id), id)).plan,
    }),
  }),
});

/** A project. */
export const Project = builder.prismaNode('Project', {
  id: { field: 'id', description: 'The id of the project.' },
  description: 'A project of an organization: keys and policies belong to one.',
  fields: (t) =>
    storedFields(t, {
      name: text('Unique in the organization.'),
      workspaceId: optional(
        uuid('The workspace that all requests in it are made under; null for no such rule.'),
      ),
      createdAt: instant('When it was created.'),
    }),
});

/** A member. */
export const User = builder.prismaNode('User', {
  id: { field: 'id', description: 'The id of the member.' },
  description: 'A member of an organization.',
  fields: (t) =>
    storedFields(t, {
      email: text('The e-mail that the member logs in with.'),
      role: code(ROLES, 'What the member may do.'),
      status: code(MEMBER_STATUSES, 'Whether the member can still log in.'),
      workspaceId: optional(uuid('The workspace that the member belongs to; null for none.')),
      createdAt: instant('When the member joined.'),
    }),
});

builder.objectField(AuditEvent, 'member', (t) =>
  t.loadable({
    type: User,
    nullable: true,
    description: 'The member that acted; null when a key did.',
    load: async (ids: string[], ctx) => {
      const members = await database(ctx).user.findMany({ where: { id: { in: ids } } });
      const byId = new Map(members.map((member) => [member.id, member]));
      return ids.map((id) => byId.get(id) ?? new Error(`no member ${id}`));
    },
    resolve: (event) => (event.actorKind === 'user' ? event.actorId : null),
  }),
);

const Invite = builder.prismaNode('Invite', {
  id: { field: 'id', description: 'The id of the invite.' },
  description: 'An invite to join an organization: one use, bound to an e-mail and a role.',
  fields: (t) =>
    storedFields(t, {
      email: text('Who is invited.'),
      role: code(ROLES, 'The role that the new member gets.'),
      expiresAt: instant('Until when the invite can be accepted.'),
      acceptedAt: optional(instant('When it was used; null while it is open.')),
      revokedAt: optional(instant('When it was withdrawn; null while it is not.')),
    }),
});

const Credentials = builder.interfaceRef<Tokens>('AuthCredentials').implement({
  description: 'The credentials of a login.',
  fields: (t) =>
    storedFields(t, {
      accessToken: text('Bearer token of the API.'),
      refreshToken: text('Exchanged once for new tokens; using it twice closes the login.'),
      tokenType: text('How the access token is shown in `Authorization`: always `Bearer`.'),
      expiresInSeconds: integer('How long the access token is valid.'),
    }),
});

const TokensType = builder.objectRef<Tokens>('AuthTokens').implement({
  description: 'New tokens of a login.',
  interfaces: [Credentials],
});

const RegisteredType = builder.objectRef<Registered>('AuthRegistration').implement({
  description: 'Everything that registration created, with the first login.',
  interfaces: [Credentials],
  fields: (t) =>
    storedFields(t, {
      tenant: typed(Tenant, 'The organization that was registered.'),
      project: typed(Project, 'Its first project.'),
      account: typed(Account, 'Its ruble account.'),
      user: typed(User, 'The member who registered and owns the organization.'),
    }),
});

const LoggedInType = builder.objectRef<LoggedIn>('AuthLogin').implement({
  description: 'A login: the member and the credentials.',
  interfaces: [Credentials],
  fields: (t) => storedFields(t, { user: typed(User, 'The member who logged in.') }),
});

const CreatedInviteType = builder.objectRef<CreatedInvite>('InviteCreated').implement({
  description: 'A new invite with its token.',
  fields: (t) =>
    storedFields(t, {
      invite: typed(Invite, 'The invite as it stands in the list of invites.'),
      token: text('Shown this once; send it to the person.'),
    }),
});

/** Who asks: the principal, whose sets are shown as lists. */
const ME = {
  kind: code(PRINCIPAL_KINDS, 'Whether a member or a key asks.'),
  role: text('The role of the member or the type of the key.'),
  permissions: list(text('A permission.'), 'What the caller may do.'),
  platformAdmin: flag('True for members whom the operator of the server lists as administrators.'),
  projectId: uuid('The project that the caller acts in.'),
  accountId: uuid('The ruble account of the organization.'),
};

const Me = builder.objectRef<Principal>('Me').implement({
  description: 'Who is asking, and with what rights.',
  fields: (t) => ({
    ...shownFields(t, ME, (who) => ({ ...who, permissions: [...who.permissions] })),
    user: t.prismaField({
      type: User,
      nullable: true,
      description: 'The member; null when a key asks.',
      resolve: (query, { id }, _args, ctx) =>
        database(ctx).user.findFirst({ ...query, where: { id } }),
    }),
    tenant: t.prismaField({
      type: Tenant,
      description: 'The organization that the caller belongs to.',
      resolve: (query, _me, _args, ctx) => database(ctx).tenant.findFirstOrThrow({ ...query }),
    }),
  }),
});

builder.queryField('me', (t) =>
  t.field({
    type: Me,
    description: 'The caller: member or key, organization, rights.',
    authScopes: { can: 'profile.read' },
    resolve: (_root, _args, ctx) => authorized(ctx).who,
  }),
);

/** The projects that a caller sees. */
function seenProjects(ctx: AuthorizedCtx) {
  const workspaceId = workspaceOfCaller(ctx);
  return workspaceId === undefined ? {} : { OR: [{ id: ctx.who.projectId }, { workspaceId }] };
}

loadNodesOf('Project', async (given, ids) => {
  const ctx = authorized(given);
  const where = { AND: [{ id: { in: [...ids] } }, seenProjects(ctx)] };
  const rows = await database(ctx).project.findMany({ where });
  for (const row of rows) brandWithType(row, 'Project' as never);
  return rows;
});

ownList({
  field: 'projects',
  type: Project,
  description:
    'Projects of the organization, newest first. A caller of a workspace sees those of it, and ' +
    'the one that it acts in.',
  permission: 'profile.read',
  within: (ctx) => seenProjects(authorized(ctx)),
  counts: true,
});

ownList({
  field: 'members',
  type: User,
  description: 'Members of the organization, newest first.',
  permission: 'members.read',
  counts: true,
});

ownList({
  field: 'invites',
  type: Invite,
  description: 'Invites of the organization, newest first.',
  permission: 'members.read',
  counts: true,
});

builder.mutationFields((t) => ({
  authRegister: t.field({
    type: RegisteredType,
    description: 'Registers a customer: organization, project, ruble account and owner.',
    args: argsOf(t, {
      email: text('E-mail of the owner.'),
      password: text('10 to 256 characters.'),
      organization: text('Name of the organization.'),
    }),
    resolve: (_root, args, ctx) => registerTenant(ctx, args),
  }),
  authLogin: t.field({
    type: LoggedInType,
    description: 'Logs a member in.',
    args: argsOf(t, {
      email: text('E-mail of the member.'),
      password: text('The password of the member.'),
      code: optional(
        text('A code of the second factor, or a recovery code; needed where the member has one.'),
      ),
    }),
    resolve: (_root, args, ctx) => logIn(ctx, args),
  }),
  authRefresh: t.field({
    type: TokensType,
    description: 'Exchanges a refresh token for new tokens.',
    args: argsOf(t, { refreshToken: text('The refresh token.') }),
    resolve: (_root, { refreshToken }, ctx) => rotateSession(ctx, refreshToken),
  }),
  inviteAccept: t.field({
    type: LoggedInType,
    description: 'Joins the organization of an invite and logs the new member in.',
    args: argsOf(t, {
      token: text('The token of the invite.'),
      password: text('The new password, 10 to 256 characters.'),
      email: optional(text('When given, must be the invited e-mail.')),
    }),
    resolve: (_root, args, ctx) => acceptInvite(ctx, args),
  }),
}));

builder.mutationFields((t) => ({
  inviteCreate: t.field({
    type: CreatedInviteType,
    description: 'Invites a person to the organization.',
    authScopes: { can: 'members.write' },
    args: argsOf(t, {
      email: text('Whom to invite.'),
      role: code(ROLES, 'The role the new member gets.'),
    }),
    resolve: (_root, { email, role }, ctx) => createInvite(authorized(ctx), email, role),
  }),
  inviteRevoke: t.field({
    type: Invite,
    description: 'Withdraws an open invite.',
    authScopes: { can: 'members.write' },
    args: argsOf(t, { id: uuid('The id of the invite to withdraw.') }),
    resolve: (_root, { id }, ctx) => revokeInvite(authorized(ctx), id),
  }),
  memberChangeRole: t.field({
    type: User,
    description: 'Gives a member another role.',
    authScopes: { can: 'members.write' },
    args: argsOf(t, {
      id: uuid('The id of the member.'),
      role: code(ROLES, 'The role that the member has from now on.'),
    }),
    resolve: (_root, { id, role }, ctx) => changeRole(authorized(ctx), id, role),
  }),
  memberRemove: t.field({
    type: User,
    description:
      'Removes a member; all logins of theirs end at once, with the keys that they have made or ' +
      'rotated and all that these have made. To keep what serves others, rotate it first or name ' +
      '`keep`. Whoever is invited by that e-mail later joins as a new member.',
    authScopes: { can: 'members.write' },
    args: argsOf(t, {
      id: uuid('The id of the member to remove.'),
      descendants: defaulting(
        code(DESCENDANTS, 'What becomes of the keys that the member has made.'),
        'revoke',
      ),
    }),
    resolve: (_root, { id, descendants }, ctx) => removeMember(authorized(ctx), id, descendants),
  }),
  projectCreate: t.field({
    type: Project,
    description: 'Creates a project.',
    authScopes: { can: 'projects.write' },
    args: argsOf(t, { name: text('Unique in the organization.') }),
    resolve: (_root, { name }, ctx) => createProject(authorized(ctx), name),
  }),
}));
