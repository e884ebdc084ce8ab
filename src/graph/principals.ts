import { vocabulary } from '../kernel/vocabulary.js';

/** Who can ask for something, and who is named as its author. */
export const PRINCIPAL_KINDS = vocabulary(
  'PrincipalKind',
  'Who can ask for something, and who is named as the author of a change.',
  [
    { code: 'user', description: 'A member of the organization, logged in.' },
    { code: 'api_key', description: 'An API key of the organization.' },
  ],
);
