import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, storedFields } from '../../graph/table-types.js';
import { flag, instant, integer, list, optional, text, uuid } from '../../kernel/fields/field.js';
import { User } from '../auth/schema.js';
import { EndedType } from './schema.js';
import {
  confirmSecondFactor,
  type Enrollment,
  enrollSecondFactor,
  type RecoveryCodes,
  removeOwnSecondFactor,
  removeSecondFactorOf,
  renewRecoveryCodes,
  type SecondFactorState,
  secondFactorState,
} from './second-factor.js';

const StateType = builder.objectRef<SecondFactorState>('AuthSecondFactor').implement({
  description: 'How the second factor of the member who asks stands.',
  fields: (t) =>
    storedFields(t, {
      enabled: flag('True when each login asks for a code.'),
      confirmedAt: optional(instant('Since when; null where it is off.')),
      recoveryCodesLeft: integer('How many recovery codes can still be used.'),
      required: flag('True when the organization requires a second factor.'),
    }),
});

const EnrollmentType = builder.objectRef<Enrollment>('AuthSecondFactorEnrollment').implement({
  description: 'A secret for an authenticator. It counts when a code of it is confirmed.',
  fields: (t) =>
    storedFields(t, {
      secret: text('The secret in Base32, to be typed into the authenticator; shown this once.'),
      uri: text('The same as an `otpauth://` address, to be shown as a QR code.'),
    }),
});

const CodesType = builder.objectRef<RecoveryCodes>('AuthRecoveryCodes').implement({
  description: 'Codes that stand in for the authenticator, each once.',
  fields: (t) =>
    storedFields(t, {
      recoveryCodes: list(text('A code.'), 'The codes; shown this once, keep them safely.'),
      endedSessions: integer('How many other sessions of the member have ended.'),
    }),
});

builder.queryField('authSecondFactor', (t) =>
  t.field({
    type: StateType,
    description: 'How the second factor of the member who asks stands.',
    authScopes: { can: 'credentials.own' },
    resolve: (_root, _args, ctx) => secondFactorState(authorized(ctx)),
  }),
);

const CODE = text('A code of the authenticator, or a recovery code.');

builder.mutationFields((t) => ({
  authSecondFactorEnroll: t.field({
    type: EnrollmentType,
    description: 'Makes the secret of a second factor: time-based codes by RFC 6238.',
    authScopes: { can: 'credentials.own' },
    args: argsOf(t, { password: text('The password of the member.') }),
    resolve: (_root, { password }, ctx) => enrollSecondFactor(authorized(ctx), password),
  }),
  authSecondFactorConfirm: t.field({
    type: CodesType,
    description:
      'Turns the second factor on. All other sessions of the member end: they were opened ' +
      'without it.',
    authScopes: { can: 'credentials.own' },
    args: argsOf(t, { code: text('A code of the authenticator that has the new secret.') }),
    resolve: (_root, { code }, ctx) => confirmSecondFactor(authorized(ctx), code),
  }),
  authSecondFactorRemove: t.field({
    type: EndedType,
    description:
      'Turns the own second factor off; all other sessions of the member end. Where the ' +
      'organization requires one, nothing else works until another one is enrolled.',
    authScopes: { can: 'credentials.own' },
    args: argsOf(t, { password: text('The password of the member.'), code: CODE }),
    resolve: (_root, args, ctx) => removeOwnSecondFactor(authorized(ctx), args),
  }),
  authRecoveryCodesRenew: t.field({
    type: CodesType,
    description: 'Gives the member other recovery codes in the place of those before.',
    authScopes: { can: 'credentials.own' },
    args: argsOf(t, { code: CODE }),
    resolve: (_root, { code }, ctx) => renewRecoveryCodes(authorized(ctx), code),
  }),
  memberSecondFactorRemove: t.field({
    type: User,
    description:
      'Takes away the second factor of a member who has lost it; all sessions of the member end. ' +
      'Nobody does so to a member of a role above their own.',
    authScopes: { can: 'members.write' },
    args: argsOf(t, { id: uuid('The id of the member.') }),
    resolve: (_root, { id }, ctx) => removeSecondFactorOf(authorized(ctx), id),
  }),
}));
