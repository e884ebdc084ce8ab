import {
  bigInteger,
  code,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  number,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { WINDOW_QUESTION } from '../reports/tables.js';
import {
  CACHE_ADVICE,
  CACHE_DAYS,
  CACHE_FEATURES_MAX,
  COSTLY_FEATURES_MAX,
  DRIFT_DAYS,
  DRIFT_RULES,
  DRIFT_STATISTICS,
  DRIFT_VERDICTS,
  HEALTH_TERMS,
  HEALTH_VERDICTS,
} from './vocabulary.js';

const WINDOW = {
  from: instant('Begin of the window.'),
  to: instant('End of the window; what happens at this moment is outside.'),
};
const REASON = optional(text('Why nothing can be said; null where something can.'));
const NEEDED = list(text('A missing part.'), 'What would have to be there; empty where all is.');
const MEASURED = code(PROVENANCES, '`live_measured`: from the recorded usage of the organization.');
const SIMULATED = flag(
  'True where all of it is of the built-in sandbox, since no live request is in the window.',
);

/** A term of the health score. */
const TERM = fieldTable('HealthScoreTerm', 'A term of the health score with what it gives.', {
  term: code(HEALTH_TERMS, 'What is measured.'),
  value: optional(number('What was measured; null where nothing was.')),
  best: number('At this value or below the term gives its whole weight.'),
  worst: number('At this value or above the term gives nothing.'),
  weight: number('How much it counts, among the weights of the measured terms.'),
  points: optional(number('What it gives of its weight; null where it was not measured.')),
});

/** What a feature was charged. */
const COSTLY_FEATURE = fieldTable('CostlyFeature', 'What the requests of a feature were charged.', {
  feature: optional(text('The feature; null for requests that named none.')),
  requests: bigInteger('How many requests there were.'),
  amountMicro: money('What they were charged, VAT included.'),
});

/** The state of an organization's traffic. */
export const HEALTH = fieldTable(
  'ObservabilitySummary',
  'How requests of clients went in a window, with a health score that shows its terms.',
  {
    ...WINDOW,
    verdict: code(HEALTH_VERDICTS, 'What the score says, or that there is too little to score.'),
    score: optional(number('From 0 to 100: the points of measured terms by their weights.')),
    terms: list(object(TERM, 'A term.'), 'What the score is made of.'),
    reason: REASON,
    needed: NEEDED,
    isSimulated: SIMULATED,
    requests: bigInteger('Requests of clients that the score is over.'),
    failed: bigInteger('Those that failed.'),
    refused: bigInteger('Those whose answer the provider cut off as content.'),
    cached: bigInteger('Those that the response cache answered.'),
    simulatedRequests: bigInteger('Requests of clients that the sandbox answered.'),
    ownRequests: bigInteger('Requests that the gateway made by itself, which are left out.'),
    costliestFeatures: list(
      object(COSTLY_FEATURE, 'A feature.'),
      `What cost most, the gateway's own requests included, at most ${COSTLY_FEATURES_MAX}.`,
    ),
    provenance: MEASURED,
  },
);

/** The state of an organization's traffic. */
export type Health = ValuesOf<typeof HEALTH.fields>;

/** One comparison of two windows. */
const COMPARISON = fieldTable('DriftComparison', 'One rule of drift, window against baseline.', {
  rule: code(DRIFT_RULES, 'What is compared.'),
  statistic: code(DRIFT_STATISTICS, 'By which statistic.'),
  value: optional(number('The statistic; null where it cannot be told.')),
  moderateAt: number('From here on the change is moderate.'),
  driftAt: number('From here on it is drift.'),
  verdict: code(DRIFT_VERDICTS, 'What follows from the statistic and its thresholds.'),
  requests: integer('Requests in the window that are compared.'),
  requestsBefore: integer('Requests in the baseline that they are compared with.'),
  reason: REASON,
  needed: NEEDED,
});

/** Whether traffic has changed. */
export const DRIFT = fieldTable('ObservabilityDrift', 'Whether requests of clients have changed.', {
  ...WINDOW,
  baselineFrom: instant('Begin of the baseline.'),
  baselineTo: instant('End of the baseline.'),
  verdict: code(DRIFT_VERDICTS, 'The worst verdict of the rules.'),
  rules: list(object(COMPARISON, 'A rule.'), 'Every rule with its statistic and thresholds.'),
  isSimulated: SIMULATED,
  provenance: MEASURED,
});

/** Whether traffic has changed. */
export type Drift = ValuesOf<typeof DRIFT.fields>;

/** The two windows of drift. */
export const DRIFT_QUESTION = {
  ...WINDOW_QUESTION,
  from: optional(
    text(`Begin of the window; ${DRIFT_DAYS.window} days before its end by default.`, { max: 40 }),
  ),
  baselineFrom: optional(
    text(`Begin of the baseline; ${DRIFT_DAYS.baseline} days before its end by default.`, {
      max: 40,
    }),
  ),
  baselineTo: optional(
    text('End of the baseline; the begin of the window by default.', { max: 40 }),
  ),
} as const;

/** What a cache does and could do for a feature. */
const FEATURE = fieldTable('FeatureCacheability', 'What a cache does and could do for a feature.', {
  feature: optional(text('The feature; null for requests that named none.')),
  requests: integer('Chat requests that were answered.'),
  hits: integer('Those that the response cache answered.'),
  hitRate: number('The share of requests that the response cache answered.'),
  fingerprinted: integer('Requests with a fingerprint: those of at most 64 KiB.'),
  distinctPrompts: integer('How many different prompts they had.'),
  repeats: integer('Those that a provider answered within a day of an equal one, by one model.'),
  repeatRate: optional(number('Their share of those; null where no request has a fingerprint.')),
  repeatedMicro: money('What they were charged, VAT included.'),
  providerCachedShare: optional(
    number("The share of tokens in that a provider's cache had; null without tokens."),
  ),
  advice: code(CACHE_ADVICE, 'What is worth doing.'),
  reason: REASON,
  needed: NEEDED,
});

/** What caches do and could do. */
export const CACHEABILITY = fieldTable(
  'ObservabilityCacheability',
  'What caches do and could do for each feature, by keyed fingerprints of the prompts.',
  {
    ...WINDOW,
    features: list(
      object(FEATURE, 'A feature.'),
      `The most expensive first, at most ${CACHE_FEATURES_MAX}.`,
    ),
    provenance: MEASURED,
  },
);

/** What caches do and could do. */
export type Cacheability = ValuesOf<typeof CACHEABILITY.fields>;

/** The window of cacheability. */
export const CACHEABILITY_QUESTION = {
  ...WINDOW_QUESTION,
  from: optional(
    text(`Begin of the window; ${CACHE_DAYS} days before its end by default.`, { max: 40 }),
  ),
} as const;
