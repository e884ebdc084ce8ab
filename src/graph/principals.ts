import { builder } from './builder.js';
import { enumValues } from './enums.js';

const PRINCIPAL_KINDS = [
  { code: 'user', description: 'A member of the organization, logged in.' },
  { code: 'api_key', description: 'An API key of the organization.' },
] as const;

/** A kind of caller. */
export type PrincipalKind = (typeof PRINCIPAL_KINDS)[number]['code'];

/** Who can ask for something, and who is named as its author. */
export const PrincipalKindEnum = builder.enumType('PrincipalKind', {
  description: 'Who can ask for something, and who is named as the author of a change.',
  values: enumValues(PRINCIPAL_KINDS),
});
