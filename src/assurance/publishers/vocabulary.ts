import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** How a claim of an identity stands. */
export const IDENTITY_STATUSES = vocabulary(
  'PublisherIdentityStatus',
  'How a claim of an identity stands at the moment of the answer.',
  [
    { code: 'pending', description: 'Nothing is proved, and no operator has decided yet.' },
    { code: 'domain_verified', description: 'A record of the domain proves who controls it.' },
    { code: 'operator_verified', description: 'An operator has decided that it is true.' },
    { code: 'lapsed', description: 'It was verified, and the proof no longer holds.' },
    { code: 'expired', description: 'Nothing was proved in the time of the challenge.' },
    { code: 'denied', description: 'An operator has decided that it is not true; final.' },
    { code: 'withdrawn', description: 'Its organization took it back; final.' },
    { code: 'revoked', description: 'An operator took the verification back; final.' },
  ],
);

/** How a claim of an identity stands. */
export type IdentityStatus = CodeOf<typeof IDENTITY_STATUSES>;

/** What is known of who publishes a listing. */
export const PUBLISHER_STANDINGS = vocabulary(
  'PublisherStanding',
  'What the gateway knows of who publishes. What a listing says of itself is no verification.',
  [
    {
      code: 'operator_verified',
      description: 'An operator has decided that it is the organization that it names.',
    },
    {
      code: 'domain_verified',
      description: 'It controls the domain that is shown; its name is its own statement.',
    },
    {
      code: 'self_attested',
      description: 'Nothing is proved: what is said of the publisher comes from itself.',
    },
  ],
);

/** What is known of who publishes a listing. */
export type PublisherStanding = CodeOf<typeof PUBLISHER_STANDINGS>;

/** Why a check of the record has proved nothing. `isFinal` ends a proof that there was. */
export const CHECK_FAILURES = vocabulary(
  'PublisherCheckFailure',
  'Why the last check of the record has proved nothing.',
  [
    { code: 'record_missing', description: 'There is no TXT record at the name.', isFinal: true },
    {
      code: 'token_missing',
      description: 'There are TXT records, and none of them is that of the claim.',
      isFinal: true,
    },
    {
      code: 'domain_taken',
      description: 'Another organization proves the domain too; an operator has to decide.',
      isFinal: true,
    },
    {
      code: 'name_taken',
      description: 'The name is like a verified one of another; an operator has to decide.',
      isFinal: true,
    },
    {
      code: 'answer_too_large',
      description: 'More records stand at the name than are read.',
      isFinal: false,
    },
    { code: 'timeout', description: 'The name servers did not answer in time.', isFinal: false },
    { code: 'server_failed', description: 'The name servers answered a failure.', isFinal: false },
    { code: 'lookup_off', description: 'The operator lets no names be asked for.', isFinal: false },
  ],
);

/** Why a check of the record has proved nothing. */
export type CheckFailure = CodeOf<typeof CHECK_FAILURES>;

/** What an operator decides of a claim. */
export const IDENTITY_DECISIONS = vocabulary(
  'PublisherIdentityDecision',
  'What an operator decides of a claim.',
  [
    { code: 'approved', description: 'The organization is the one that it names.' },
    { code: 'denied', description: 'It is not, or it was not shown; final.' },
  ],
);

/** The label under which the record stands. */
export const RECORD_LABEL = '_gw-publisher';
/** What stands before the token in the record. */
export const RECORD_PREFIX = 'gw-publisher=';
export const DOMAIN_LENGTH_MAX = 200;
/** Open claims of an organization. */
export const CLAIMS_MAX = 20;
/** For how many days a challenge can be met. */
export const CHALLENGE_DAYS = 7;
/** For how many days a record proves a domain after it was found, */
export const PROOF_DAYS = 7;
/** after how many hours it is looked for again, */
export const RECHECK_HOURS = 24;
/** and for how many days the decision of an operator holds. */
export const APPROVAL_DAYS = 365;
/** The least time between two checks of one claim, in seconds. */
export const CHECK_SECONDS_MIN = 30;
