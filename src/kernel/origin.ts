import { type CodeOf, vocabulary } from './vocabulary.js';

/**
 * Why the gateway made a request by itself, in the name of its caller. Such a request is billed as
 * any other, and shows nothing about the traffic of the organization.
 */
export const REQUEST_ORIGINS = vocabulary(
  'RequestOrigin',
  'Why the gateway made a request by itself, in the name of its caller.',
  [
    { code: 'migration_evaluation', description: 'An item of an evaluation set of a migration.' },
    { code: 'cockpit', description: 'A live check of the migration cockpit.' },
    { code: 'blueprint', description: 'A step of a blueprint run.' },
    {
      code: 'prompt_evaluation',
      description: 'A case of an evaluation of a prompt version, or the judgement of one.',
    },
  ],
);

/** Why the gateway made a request by itself. */
export type RequestOrigin = CodeOf<typeof REQUEST_ORIGINS>;

/** The member of `usage_event.metadata` that holds the origin; no client can write it. */
export const ORIGIN_MEMBER = 'gw_origin';

/** The member of `usage_event.metadata` that equal prompts of an organization share. */
export const FINGERPRINT_MEMBER = 'gw_fingerprint';
