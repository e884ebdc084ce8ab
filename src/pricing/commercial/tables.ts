import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  number,
  object,
  optional,
  periodBegin,
  periodEnd,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { COUNTED_TOP_UP, DEAL_REF } from './evidence.tables.js';
import {
  CLASSIFICATION_GUARDS,
  DEAL_OUTCOMES,
  DEAL_REASONS,
  EVIDENCE_MAX,
  EXPERIMENT_ARMS,
  EXPERIMENT_N_MIN,
  EXPERIMENT_VERDICTS,
  HARD_RULES,
  INTERVAL_METHODS,
  MICRO_MAX,
  NOT_CLAIMED,
  PEEKING_GUARDS,
  VARIANTS_MAX,
  WIN_RATE_VERDICTS,
  WTP_STATUSES,
  WTP_WINDOW_DAYS,
  WTP_WINDOW_DAYS_MAX,
} from './vocabulary.js';

const COUNT = { min: 0, max: 1_000_000_000 };
const WTP = money('What the customer is believed to be willing to pay.', {
  min: 1n,
  max: MICRO_MAX,
});
const WINDOW = integer('Days after the hypothesis in which top-ups count.', {
  min: 1,
  max: WTP_WINDOW_DAYS_MAX,
});
const RULES = list(code(HARD_RULES, 'A hard rule.'), 'The hard rules that decide it.');
const REASON = optional(text('Why nothing more can be said; null where it can.'));
const NEEDED = list(text('A missing part.'), 'What would lift it; empty where nothing is missing.');
const SHARE = (description: string) => optional(number(description));

/** A hypothesis that is only stated. */
export const WTP_WHAT_IF_INPUT = fieldTable('WtpWhatIfInput', 'A willingness to pay.', {
  dealRef: optional(DEAL_REF),
  wtpMicro: WTP,
  windowDays: defaulting(WINDOW, WTP_WINDOW_DAYS),
  paidMicro: optional(
    money('What the customer is said to have paid; it is shown and proves nothing.', {
      min: 0n,
      max: MICRO_MAX,
    }),
  ),
});

/** What a stated hypothesis amounts to. */
export const WTP_WHAT_IF = fieldTable('WtpWhatIf', 'A stated willingness to pay, and no more.', {
  status: code(WTP_STATUSES, 'Always `DECLARED`: nothing in a body raises it.'),
  dealRef: optional(text("The caller's own name of the deal, where it was stated.")),
  wtpMicro: money('The stated willingness to pay.'),
  windowDays: integer('Days after the recorded hypothesis in which top-ups would count.'),
  neededTopUpMicro: money('Top-ups in the ledger that would validate it, once it is recorded.'),
  statedGapMicro: optional(
    money('How far the stated payment falls short of it; negative beyond it, null unstated.'),
  ),
  rules: RULES,
});

/** A hypothesis as it is recorded. */
export const WTP_INPUT = fieldTable('WtpHypothesisInput', 'A willingness to pay to record.', {
  dealRef: DEAL_REF,
  wtpMicro: WTP,
  windowDays: defaulting(WINDOW, WTP_WINDOW_DAYS),
  note: optional(text('Where the figure comes from, such as an interview.', { max: 1_000 })),
});

/** What a version of a hypothesis says. */
export const WTP_FIELDS = {
  dealRef: DEAL_REF,
  wtpMicro: money('What the customer is believed to be willing to pay.'),
  windowDays: integer('Days after the hypothesis in which top-ups count.'),
  note: optional(text('Where the figure comes from.')),
  status: code(WTP_STATUSES, '`DECLARED`: what a recorded hypothesis is until the ledger speaks.'),
} as const;

/** A hypothesis to ask the ledger about. */
export const VALIDATION_INPUT = fieldTable('WtpValidationInput', 'A hypothesis to validate.', {
  dealRef: DEAL_REF,
  version: optional(
    integer("Which of the deal's hypotheses; the latest where it is left out.", { min: 1 }),
  ),
});

/** What the ledger says of a hypothesis. */
const VALIDATION_FIELDS = {
  dealRef: text("The caller's own name of the deal."),
  status: code(WTP_STATUSES, 'What the ledger makes of the hypothesis.'),
  hypothesisVersion: integer("Which of the deal's hypotheses it is: 1, 2, 3."),
  hypothesesOfDeal: integer('How many hypotheses the deal has had: a lowered one is visible.'),
  wtpMicro: money('The willingness to pay that was recorded.'),
  windowFrom: instant('The moment of the hypothesis; only what comes after it counts.'),
  windowTo: instant('The end of its window; what comes then or later does not count.'),
  paidMicro: money(
    "The organization's top-ups in the window, also those that are evidence for other deals.",
  ),
  topUps: integer('How many top-ups these are.'),
  countedMicro: optional(
    money(
      'The part of them that is evidence for this deal and decides its status. Null in receipts ' +
        'that were sealed while a top-up counted for every deal.',
    ),
  ),
  missingMicro: money('What is missing to the willingness to pay; nothing once it is reached.'),
  evidence: list(
    object(COUNTED_TOP_UP, 'A top-up.'),
    `The first ${EVIDENCE_MAX} of the top-ups that count for this deal.`,
  ),
  dealsInWindow: integer(
    'Other deals with a hypothesis whose window overlaps; they compete for the same top-ups.',
  ),
  provenance: code(PROVENANCES, '`live_measured`: from rows of the ledger.'),
  reason: REASON,
  needed: NEEDED,
} as const;

/** What the ledger says of a hypothesis. */
export const VALIDATION = fieldTable(
  'WtpValidation',
  'What the organization has really paid, beside what it was believed to be willing to pay.',
  { ...VALIDATION_FIELDS, asOf: instant('The moment of the answer, by the clock of the ledger.') },
);

/** What was known when a receipt was sealed. */
export const RECEIPT_FIELDS = {
  ...VALIDATION_FIELDS,
  validatedAt: instant('The moment at which the ledger was asked.'),
  outcome: optional(code(DEAL_OUTCOMES, 'The outcome that stood then; null where none did.')),
  outcomeReason: optional(code(DEAL_REASONS, 'Why it had ended so, where it was said.')),
} as const;

/** A deal whose receipt is sealed. */
export const RECEIPT_INPUT = fieldTable('CommercialReceiptInput', 'A deal to seal.', {
  dealRef: DEAL_REF,
});

const STATED_OUTCOME = {
  reason: optional(code(DEAL_REASONS, 'Why it ended so; each reason belongs to one outcome.')),
} as const;

/** Facts of a deal. */
export const CLASSIFY_INPUT = fieldTable('DealFactsInput', 'What is known of a deal.', {
  outcome: optional(code(DEAL_OUTCOMES, 'How the deal is said to have ended.')),
  ...STATED_OUTCOME,
  signed: optional(flag('Whether a contract was signed.')),
});

/** Facts of a deal. */
export type DealFacts = ValuesOf<typeof CLASSIFY_INPUT.fields>;

/** A classified outcome. */
export const CLASSIFICATION = fieldTable('DealClassification', 'How a deal counts.', {
  outcome: code(DEAL_OUTCOMES, 'How the deal has ended by its facts.'),
  reason: optional(code(DEAL_REASONS, 'Why it ended so, where it was stated.')),
  decidedBy: code(CLASSIFICATION_GUARDS, 'The row of the published table that decided.'),
  explanation: text('What that row says, in a sentence.'),
  isLoss: flag('Whether it is a loss; a deal that nobody decided is none.'),
  inWinRate: flag('Whether it stands in the denominator of a win rate.'),
});

/** An outcome to record. */
export const OUTCOME_INPUT = fieldTable('DealOutcomeInput', 'How a deal has ended.', {
  dealRef: DEAL_REF,
  outcome: code(DEAL_OUTCOMES, 'How the deal has ended.'),
  ...STATED_OUTCOME,
  amountMicro: optional(
    money('What the deal was about; it is kept and changes no rate.', { min: 0n, max: MICRO_MAX }),
  ),
});

/** What is kept of an outcome beside its value and its deal. */
export const OUTCOME_BODY = {
  ...STATED_OUTCOME,
  amountMicro: optional(money('What the deal was about, where it was stated.')),
} as const;

/** A recorded outcome. */
export const RECORDED_OUTCOME = fieldTable('RecordedDealOutcome', 'An outcome as recorded.', {
  id: uuid('The id of the entry.'),
  dealRef: text("The caller's own name of the deal."),
  outcome: code(DEAL_OUTCOMES, 'How the deal has ended.'),
  ...OUTCOME_BODY,
  isLoss: flag('Whether it is a loss; a deal that nobody decided is none.'),
  inWinRate: flag('Whether it stands in the denominator of a win rate.'),
  recordedAt: instant('The moment of recording.'),
});

/** Deals as a caller counts them. */
export const WIN_RATE_INPUT = fieldTable('WinRateInput', 'Deals as the caller counts them.', {
  won: integer('Deals that were won.', COUNT),
  lost: integer('Deals that were lost.', COUNT),
  noDecision: defaulting(integer('Deals that nobody decided; they change no rate.', COUNT), 0),
});

const WIN_RATE_FIELDS = {
  verdict: code(WIN_RATE_VERDICTS, 'Whether a rate is known.'),
  won: integer('Deals that were won.'),
  lost: integer('Deals that were lost.'),
  noDecision: integer('Deals that nobody decided; they are outside the denominator.'),
  winRate: SHARE('won / (won + lost), from 0 to 1; null where nothing was decided.'),
  intervalLow: SHARE('The lower end of its interval of 95 %.'),
  intervalHigh: SHARE('The upper end of its interval of 95 %.'),
  intervalMethod: code(INTERVAL_METHODS, 'How the interval is made.'),
  reason: REASON,
  needed: NEEDED,
} as const;

/** A win rate. */
export const WIN_RATE = fieldTable('StatedWinRate', 'A win rate of stated deals.', WIN_RATE_FIELDS);

/** A win rate, without where it comes from. */
export type WinRate = ValuesOf<typeof WIN_RATE_FIELDS>;

/** The window of a live win rate. */
export const WIN_RATE_QUESTION = {
  from: optional(periodBegin('The begin of the window; 366 days before its end unless stated.')),
  to: optional(periodEnd('The end of the window, which is outside of it; now unless stated.')),
} as const;

/** A win rate from recorded outcomes. */
export const LIVE_WIN_RATE = fieldTable('LiveWinRate', 'A win rate of recorded outcomes.', {
  ...WIN_RATE_FIELDS,
  from: instant('The begin of the window.'),
  to: instant('The end of the window, which is outside of it.'),
  provenance: code(PROVENANCES, '`live_measured`: from recorded outcomes.'),
});

const ARM = fieldTable('CommercialExperimentArmCounts', 'What became of a variant.', {
  n: integer('Subjects that were shown the variant.', COUNT),
  conversions: integer('How many of them converted.', COUNT),
});

/** What became of one variant. */
export type Arm = ValuesOf<typeof ARM.fields>;

/** An A/B experiment. */
export const EXPERIMENT_INPUT = fieldTable('CommercialExperimentInput', 'An A/B experiment.', {
  a: object(ARM, 'The first variant.'),
  b: object(ARM, 'The second variant.'),
  plannedN: optional(
    integer(
      'Subjects of each variant that were fixed before the start. Without it the answer holds at ' +
        'every look, by a wider interval.',
      { min: EXPERIMENT_N_MIN, max: COUNT.max },
    ),
  ),
});

/** An A/B experiment. */
export type Experiment = ValuesOf<typeof EXPERIMENT_INPUT.fields>;

/** What an experiment shows. */
export const EXPERIMENT = fieldTable('CommercialExperiment', 'What an experiment shows.', {
  verdict: code(EXPERIMENT_VERDICTS, 'Whether a variant leads.'),
  leader: optional(code(EXPERIMENT_ARMS, 'The variant that leads; null where none may.')),
  rateA: SHARE('The share of the first variant that converted; null where it was never shown.'),
  rateB: SHARE('The share of the second variant that converted; null where it was never shown.'),
  difference: SHARE('The second share minus the first.'),
  intervalLow: SHARE('The lower end of the interval of the difference.'),
  intervalHigh: SHARE('The upper end of the interval of the difference.'),
  intervalMethod: code(INTERVAL_METHODS, 'How the interval is made.'),
  confidence: number('How often such intervals hold the true difference.'),
  intervalHoldsZero: optional(flag('Whether no difference lies within the interval.')),
  peekingGuard: code(PEEKING_GUARDS, 'What keeps early looks from misleading.'),
  sampleRatioMismatch: flag(
    'True where an even split would be so uneven less than once in a thousand times: then the ' +
      'assignment is looked at before the result.',
  ),
  notClaimed: list(code(NOT_CLAIMED, 'Something that is not claimed.'), 'What a leader is not.'),
  brokenRules: list(code(HARD_RULES, 'A hard rule.'), 'The rules that keep it from concluding.'),
  reason: REASON,
  needed: NEEDED,
});

/** What an experiment shows. */
export type ExperimentAnswer = ValuesOf<typeof EXPERIMENT.fields>;

/** A subject to assign. */
export const ASSIGN_INPUT = fieldTable('VariantAssignmentInput', 'A subject to assign.', {
  experiment: text('The name of the experiment: letters, digits, `.`, `_` and `-`.', { max: 64 }),
  subject: text('Who or what is assigned, such as the id of an account.', { max: 256 }),
  variants: defaulting(
    list(
      text('The name of a variant: letters, digits, `.`, `_` and `-`.', { max: 64 }),
      'The variants, in any order; each gets the same share.',
      { max: VARIANTS_MAX },
    ),
    ['a', 'b'],
  ),
});

/** A subject to assign. */
export type Assignment = ValuesOf<typeof ASSIGN_INPUT.fields>;

/** An assigned variant. */
export const ASSIGNED = fieldTable('VariantAssignment', 'A variant, and how it follows.', {
  variant: text('The variant of the subject.'),
  bucket: integer('Its place among the sorted variants, counted from 0.'),
  variants: list(text('The name of a variant.'), 'The variants in the order that decides.'),
  experiment: text('The name of the experiment.'),
  subject: text('Who or what is assigned.'),
  salt: text('The published salt, which is the key of the digest.'),
  message: text('What the digest is over.'),
  digest: text('The HMAC-SHA256 as 64 hexadecimal digits.'),
  formula: text('How the variant follows from these.'),
});
