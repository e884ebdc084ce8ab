import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { byId } from '../../graph/filters.js';
import { pageComplexity } from '../../graph/page.js';
import { argsOf, storedFields } from '../../graph/table-types.js';
import {
  defaulting,
  flag,
  instant,
  integer,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import {
  type Ended,
  endSession,
  logOut,
  logOutEverywhere,
  ownOpenSessions,
} from './own-sessions.js';

const AuthSession = builder.prismaObject('AuthSession', {
  description: 'A login of a member: what it was made by, and until when it can be used.',
  fields: (t) => ({
    ...storedFields(t, {
      id: uuid('The id of the session.'),
      createdAt: instant('When the member logged in.'),
      lastSeenAt: instant(
        'When the session last took tokens, by logging in or by its refresh token. Its latest ' +
          'request came at most 15 minutes later.',
      ),
      expiresAt: instant('When it ends by itself unless it takes new tokens.'),
      endedAt: optional(instant('When it was ended; null while it is open.')),
      userAgent: optional(
        text('What the client called itself then; null where it said nothing, and after the end.'),
      ),
      network: optional(
        text(
          'The network that the client was in then, such as `203.0.113.0/24`; the address itself ' +
            'is not kept. Null after the end.',
        ),
      ),
    }),
    current: t.boolean({
      description: 'True for the session of this request.',
      resolve: ({ id }, _args, ctx) => authorized(ctx).who.sessionId === id,
    }),
  }),
});

/** What became of the sessions of a member. */
export const EndedType = builder.objectRef<Ended>('AuthSessionsEnded').implement({
  description: 'What became of the sessions of a member.',
  fields: (t) =>
    storedFields(t, { endedSessions: integer('How many sessions were open and have ended.') }),
});

builder.queryField('authSessions', (t) =>
  t.prismaConnection({
    type: AuthSession,
    cursor: 'id',
    description: 'The open sessions of the member who asks, newest first.',
    authScopes: { can: 'credentials.own' },
    complexity: pageComplexity,
    totalCount: (_root, _args, ctx) =>
      database(ctx).authSession.count({ where: ownOpenSessions(authorized(ctx)) }),
    resolve: (query, _root, _args, ctx) =>
      database(ctx).authSession.findMany({
        ...query,
        where: ownOpenSessions(authorized(ctx)),
        orderBy: byId(undefined),
      }),
  }),
);

builder.mutationFields((t) => ({
  authLogout: t.field({
    type: AuthSession,
    description:
      'Ends the session of this request: its tokens are refused from now on, and its sockets and ' +
      'feeds close.',
    authScopes: { can: 'credentials.own' },
    resolve: (_root, _args, ctx) => logOut(authorized(ctx)),
  }),
  authLogoutEverywhere: t.field({
    type: EndedType,
    description:
      'Ends all sessions of the member who asks, on all devices. API keys are not sessions: they ' +
      'stay.',
    authScopes: { can: 'credentials.own' },
    args: argsOf(t, {
      keepThis: defaulting(flag('True keeps the session of this request.'), false),
    }),
    resolve: (_root, { keepThis }, ctx) => logOutEverywhere(authorized(ctx), keepThis),
  }),
  authSessionEnd: t.field({
    type: AuthSession,
    description: 'Ends one of the sessions of the member who asks.',
    authScopes: { can: 'credentials.own' },
    args: argsOf(t, { id: uuid('The id of the session, as `authSessions` lists it.') }),
    resolve: (_root, { id }, ctx) => endSession(authorized(ctx), id),
  }),
}));
