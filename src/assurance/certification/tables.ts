import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  object,
  optional,
  sha256,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PUBLISHER_STANDINGS } from '../publishers/vocabulary.js';
import {
  ATTESTATIONS,
  BADGES,
  CERTIFICATION_STATUSES,
  GATES,
  LISTING_STATUSES,
  LISTING_TYPES,
  PARTNER_TIERS,
  REVIEW_DECISIONS,
  TOOL_KEY_LENGTH_MAX,
} from './vocabulary.js';

const TOOL_KEY = text('The tool, by its name in the organization.', { max: TOOL_KEY_LENGTH_MAX });

/** What a listing says of what it offers. */
const OFFER_FIELDS = {
  type: code(LISTING_TYPES, 'What is offered.'),
  name: text('What it is called.', { max: 120 }),
  publisher: optional(text('Who offers it, as everybody may read it.', { max: 120 })),
  description: optional(text('What it does, in words for its users.', { max: 2_000 })),
  version: text('Its version; a badge is for this one.', { max: 40 }),
  url: optional(text('An https address where more is said.', { max: 2_048 })),
} as const;

/** A listing to create. */
export const LISTING_INPUT = fieldTable('MarketplaceListingInput', 'What is to be listed.', {
  ...OFFER_FIELDS,
  version: defaulting(OFFER_FIELDS.version, '1.0.0'),
  toolKey: optional(
    text('The tool of the organization that it stands for; others never see its name.', {
      max: TOOL_KEY_LENGTH_MAX,
    }),
  ),
});

/** What a stored listing says of itself. */
export const LISTING_FIELDS = {
  ...OFFER_FIELDS,
  toolKey: optional(TOOL_KEY),
  createdBy: uuid('The member or key that created it.'),
  listedAt: optional(instant('When it was published last; null while it never was.')),
  measureReason: optional(text('Why an operator took it out or back; null where none has.')),
  measuredAt: optional(instant('When an operator did; null where none has.')),
  createdAt: instant('When it was created.'),
} as const;

/** What the audit of a live contract showed for a gate. */
const FINDING = fieldTable('CertificationFinding', 'What the audit of a live contract showed.', {
  gate: code(GATES, 'The gate that it is about.'),
  passed: flag('Whether every verb of the contract holds.'),
  detail: text('Which verbs do not hold, and why.'),
});

/** What the audit of a live contract showed for a gate. */
export type Finding = ValuesOf<typeof FINDING.fields>;

/** A review to start. */
export const REVIEW_INPUT = fieldTable(
  'CertificationReviewInput',
  'What is to be certified: a listing, a tool, or a listing by its tool.',
  {
    badge: code(BADGES, 'The badge that is asked for.'),
    listingId: optional(
      uuid('The listing. Left out, it is the one listing of that tool, where there is one.'),
    ),
    toolKey: optional(
      text('The tool whose live contract is audited; that of the listing unless stated.', {
        max: TOOL_KEY_LENGTH_MAX,
      }),
    ),
  },
);

/** What a reviewer says. */
export const GATES_INPUT = fieldTable('CertificationGatesInput', 'What a reviewer has found.', {
  gatesPassed: list(code(GATES, 'A gate that is passed.'), 'All gates that are passed.', {
    max: GATES.codes.length,
  }),
});

/** What a reviewer says who takes a badge back. */
export const REVOKE_INPUT = fieldTable('CertificationRevokeInput', 'Why a badge is taken back.', {
  reason: text('What has been found out; its organization reads it.', { max: 1_000 }),
});

const CONTRACT_FIELDS = {
  toolContractVersion: optional(
    integer('The version of the contract that was audited; null without a tool.'),
  ),
  simulated: optional(flag('The tool of the audited contract calls nothing; null without a tool.')),
} as const;

const SUBJECT_FIELDS = {
  badge: code(BADGES, 'Which badge it is.'),
  version: text('The version of what is certified: of the listing, else of the tool contract.'),
} as const;

const GATE_FIELDS = {
  gatesPassed: list(code(GATES, 'A gate.'), 'Gates of the badge that are passed.'),
  gatesFailed: list(code(GATES, 'A gate.'), 'Gates of the badge that are not passed.'),
} as const;

/** What a stored certification says of itself. */
export const CERTIFICATION_FIELDS = {
  ...SUBJECT_FIELDS,
  listingId: optional(uuid('The listing; null where a tool alone is certified.')),
  toolKey: optional(TOOL_KEY),
  ...CONTRACT_FIELDS,
  toolContractSha256: optional(sha256('SHA-256 of that contract as canonical JSON.')),
  audit: list(object(FINDING, 'A gate.'), 'What the audit showed; empty without a tool.'),
  ...GATE_FIELDS,
  score: optional(integer('The weight of the passed gates in percent; null until decided.')),
  startedBy: uuid('The member or key that started the review.'),
  reviewedBy: optional(uuid('The member who decided; null until then.')),
  selfReviewed: flag('Who started the review decided it, since nobody else could.'),
  decidedAt: optional(instant('When it was decided; null until then.')),
  validUntil: optional(instant('Until when the badge holds; null where it was not certified.')),
  supersededAt: optional(instant('When it was renewed, or its tool changed; null otherwise.')),
  supersededBy: optional(uuid('The badge that renewed it; null otherwise.')),
  revokedAt: optional(instant('When it was taken back; null otherwise.')),
  revokeReason: optional(text('Why it was taken back; null otherwise.')),
  createdAt: instant('When the review began.'),
} as const;

/** What of a certification depends on the moment, or on the tables. */
export const CERTIFICATION_STATUS = {
  decision: optional(code(REVIEW_DECISIONS, 'What the review ended in; null until it has.')),
  attestation: code(ATTESTATIONS, 'Who stands for what the badge says.'),
  gatesRequired: list(code(GATES, 'A gate.'), 'The gates that the badge requires.'),
} as const;

/** What is sealed of a decision. */
export const CERTIFICATION_CONTENT = {
  certificationId: uuid('The badge that was decided about.'),
  ...SUBJECT_FIELDS,
  listingId: optional(uuid('The listing; null where a tool alone was reviewed.')),
  toolKey: optional(TOOL_KEY),
  ...CONTRACT_FIELDS,
  toolContractSha256: optional(sha256('SHA-256 of that contract; null without a tool.')),
  audit: list(object(FINDING, 'A gate.'), 'What the audit showed; empty without a tool.'),
  decision: code(REVIEW_DECISIONS, 'What the review ended in.'),
  ...GATE_FIELDS,
  score: integer('The weight of the passed gates among the required ones, in percent.'),
  reviewedBy: uuid('The member who decided.'),
  selfReviewed: flag('Who started the review decided it, since nobody else could.'),
  decidedAt: instant('When it was decided.'),
  validUntil: optional(instant('Until when the badge holds; null where it was rejected.')),
} as const;

/** What is sealed of a decision. */
export type CertificationContent = ValuesOf<typeof CERTIFICATION_CONTENT>;

const ATTESTATION = code(ATTESTATIONS, 'Who stands for what the badge says.');

/** A badge of a public listing. */
const PUBLIC_BADGE = fieldTable('MarketplaceBadge', 'A badge in force of a public listing.', {
  certificationId: uuid('The badge; its verification is public.'),
  badge: code(BADGES, 'Which badge it is.'),
  version: text('The version that was certified.'),
  attestation: ATTESTATION,
  selfReviewed: flag('Who started the review decided it, since nobody else could.'),
  validUntil: instant('Until when it holds.'),
});

/** A public listing. */
export const PUBLIC_LISTING = fieldTable(
  'MarketplaceEntry',
  'A listing as everybody sees it: published, with at least one badge in force.',
  {
    id: uuid('The id of the listing.'),
    ...OFFER_FIELDS,
    listedAt: instant('When it was published.'),
    publisherTier: code(
      PARTNER_TIERS,
      'How far its organization has come, by the badges in force of its public listings.',
    ),
    publisherStanding: code(
      PUBLISHER_STANDINGS,
      'What is known of its publisher. All else that it says of itself is its own statement.',
    ),
    publisherDomain: optional(text('The domain that its publisher proves; null without a proof.')),
    publisherLegalName: optional(
      text('The name that an operator has verified; null where none has.'),
    ),
    badges: list(object(PUBLIC_BADGE, 'A badge.'), 'Its badges in force.'),
  },
);

/** A public listing. */
export type PublicListing = ValuesOf<typeof PUBLIC_LISTING.fields>;

/** Which public listings are asked for. */
export const PUBLIC_QUESTION = {
  type: optional(code(LISTING_TYPES, 'Only listings of this type.')),
} as const;

/** What everybody may know of a badge. */
export const BADGE_VERIFICATION = fieldTable(
  'BadgeVerification',
  'What everybody may know of a badge that was certified.',
  {
    certificationId: uuid('The badge, by its id.'),
    valid: flag('True while the badge is in force, at the moment of the answer.'),
    status: code(CERTIFICATION_STATUSES, 'How the badge stands at the moment of the answer.'),
    ...SUBJECT_FIELDS,
    listingId: optional(uuid('The listing; null where a tool alone is certified.')),
    listingName: optional(text('What it is called; null unless it is public now.')),
    listingStatus: optional(
      code(LISTING_STATUSES, 'How the listing stands, for who uses it; null without one.'),
    ),
    attestation: ATTESTATION,
    toolContractSha256: optional(
      sha256('SHA-256 of the audited contract, for who has it; null without a tool.'),
    ),
    ...CONTRACT_FIELDS,
    gatesPassed: GATE_FIELDS.gatesPassed,
    score: integer('The weight of the passed gates in percent.'),
    selfReviewed: flag('Who started the review decided it, since nobody else could.'),
    certifiedAt: instant('When it was certified.'),
    validUntil: instant('Until when it holds, unless it is ended before.'),
    statement: optional(
      text('A JWS (EdDSA) that says this, to be checked without the server; null unless valid.', {
        max: 4_096,
      }),
    ),
    statementValidUntil: optional(
      instant('Until when the statement is good; fetch another one then. Null unless valid.'),
    ),
    jwksUrl: text('The public keys that statements are checked by.'),
  },
);

/** What everybody may know of a badge. */
export type BadgeVerification = ValuesOf<typeof BADGE_VERIFICATION.fields>;
