import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, storedFields } from '../../graph/table-types.js';
import { defaulting, flag, list, text } from '../../kernel/fields/field.js';
import { type Rotation, rotateSigningKey } from '../auth/signing-keys.js';

const RotationType = builder.objectRef<Rotation>('SigningKeyRotation').implement({
  description: 'The signing keys after a rotation, by the `kid` under which JWKS publishes them.',
  fields: (t) =>
    storedFields(t, {
      kid: text('The key that signs from now on.'),
      verifying: list(text('A key.'), 'Earlier keys that still verify what they have signed.'),
    }),
});

builder.mutationField('signingKeyRotate', (t) =>
  t.field({
    type: RotationType,
    description:
      'Makes a new key that signs access tokens and badge statements on every node, without a ' +
      'restart. What earlier keys have signed is good until it expires. For administrators of ' +
      'the platform.',
    authScopes: { can: 'profile.read' },
    args: argsOf(t, {
      compromised: defaulting(
        flag(
          'True retires all earlier keys at once: what they have signed is refused from now on. ' +
            'Members stay logged in by their refresh tokens.',
        ),
        false,
      ),
    }),
    resolve: (_root, { compromised }, ctx) => rotateSigningKey(authorized(ctx), compromised),
  }),
);
