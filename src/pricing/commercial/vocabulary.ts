import { MICRO_PER_RUB } from '../../kernel/money.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What is known of a hypothesis about willingness to pay (WTP). */
export const WTP_STATUSES = vocabulary('WtpStatus', 'What is known of a willingness to pay.', [
  { code: 'DECLARED', description: 'Somebody has stated it, and the ledger does not decide yet.' },
  { code: 'VALIDATED', description: 'Top-ups after the hypothesis, within its window, reach it.' },
  { code: 'REFUTED', description: 'The window is over, and its top-ups did not reach it.' },
]);

/** How a deal ends. */
export const DEAL_OUTCOMES = vocabulary('DealOutcome', 'How a deal has ended.', [
  { code: 'win', description: 'The customer decided for the offer.', inWinRate: true },
  { code: 'loss', description: 'The customer decided against the offer.', inWinRate: true },
  { code: 'no_decision', description: 'Nobody decided; it is no loss.', inWinRate: false },
]);

/** How a deal ends. */
export type DealOutcome = CodeOf<typeof DEAL_OUTCOMES>;

/** Why a deal ended so. Each reason belongs to one outcome. */
export const DEAL_REASONS = vocabulary('DealReason', 'Why a deal has ended so.', [
  { code: 'value_proven', description: 'A pilot or a reference proved the value.', outcome: 'win' },
  { code: 'price_accepted', description: 'The price was within the budget.', outcome: 'win' },
  { code: 'compliance_met', description: 'Data residency and security were met.', outcome: 'win' },
  { code: 'best_fit', description: 'It suited the work better than others.', outcome: 'win' },
  { code: 'price_too_high', description: 'The price was refused.', outcome: 'loss' },
  { code: 'competitor_chosen', description: 'Another supplier was chosen.', outcome: 'loss' },
  { code: 'built_in_house', description: 'The customer builds it alone.', outcome: 'loss' },
  { code: 'missing_capability', description: 'Something that was needed lacks.', outcome: 'loss' },
  { code: 'security_rejected', description: 'The security review refused it.', outcome: 'loss' },
  { code: 'no_response', description: 'The customer stopped answering.', outcome: 'no_decision' },
  { code: 'budget_frozen', description: 'There is no budget for now.', outcome: 'no_decision' },
  { code: 'postponed', description: 'The decision was put off.', outcome: 'no_decision' },
  { code: 'project_cancelled', description: 'The need has gone away.', outcome: 'no_decision' },
]);

/** The rows by which an outcome is classified, in the order in which they decide. */
export const CLASSIFICATION_GUARDS = vocabulary(
  'DealClassificationGuard',
  'How an outcome is classified: the first row that applies decides.',
  [
    { code: 'signed', description: 'A contract was signed, so the deal is won.', outcome: 'win' },
    {
      code: 'reason_of_win',
      description: 'The stated reason is one of deals that are won.',
      outcome: 'win',
    },
    {
      code: 'reason_of_loss',
      description: 'The stated reason is one of deals that are lost.',
      outcome: 'loss',
    },
    {
      code: 'reason_of_no_decision',
      description: 'The stated reason is one of deals that nobody decided.',
      outcome: 'no_decision',
    },
    { code: 'stated_win', description: 'The deal is said to be won.', outcome: 'win' },
    { code: 'stated_loss', description: 'The customer is said to have refused.', outcome: 'loss' },
    {
      code: 'undecided',
      description: 'Nobody has decided, which is no loss and outside every win rate.',
      outcome: 'no_decision',
    },
  ],
);

/** What a win rate answers. */
export const WIN_RATE_VERDICTS = vocabulary('WinRateVerdict', 'Whether a win rate is known.', [
  { code: 'COMPUTED', description: 'At least one deal was decided.' },
  { code: 'CANNOT_CONCLUDE', description: 'No deal was decided, so no share is known.' },
]);

/** What an experiment concludes. */
export const EXPERIMENT_VERDICTS = vocabulary(
  'CommercialExperimentVerdict',
  'What an experiment shows.',
  [
    { code: 'DIRECTIONAL', description: 'One variant leads; that is a direction and no proof.' },
    { code: 'CANNOT_CONCLUDE', description: 'The sample does not carry a conclusion.' },
  ],
);

/** The variants of an A/B experiment. */
export const EXPERIMENT_ARMS = vocabulary(
  'CommercialExperimentArm',
  'A variant of an A/B experiment.',
  [
    { code: 'a', description: 'The first variant, which the other one is compared with.' },
    { code: 'b', description: 'The second variant.' },
  ],
);

/** How looking at an experiment before its end is kept from misleading. */
export const PEEKING_GUARDS = vocabulary('PeekingGuard', 'What guards against early looks.', [
  {
    code: 'fixed_horizon',
    description: 'The size was stated before the start and is reached; nothing is said earlier.',
  },
  {
    code: 'sequential',
    description: 'The interval holds at all looks together, so that looking early costs nothing.',
  },
]);

/** How intervals of the answers are made. */
export const INTERVAL_METHODS = vocabulary('CommercialIntervalMethod', 'A method of intervals.', [
  { code: 'wilson', description: "Wilson's score interval of a share (1927)." },
  {
    code: 'newcombe',
    description:
      "Newcombe's hybrid score interval of a difference (1998, method 10), from the Wilson " +
      'intervals of both shares.',
  },
  {
    code: 'normal_mixture_sequence',
    description:
      'A confidence sequence: the two-sided normal mixture boundary of Howard and others (2021) ' +
      'with variance 1/4 for each variant, error split evenly between the two.',
  },
]);

/** What a directional leader never is. */
export const NOT_CLAIMED = vocabulary('CommercialNotClaimed', 'What is not claimed.', [
  { code: 'significance', description: 'A leader is no proof that the variants differ.' },
  { code: 'optimal_price', description: 'A price that leads is not the best possible one.' },
]);

/** The rules that no caller can move, each with a code that answers name. */
export const HARD_RULES = vocabulary('CommercialHardRule', 'A rule of commercial experiments.', [
  {
    code: 'validated_only_from_ledger',
    description: 'Only top-ups in the ledger make a willingness to pay VALIDATED.',
  },
  {
    code: 'top_ups_after_hypothesis',
    description: 'Only top-ups after the hypothesis and within its window count.',
  },
  {
    code: 'only_top_ups_count',
    description: 'Credits, adjustments and refunds are no payment and do not count.',
  },
  {
    code: 'ruble_counts_once',
    description:
      'A ruble of a top-up is evidence for one deal: the one that was stated for the top-up, ' +
      'else the deal whose first hypothesis was recorded first and still needs it.',
  },
  {
    code: 'body_cannot_raise',
    description: 'No body of a request raises a status above DECLARED.',
  },
  { code: 'hypotheses_only_grow', description: 'A recorded hypothesis is never changed.' },
  { code: 'outcomes_only_grow', description: 'A recorded outcome is never changed.' },
  {
    code: 'latest_outcome_stands',
    description: 'A deal counts once, by the latest outcome that was recorded of it.',
  },
  { code: 'no_decision_is_no_loss', description: 'A deal that nobody decided is not lost.' },
  {
    code: 'win_rate_of_decided',
    description: 'A win rate is won / (won + lost); no_decision is outside the denominator.',
  },
  {
    code: 'small_sample_concludes_nothing',
    description: 'A variant with fewer subjects than the published minimum concludes nothing.',
  },
  {
    code: 'degenerate_sample_concludes_nothing',
    description: 'Variants in which all or none converted, or that are equal, conclude nothing.',
  },
  {
    code: 'horizon_before_conclusion',
    description: 'With a stated horizon nothing is concluded before it is reached.',
  },
  {
    code: 'leader_is_directional',
    description: 'A leader is a direction: never significance, never an optimal price.',
  },
  {
    code: 'assignment_is_recomputable',
    description: 'A variant follows from a published salt and formula, for anyone to recompute.',
  },
  { code: 'sealed_once', description: 'A deal reference is sealed once.' },
]);

/** A code of a hard rule. */
export type HardRule = CodeOf<typeof HARD_RULES>;

/** Days in which a hypothesis must come true, unless it states others. */
export const WTP_WINDOW_DAYS = 90;
/** The longest window of a hypothesis, in days. */
export const WTP_WINDOW_DAYS_MAX = 366;
/** The most money that a field takes: ten billion rubles. */
export const MICRO_MAX = 10_000_000_000n * MICRO_PER_RUB;
/** Top-ups that an answer lists; the sum is over all of them. */
export const EVIDENCE_MAX = 100;
/** Fewer subjects than this in a variant conclude nothing. */
export const EXPERIMENT_N_MIN = 30;
/** A variant may pass a stated horizon by this share, in percent: a random split is uneven. */
export const HORIZON_OVERSHOOT_PERCENT = 10;
/** The confidence of every interval. */
export const CONFIDENCE = 0.95;
/** The size at which the sequential interval is narrowest for what it must hold. */
export const SEQUENCE_TUNED_FOR_N = 500;
/** The chi-square of one degree of freedom that one even split of a thousand exceeds. */
export const MISMATCH_CHI_SQUARE = 10.828;
/** The salt of every assignment. It is public: whoever has it can recompute each variant. */
export const ASSIGNMENT_SALT = 'gw-commercial-assignment-v1';
/** How a variant follows from its inputs, in words and in one line of Python. */
export const ASSIGNMENT_FORMULA =
  'Variants are sorted by their ASCII codes. The message is experiment + ":" + subject; digest ' +
  'is its HMAC-SHA256 under the salt, read as a number of 256 bits. The bucket is ' +
  'floor(digest * count / 2^256), and the variant stands at it, counted from 0. In Python: ' +
  'int(hmac.new(salt, message, "sha256").hexdigest(), 16) * count >> 256';
/** The most variants of one assignment. */
export const VARIANTS_MAX = 20;
