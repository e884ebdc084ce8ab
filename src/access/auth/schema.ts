import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import type { Role } from '../../graph/permissions.js';
import { PrincipalKindEnum } from '../../graph/principals.js';
import { storedFields } from '../../graph/table-types.js';
import { instant, text } from '../../kernel/fields/field.js';
import { Account } from '../../money/billing/schema.js';
import { termsInForce } from '../../money/billing/terms.js';
import { tenantDatabase } from '../../platform/database/tenant.js';
import { AuditEvent } from '../../records/schema.js';
import {
  type MemberStatus,
  MemberStatusEnum,
  RoleEnum,
  type TenantStatus,
  TenantStatusEnum,
} from './enums.js';
import { acceptInvite, changeRole, createInvite, removeMember, revokeInvite } from './members.js';
import { createProject } from './projects.js';
import { type LoggedIn, logIn, type Registered, registerTenant } from './registration.js';
import { rotateSession, type Tokens } from './sessions.js';

/** An organization. */
export const Tenant = builder.prismaNode('Tenant', {
  id: { field: 'id', description: 'The id of the organization.' },
  description: 'An organization: the customer to whom everything belongs.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name it was registered with.' }),
    status: t.field({
      type: TenantStatusEnum,
      description: 'Whether the organization is served.',
      resolve: ({ status }) => status as TenantStatus,
    }),
    plan: t.string({
      description: 'The commercial plan in force.',
      resolve: async ({ id }, _args, { services }) =>
        (await termsInForce(tenantDatabase(services.prisma, id), id)).plan,
    }),
    fourEyesAlways: t.exposeBoolean('fourEyesAlways', {
      description: 'True when nobody may ever approve their own request.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was registered.' }),
  }),
});

const Project = builder.prismaNode('Project', {
  id: { field: 'id', description: 'The id of the project.' },
  description: 'A project of an organization: keys and policies belong to one.',
  fields: (t) =>
    storedFields(t, {
      name: text('Unique in the organization.'),
      createdAt: instant('When it was created.'),
    }),
});

const User = builder.prismaNode('User', {
  id: { field: 'id', description: 'The id of the member.' },
  description: 'A member of an organization.',
  fields: (t) => ({
    email: t.exposeString('email', { description: 'The e-mail that the member logs in with.' }),
    role: t.field({
      type: RoleEnum,
      description: 'What the member may do.',
      resolve: (user) => user.role as Role,
    }),
    status: t.field({
      type: MemberStatusEnum,
      description: 'Whether the member can still log in.',
      resolve: ({ status }) => status as MemberStatus,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the member joined.' }),
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
  fields: (t) => ({
    email: t.exposeString('email', { description: 'Who is invited.' }),
    role: t.field({
      type: RoleEnum,
      description: 'The role that the new member gets.',
      resolve: (invite) => invite.role as Role,
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Until when the invite can be accepted.',
    }),
    acceptedAt: t.expose('acceptedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was used; null while it is open.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was withdrawn; null while it is not.',
    }),
  }),
});

const Credentials = builder.interfaceRef<Tokens>('AuthCredentials').implement({
  description: 'The credentials of a login.',
  fields: (t) => ({
    accessToken: t.exposeString('accessToken', { description: 'Bearer token of the API.' }),
    refreshToken: t.exposeString('refreshToken', {
      description: 'Exchanged once for new tokens; using it twice closes the login.',
    }),
    tokenType: t.exposeString('tokenType', {
      description: 'How the access token is shown in `Authorization`: always `Bearer`.',
    }),
    expiresInSeconds: t.exposeInt('expiresInSeconds', {
      description: 'How long the access token is valid.',
    }),
  }),
});

const TokensType = builder.objectRef<Tokens>('AuthTokens').implement({
  description: 'New tokens of a login.',
  interfaces: [Credentials],
});

const RegisteredType = builder.objectRef<Registered>('AuthRegistration').implement({
  description: 'Everything that registration created, with the first login.',
  interfaces: [Credentials],
  fields: (t) => ({
    tenant: t.expose('tenant', {
      type: Tenant,
      description: 'The organization that was registered.',
    }),
    project: t.expose('project', { type: Project, description: 'Its first project.' }),
    account: t.expose('account', { type: Account, description: 'Its ruble account.' }),
    user: t.expose('user', {
      type: User,
      description: 'The member who registered and owns the organization.',
    }),
  }),
});

const LoggedInType = builder.objectRef<LoggedIn>('AuthLogin').implement({
  description: 'A login: the member and the credentials.',
  interfaces: [Credentials],
  fields: (t) => ({
    user: t.expose('user', { type: User, description: 'The member who logged in.' }),
  }),
});

const CreatedInvite = builder
  .objectRef<Awaited<ReturnType<typeof createInvite>>>('InviteCreated')
  .implement({
    description: 'A new invite with its token.',
    fields: (t) => ({
      invite: t.expose('invite', {
        type: Invite,
        description: 'The invite as it stands in the list of invites.',
      }),
      token: t.exposeString('token', { description: 'Shown this once; send it to the person.' }),
    }),
  });

const Me = builder.objectRef<object>('Me').implement({
  description: 'Who is asking, and with what rights.',
  fields: (t) => ({
    kind: t.field({
      type: PrincipalKindEnum,
      description: 'Whether a member or a key asks.',
      resolve: (_me, _args, ctx) => authorized(ctx).who.kind,
    }),
    role: t.string({
      description: 'The role of the member or the type of the key.',
      resolve: (_me, _args, ctx) => authorized(ctx).who.role,
    }),
    permissions: t.stringList({
      description: 'What the caller may do.',
      resolve: (_me, _args, ctx) => [...authorized(ctx).who.permissions],
    }),
    user: t.prismaField({
      type: User,
      nullable: true,
      description: 'The member; null when a key asks.',
      resolve: (query, _me, _args, ctx) =>
        database(ctx).user.findFirst({ ...query, where: { id: authorized(ctx).who.id } }),
    }),
    tenant: t.prismaField({
      type: Tenant,
      description: 'The organization that the caller belongs to.',
      resolve: (query, _me, _args, ctx) => database(ctx).tenant.findFirstOrThrow({ ...query }),
    }),
    platformAdmin: t.boolean({
      description: 'True for members whom the operator of the server lists as administrators.',
      resolve: (_me, _args, ctx) => authorized(ctx).who.platformAdmin,
    }),
    projectId: t.field({
      type: 'ID',
      description: 'The project that the caller acts in.',
      resolve: (_me, _args, ctx) => authorized(ctx).who.projectId,
    }),
    accountId: t.field({
      type: 'ID',
      description: 'The ruble account of the organization.',
      resolve: (_me, _args, ctx) => authorized(ctx).who.accountId,
    }),
  }),
});

builder.queryFields((t) => ({
  me: t.field({
    type: Me,
    description: 'The caller: member or key, organization, rights.',
    authScopes: { can: 'profile.read' },
    resolve: () => ({}),
  }),
  projects: t.prismaConnection({
    type: Project,
    cursor: 'id',
    description: 'Projects of the organization, newest first.',
    authScopes: { can: 'profile.read' },
    complexity: pageComplexity,
    totalCount: (_root, _args, ctx) => database(ctx).project.count({}),
    resolve: (query, _root, _args, ctx) =>
      database(ctx).project.findMany({ ...query, orderBy: NEWEST_FIRST }),
  }),
  members: t.prismaConnection({
    type: User,
    cursor: 'id',
    description: 'Members of the organization, newest first.',
    authScopes: { can: 'members.read' },
    complexity: pageComplexity,
    totalCount: (_root, _args, ctx) => database(ctx).user.count({}),
    resolve: (query, _root, _args, ctx) =>
      database(ctx).user.findMany({ ...query, orderBy: NEWEST_FIRST }),
  }),
  invites: t.prismaConnection({
    type: Invite,
    cursor: 'id',
    description: 'Invites of the organization, newest first.',
    authScopes: { can: 'members.read' },
    complexity: pageComplexity,
    totalCount: (_root, _args, ctx) => database(ctx).invite.count({}),
    resolve: (query, _root, _args, ctx) =>
      database(ctx).invite.findMany({ ...query, orderBy: NEWEST_FIRST }),
  }),
}));

const requiredText = { required: true } as const;

builder.mutationFields((t) => ({
  authRegister: t.field({
    type: RegisteredType,
    description: 'Registers a customer: organization, project, ruble account and owner.',
    args: {
      email: t.arg.string({ ...requiredText, description: 'E-mail of the owner.' }),
      password: t.arg.string({ ...requiredText, description: '10 to 256 characters.' }),
      organization: t.arg.string({ ...requiredText, description: 'Name of the organization.' }),
    },
    resolve: (_root, args, ctx) => registerTenant(ctx, args),
  }),
  authLogin: t.field({
    type: LoggedInType,
    description: 'Logs a member in.',
    args: {
      email: t.arg.string({ ...requiredText, description: 'E-mail of the member.' }),
      password: t.arg.string({ ...requiredText, description: 'The password of the member.' }),
    },
    resolve: (_root, { email, password }, ctx) => logIn(ctx, email, password),
  }),
  authRefresh: t.field({
    type: TokensType,
    description: 'Exchanges a refresh token for new tokens.',
    args: { refreshToken: t.arg.string({ ...requiredText, description: 'The refresh token.' }) },
    resolve: (_root, { refreshToken }, ctx) => rotateSession(ctx.services, refreshToken),
  }),
  inviteAccept: t.field({
    type: LoggedInType,
    description: 'Joins the organization of an invite and logs the new member in.',
    args: {
      token: t.arg.string({ ...requiredText, description: 'The token of the invite.' }),
      password: t.arg.string({
        ...requiredText,
        description: 'The new password, 10 to 256 characters.',
      }),
      email: t.arg.string({ description: 'When given, must be the invited e-mail.' }),
    },
    resolve: (_root, args, ctx) => acceptInvite(ctx, args),
  }),
}));

builder.mutationFields((t) => ({
  inviteCreate: t.field({
    type: CreatedInvite,
    description: 'Invites a person to the organization.',
    authScopes: { can: 'members.write' },
    args: {
      email: t.arg.string({ ...requiredText, description: 'Whom to invite.' }),
      role: t.arg({
        type: RoleEnum,
        ...requiredText,
        description: 'The role the new member gets.',
      }),
    },
    resolve: (_root, { email, role }, ctx) => createInvite(authorized(ctx), email, role),
  }),
  inviteRevoke: t.field({
    type: Invite,
    description: 'Withdraws an open invite.',
    authScopes: { can: 'members.write' },
    args: {
      id: t.arg({ type: 'ID', ...requiredText, description: 'The id of the invite to withdraw.' }),
    },
    resolve: (_root, { id }, ctx) => revokeInvite(authorized(ctx), id),
  }),
  memberChangeRole: t.field({
    type: User,
    description: 'Gives a member another role.',
    authScopes: { can: 'members.write' },
    args: {
      id: t.arg({ type: 'ID', ...requiredText, description: 'The id of the member.' }),
      role: t.arg({
        type: RoleEnum,
        ...requiredText,
        description: 'The role that the member has from now on.',
      }),
    },
    resolve: (_root, { id, role }, ctx) => changeRole(authorized(ctx), id, role),
  }),
  memberRemove: t.field({
    type: User,
    description: 'Removes a member; all logins of theirs end at once.',
    authScopes: { can: 'members.write' },
    args: {
      id: t.arg({ type: 'ID', ...requiredText, description: 'The id of the member to remove.' }),
    },
    resolve: (_root, { id }, ctx) => removeMember(authorized(ctx), id),
  }),
  projectCreate: t.field({
    type: Project,
    description: 'Creates a project.',
    authScopes: { can: 'projects.write' },
    args: { name: t.arg.string({ ...requiredText, description: 'Unique in the organization.' }) },
    resolve: (_root, { name }, ctx) => createProject(authorized(ctx), name),
  }),
}));
