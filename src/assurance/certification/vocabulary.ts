import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** Who finds out whether a gate is passed. */
export const GATE_EVIDENCE = vocabulary('CertificationGateEvidence', 'What a gate rests on.', [
  { code: 'attested', description: 'A reviewer says so, and answers for it.' },
  {
    code: 'audited',
    description: 'The live tool contract shows it, and a reviewer says so too: neither suffices.',
  },
  {
    code: 'proved',
    description:
      'A record of the domain or a decision of an operator shows it while it holds, and a ' +
      'reviewer says so too.',
  },
]);

/** What a review looks at. A gate weighs in the score of the badges that require it. */
export const GATES = vocabulary('CertificationGate', 'A gate of a review.', [
  {
    code: 'publisher_identity',
    description: 'It is known which organization publishes it, and that it exists.',
    evidence: 'proved',
    weight: 1,
  },
  {
    code: 'documentation',
    description: 'Its use, limits and support are described, and the description is right.',
    evidence: 'attested',
    weight: 1,
  },
  {
    code: 'data_handling',
    description:
      'Which data it takes, where they are kept and for how long is said and was checked.',
    evidence: 'attested',
    weight: 2,
  },
  {
    code: 'security_review',
    description: 'A person has looked for weaknesses, and those that were found are mended.',
    evidence: 'attested',
    weight: 3,
  },
  {
    code: 'rf_residency',
    description: 'Personal data do not leave Russia on any of its ways.',
    evidence: 'attested',
    weight: 2,
  },
  {
    code: 'cost_controls',
    description: 'Its spending has a budget that holds.',
    evidence: 'attested',
    weight: 1,
  },
  {
    code: 'human_oversight',
    description:
      'Whatever destroys, pays, or is risky by its verb waits for a person when an agent asks.',
    evidence: 'audited',
    weight: 3,
  },
  {
    code: 'argument_contract',
    description:
      'Every verb that changes something has a schema of its arguments, or waits for a person.',
    evidence: 'audited',
    weight: 2,
  },
  {
    code: 'blast_radius',
    description:
      'Verbs that pay say where the amount stands and verbs of many records where these stand, ' +
      'or they wait for a person.',
    evidence: 'audited',
    weight: 2,
  },
]);

/** A gate. */
export type Gate = CodeOf<typeof GATES>;

/** What can be certified, with the gates that it takes and for how many days it then holds. */
export const BADGES = vocabulary('CertificationBadge', 'A badge that can be certified.', [
  {
    code: 'mcp_safe',
    description: 'A tool that agents may be given: its live contract was audited.',
    requires: ['security_review', 'human_oversight', 'argument_contract', 'blast_radius'],
    renewalDays: 180,
  },
  {
    code: 'agent_ready',
    description: 'A tool that agents can use by themselves, within limits.',
    requires: ['documentation', 'cost_controls', 'human_oversight', 'blast_radius'],
    renewalDays: 180,
  },
  {
    code: 'security_reviewed',
    description: 'Its security was reviewed.',
    requires: ['publisher_identity', 'data_handling', 'security_review'],
    renewalDays: 365,
  },
  {
    code: 'rf_data_safe',
    description: 'It keeps personal data in Russia.',
    requires: ['publisher_identity', 'data_handling', 'rf_residency'],
    renewalDays: 365,
  },
  {
    code: 'privacy_ready',
    description: 'What it does with data is said, and was checked.',
    requires: ['documentation', 'data_handling', 'security_review'],
    renewalDays: 365,
  },
  {
    code: 'cost_controlled',
    description: 'It cannot spend beyond a budget.',
    requires: ['documentation', 'cost_controls'],
    renewalDays: 180,
  },
  {
    code: 'verified_publisher',
    description: 'It comes from the organization that it names.',
    requires: ['publisher_identity', 'documentation'],
    renewalDays: 365,
  },
  {
    code: 'production_ready',
    description: 'It can be put into service.',
    requires: [
      'publisher_identity',
      'documentation',
      'data_handling',
      'security_review',
      'cost_controls',
    ],
    renewalDays: 365,
  },
]);

/** A badge. */
export type Badge = CodeOf<typeof BADGES>;

/** Who stands for what a badge says. */
export const ATTESTATIONS = vocabulary('BadgeAttestation', 'Who stands for what a badge says.', [
  {
    code: 'self_attested',
    description: 'Members of the organization that publishes it; nobody else has looked.',
  },
  {
    code: 'verified',
    description: 'A record of the domain or an operator shows it, and the organization says so.',
  },
]);

/** How far an organization that publishes has come: the first row that is reached. */
export const PARTNER_TIERS = vocabulary(
  'CertificationPartnerTier',
  'How far an organization that publishes has come, by its badges in force.',
  [
    {
      code: 'certified',
      description: 'Its identity is verified, and ten of its badges are in force or more.',
      badgesMin: 10,
      identityVerified: true,
    },
    {
      code: 'verified',
      description: 'Its identity is verified, and three of its badges are in force or more.',
      badgesMin: 3,
      identityVerified: true,
    },
    {
      code: 'registered',
      description: 'Every organization with a listing.',
      badgesMin: 0,
      identityVerified: false,
    },
  ],
);

/** What a review ends in. */
export const REVIEW_DECISIONS = vocabulary('CertificationDecision', 'What a review ends in.', [
  { code: 'certified', description: 'Every gate that the badge requires is passed.' },
  { code: 'rejected', description: 'At least one gate that the badge requires is not passed.' },
]);

/** What a review ends in. */
export type ReviewDecision = CodeOf<typeof REVIEW_DECISIONS>;

/** How a badge stands. */
export const CERTIFICATION_STATUSES = vocabulary(
  'CertificationStatus',
  'How a badge stands at the moment of the answer.',
  [
    { code: 'in_review', description: 'Nobody has decided yet.' },
    { code: 'certified', description: 'The badge is in force.' },
    { code: 'rejected', description: 'A gate that it requires was not passed; final.' },
    { code: 'expired', description: 'It was certified, and its time is over; final.' },
    {
      code: 'superseded',
      description: 'Renewed by a later badge, or its tool has another contract now; final.',
    },
    { code: 'revoked', description: 'A reviewer took it back; final.' },
    {
      code: 'unproven',
      description:
        'Its reviewers say so, and nothing proves who publishes: not in force until then.',
    },
    {
      code: 'suspended',
      description: 'An operator has suspended or revoked its listing: not in force meanwhile.',
    },
  ],
);

/** How a badge stands. */
export type CertificationStatus = CodeOf<typeof CERTIFICATION_STATUSES>;

/** What can be listed. */
export const LISTING_TYPES = vocabulary('MarketplaceListingType', 'What can be listed.', [
  { code: 'app', description: 'An application that uses the gateway.' },
  { code: 'connector', description: 'A connector to another system.' },
  { code: 'mcp_tool', description: 'A tool that agents use.' },
  { code: 'blueprint', description: 'A workflow to be deployed.' },
]);

/** How a listing stands. */
export const LISTING_STATUSES = vocabulary(
  'MarketplaceListingStatus',
  'How a listing stands at the moment of the answer.',
  [
    { code: 'draft', description: 'Only its organization sees it.' },
    { code: 'listed', description: 'Public, since at least one of its badges is in force.' },
    { code: 'lapsed', description: 'Published, and hidden until a badge is in force again.' },
    { code: 'withdrawn', description: 'Its organization or an operator took it back.' },
    {
      code: 'name_in_review',
      description: 'Published, and hidden: an operator looks at the name of its publisher.',
    },
    {
      code: 'name_refused',
      description: 'Hidden: an operator has refused the name of its publisher.',
    },
    { code: 'suspended', description: 'Hidden by an operator until it is reinstated.' },
    { code: 'revoked', description: 'Taken out by an operator; final.' },
  ],
);

/** How a listing stands. */
export type ListingStatus = CodeOf<typeof LISTING_STATUSES>;

/** A badge whose end is nearer than this is due for renewal. */
export const RENEWAL_NOTICE_DAYS = 30;
/** A signed statement of a badge is good for so many days, and never longer than the badge. */
export const STATEMENT_DAYS = 7;
/** What signed statements say that they are, and for whom. */
export const STATEMENT = { type: 'gw-badge+jwt', audience: 'gw-badge' } as const;
/** The most listings of an organization. */
export const LISTINGS_MAX = 200;
/** The most badges of a listing that are shown with it, the newest first. */
export const SHOWN_BADGES_MAX = 50;
/** The longest name of a tool. */
export const TOOL_KEY_LENGTH_MAX = 64;
