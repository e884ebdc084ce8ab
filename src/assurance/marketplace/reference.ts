import { fieldTable, flag, integer, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import {
  APPROVAL_DAYS,
  CHALLENGE_DAYS,
  CHECK_FAILURES,
  CHECK_SECONDS_MIN,
  CLAIMS_MAX,
  IDENTITY_DECISIONS,
  IDENTITY_STATUSES,
  PROOF_DAYS,
  PUBLISHER_STANDINGS,
  RECHECK_HOURS,
  RECORD_LABEL,
  RECORD_PREFIX,
} from '../publishers/vocabulary.js';
import {
  LISTING_MEASURES,
  LISTING_QUEUES,
  REPORT_REASONS,
  REPORT_STATUSES,
  REPORTS_A_DAY_MAX,
} from './vocabulary.js';

const FAILURE = fieldTable(
  'PublisherCheckFailureRow',
  'Why a check of the record has proved nothing.',
  { isFinal: flag('Whether it ends a proof at once; else the proof holds until its own end.') },
);

publishReference({
  module: 'marketplace',
  type: 'MarketplaceReference',
  description: 'How publishers prove who they are, what operators do, and what readers report.',
  lists: {
    identityStatuses: codes('identity_status', IDENTITY_STATUSES),
    checkFailures: rows('check_failure', CHECK_FAILURES.rows, FAILURE),
    identityDecisions: codes('identity_decision', IDENTITY_DECISIONS),
    publisherStandings: codes('publisher_standing', PUBLISHER_STANDINGS),
    measures: codes('measure', LISTING_MEASURES),
    queues: codes('queue', LISTING_QUEUES),
    reportReasons: codes('report_reason', REPORT_REASONS),
    reportStatuses: codes('report_status', REPORT_STATUSES),
  },
  figures: {
    fields: {
      recordLabel: text('The label before the domain at which the TXT record is to stand.'),
      recordPrefix: text('What stands before the token in the record.'),
      claimsMax: integer('Open claims of an organization.'),
      challengeDays: integer('For how many days a challenge can be met.'),
      proofDays: integer('For how many days a record proves a domain after it was found.'),
      recheckHours: integer('After how many hours a record is looked for again.'),
      checkSecondsMin: integer('The least time between two checks of one claim.'),
      approvalDays: integer('For how many days the decision of an operator holds.'),
      reportsADayMax: integer('Reports of an organization in 24 hours.'),
    },
    values: {
      recordLabel: RECORD_LABEL,
      recordPrefix: RECORD_PREFIX,
      claimsMax: CLAIMS_MAX,
      challengeDays: CHALLENGE_DAYS,
      proofDays: PROOF_DAYS,
      recheckHours: RECHECK_HOURS,
      checkSecondsMin: CHECK_SECONDS_MIN,
      approvalDays: APPROVAL_DAYS,
      reportsADayMax: REPORTS_A_DAY_MAX,
    },
  },
});
