import { code, fieldTable, flag, integer, list, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import {
  ATTESTATIONS,
  BADGES,
  CERTIFICATION_STATUSES,
  GATE_EVIDENCE,
  GATES,
  LISTING_STATUSES,
  LISTING_TYPES,
  PARTNER_TIERS,
  RENEWAL_NOTICE_DAYS,
  REVIEW_DECISIONS,
  STATEMENT,
  STATEMENT_DAYS,
} from './vocabulary.js';

const GATE = fieldTable('CertificationGateRow', 'What a review looks at.', {
  evidence: code(GATE_EVIDENCE, 'What the gate rests on.'),
  weight: integer('How much it counts in the score of badges that require it.'),
});
const BADGE = fieldTable('CertificationBadgeRow', 'What can be certified.', {
  requires: list(code(GATES, 'A gate.'), 'The gates that must be passed, all of them.'),
  renewalDays: integer('For how many days it holds; then it takes another review.'),
});
const TIER = fieldTable(
  'CertificationPartnerTierRow',
  'How far an organization that publishes has come: the first row whose minimum is reached.',
  {
    badgesMin: integer('The fewest badges in force.'),
    identityVerified: flag('Whether the identity of the publisher has to be verified.'),
  },
);

publishReference({
  module: 'certification',
  type: 'CertificationReference',
  description: 'Badges with their gates and renewal, gates of reviews, and tiers of partners.',
  lists: {
    badges: rows('badge', BADGES.rows, BADGE),
    reviewGates: rows('review_gate', GATES.rows, GATE),
    partnerTiers: rows('partner_tier', PARTNER_TIERS.rows, TIER),
    attestations: codes('attestation', ATTESTATIONS),
    decisions: codes('decision', REVIEW_DECISIONS),
    statuses: codes('status', CERTIFICATION_STATUSES),
    listingTypes: codes('listing_type', LISTING_TYPES),
    listingStatuses: codes('listing_status', LISTING_STATUSES),
  },
  figures: {
    fields: {
      renewalNoticeDays: integer('A badge whose end is nearer is due for renewal.'),
      statementDays: integer('For how many days a signed statement is good, at most.'),
      statementType: text('The `typ` of signed statements.'),
      statementAudience: text('The `aud` of signed statements.'),
    },
    values: {
      renewalNoticeDays: RENEWAL_NOTICE_DAYS,
      statementDays: STATEMENT_DAYS,
      statementType: STATEMENT.type,
      statementAudience: STATEMENT.audience,
    },
  },
});
