import {
  code,
  fieldTable,
  instant,
  list,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import {
  CHECK_FAILURES,
  DOMAIN_LENGTH_MAX,
  IDENTITY_DECISIONS,
  IDENTITY_STATUSES,
} from './vocabulary.js';

const CLAIMED = {
  legalName: text('The name of the organization, as its registration has it.', { max: 200 }),
  inn: optional(text('Its taxpayer number, of 10 or 12 digits.', { max: 12 })),
  domain: optional(
    text('A domain that it controls, such as romashka.ru.', { max: DOMAIN_LENGTH_MAX }),
  ),
} as const;

/** A claim to make. */
export const CLAIM_INPUT = fieldTable(
  'PublisherIdentityInput',
  'Who the organization says that it is. With a domain it can prove that itself.',
  CLAIMED,
);

const REASON = text('Why; the organization reads it.', { max: 1_000 });

/** A decision of an operator. */
export const DECISION_INPUT = fieldTable(
  'PublisherIdentityDecisionInput',
  'What an operator decides of a claim.',
  { decision: code(IDENTITY_DECISIONS, 'Whether the claim is true.'), reason: REASON },
);

/** The end of a verification by an operator. */
export const IDENTITY_REVOKE_INPUT = fieldTable(
  'PublisherIdentityRevokeInput',
  'Why a verification is taken back.',
  { reason: REASON },
);

const EVIDENCE = {
  challengeUntil: instant('Until when the challenge can be met.'),
  checkedAt: optional(instant('When the record was looked for last; null while it never was.')),
  checkFailure: optional(
    code(CHECK_FAILURES, 'Why that check has proved nothing; null where it has, or none was made.'),
  ),
  provedAt: optional(instant('When the record was found last; null while it never was.')),
  provedUntil: optional(
    instant('Until when it proves the domain, unless it is found again; null where it does not.'),
  ),
  decision: optional(code(IDENTITY_DECISIONS, 'What an operator has decided; null while none.')),
  decisionReason: optional(text('Why the operator has decided so; null while none has.')),
  decidedAt: optional(instant('When an operator decided; null while none has.')),
  approvedUntil: optional(instant('Until when the approval holds; null without one.')),
  withdrawnAt: optional(instant('When its organization took it back; null otherwise.')),
  revokedAt: optional(instant('When an operator took it back; null otherwise.')),
  revokeReason: optional(text('Why an operator took it back; null otherwise.')),
  createdAt: instant('When it was claimed.'),
} as const;

/** What a stored claim says of itself. */
export const IDENTITY_FIELDS = { ...CLAIMED, ...EVIDENCE } as const;

/** What of a claim depends on the moment, or is put together. */
export const IDENTITY_SHOWN = {
  status: code(IDENTITY_STATUSES, 'How it stands now.'),
  recordName: optional(text('The name at which the TXT record is to stand; null without domain.')),
  recordValue: optional(text('What the TXT record says; keep it there. Null without a domain.')),
} as const;

/** A claim as operators see it. */
export const CLAIM_IN_QUEUE = fieldTable(
  'PublisherIdentityClaim',
  'A claim of any organization, as operators see it.',
  {
    id: uuid('The id of the claim.'),
    tenantId: uuid('The organization that makes it.'),
    ...CLAIMED,
    status: IDENTITY_SHOWN.status,
    ...EVIDENCE,
    decidedBy: optional(uuid('The operator who decided; null while none has.')),
    revokedBy: optional(uuid('The operator who took it back; null otherwise.')),
    similarNames: list(
      text('A name.'),
      'Verified names of other organizations that this one is like.',
    ),
  },
);

/** A claim as operators see it. */
export type ClaimInQueue = ValuesOf<typeof CLAIM_IN_QUEUE.fields>;

/** Which claims operators ask for. */
export const QUEUE_QUESTION = {
  status: optional(code(IDENTITY_STATUSES, 'Only claims that stand so now.')),
} as const;
