import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, storedFields } from '../../graph/table-types.js';
import { flag, instant, text, uuid } from '../../kernel/fields/field.js';
import { changePassword } from './password.js';
import {
  type IssuedReset,
  issueReset,
  type ResetRequested,
  requestReset,
  resetPassword,
} from './password-reset.js';
import { EndedType } from './schema.js';

const RequestedType = builder.objectRef<ResetRequested>('AuthPasswordResetRequested').implement({
  description: 'What becomes of the wish for a new password; it tells nothing of the address.',
  fields: (t) =>
    storedFields(t, {
      byEmail: flag(
        'True where this gateway sends links by e-mail: an address that belongs to a member gets ' +
          'one. False where an owner or admin of the organization has to issue it.',
      ),
    }),
});

const IssuedType = builder.objectRef<IssuedReset>('MemberPasswordReset').implement({
  description: 'A one-time link for the new password of a member.',
  fields: (t) =>
    storedFields(t, {
      token: text('The token of the link, for `authPasswordReset`; shown this once.'),
      link: text('The page on which the member sets the new password; hand it over safely.'),
      expiresAt: instant('Until when the link works.'),
    }),
});

builder.mutationFields((t) => ({
  authPasswordChange: t.field({
    type: EndedType,
    description:
      'Gives the member who asks another password. All other sessions of theirs end; API keys ' +
      'stay.',
    authScopes: { can: 'credentials.own' },
    args: argsOf(t, {
      currentPassword: text('The password until now.'),
      newPassword: text('The password from now on, 10 to 256 characters.'),
    }),
    resolve: (_root, args, ctx) => changePassword(authorized(ctx), args),
  }),
  authPasswordResetRequest: t.field({
    type: RequestedType,
    description:
      'Asks for a one-time link for a new password. The answer is the same whether a member has ' +
      'this e-mail or not.',
    args: argsOf(t, { email: text('The e-mail of the account.') }),
    resolve: (_root, { email }, ctx) => requestReset(ctx, email),
  }),
  authPasswordReset: t.field({
    type: EndedType,
    description:
      'Sets a new password by a one-time link. All sessions of the member end; a second factor ' +
      'is still asked for at the next login.',
    args: argsOf(t, {
      token: text('The token of the link.'),
      newPassword: text('The password from now on, 10 to 256 characters.'),
    }),
    resolve: (_root, args, ctx) => resetPassword(ctx, args),
  }),
  memberPasswordResetIssue: t.field({
    type: IssuedType,
    description:
      'Issues a one-time link by which a member sets a new password, in the place of any before. ' +
      'Nobody issues one for a member of a role above their own.',
    authScopes: { can: 'members.write' },
    args: argsOf(t, { id: uuid('The id of the member.') }),
    resolve: (_root, { id }, ctx) => issueReset(authorized(ctx), id),
  }),
}));
