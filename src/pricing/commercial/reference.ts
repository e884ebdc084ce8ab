import { code, fieldTable, flag, integer, number, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import {
  ASSIGNMENT_FORMULA,
  ASSIGNMENT_SALT,
  CLASSIFICATION_GUARDS,
  CONFIDENCE,
  DEAL_OUTCOMES,
  DEAL_REASONS,
  EXPERIMENT_N_MIN,
  EXPERIMENT_VERDICTS,
  HARD_RULES,
  HORIZON_OVERSHOOT_PERCENT,
  INTERVAL_METHODS,
  NOT_CLAIMED,
  PEEKING_GUARDS,
  WIN_RATE_VERDICTS,
  WTP_STATUSES,
  WTP_WINDOW_DAYS,
  WTP_WINDOW_DAYS_MAX,
} from './vocabulary.js';

const OUTCOME = fieldTable(
  'DealOutcomeRow',
  'How deals end, and what of it counts in a win rate.',
  {
    inWinRate: flag('Whether it stands in the denominator of a win rate.'),
  },
);
const OF_OUTCOME = { outcome: code(DEAL_OUTCOMES, 'The outcome that it belongs to.') };
const REASON = fieldTable('DealReasonRow', 'Why deals end as they do.', OF_OUTCOME);
const GUARD = fieldTable(
  'DealClassificationRow',
  'How an outcome is classified: the first row that applies decides.',
  OF_OUTCOME,
);

publishReference({
  module: 'commercial',
  type: 'CommercialReference',
  description: 'What commercial experiments are decided by: statuses, outcomes, reasons and rules.',
  lists: {
    wtpStatuses: codes('wtp_status', WTP_STATUSES),
    outcomes: rows('outcome', DEAL_OUTCOMES.rows, OUTCOME),
    reasons: rows('reason', DEAL_REASONS.rows, REASON),
    classification: rows('classification', CLASSIFICATION_GUARDS.rows, GUARD),
    hardRules: codes('hard_rule', HARD_RULES),
    winRateVerdicts: codes('win_rate_verdict', WIN_RATE_VERDICTS),
    experimentVerdicts: codes('experiment_verdict', EXPERIMENT_VERDICTS),
    peekingGuards: codes('peeking_guard', PEEKING_GUARDS),
    intervalMethods: codes('interval_method', INTERVAL_METHODS),
    notClaimed: codes('not_claimed', NOT_CLAIMED),
  },
  figures: {
    fields: {
      wtpWindowDays: integer('Days in which a hypothesis must come true, unless it states others.'),
      wtpWindowDaysMax: integer('The longest window of a hypothesis, in days.'),
      experimentNMin: integer('Fewer subjects than this in a variant conclude nothing.'),
      horizonOvershootPercent: integer('How far a variant may pass a stated horizon.'),
      confidence: number('The confidence of every interval.'),
      assignmentSalt: text('The salt of every assignment, which is the key of its digest.'),
      assignmentFormula: text('How a variant follows from salt, experiment and subject.'),
    },
    values: {
      wtpWindowDays: WTP_WINDOW_DAYS,
      wtpWindowDaysMax: WTP_WINDOW_DAYS_MAX,
      experimentNMin: EXPERIMENT_N_MIN,
      horizonOvershootPercent: HORIZON_OVERSHOOT_PERCENT,
      confidence: CONFIDENCE,
      assignmentSalt: ASSIGNMENT_SALT,
      assignmentFormula: ASSIGNMENT_FORMULA,
    },
  },
});
