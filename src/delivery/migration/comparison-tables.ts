import { PRICE_ROWS } from '../../catalog/providers/price-ahead.js';
import {
  bigInteger,
  code,
  day,
  fieldTable,
  flag,
  integer,
  list,
  money,
  number,
  object,
  optional,
  sha256,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { EVALUATION_ITEM_INPUT } from './tables.js';
import {
  BOUNDS,
  COMPARISON,
  CUTOVER_DECISIONS,
  EVIDENCE_MINIMUMS,
  LATENCY_VERDICTS,
  QUALITY_DELTAS,
  QUALITY_VERDICTS,
  ROUTE_CHOICES,
} from './vocabulary.js';

const SHARE = { min: 0, max: 1 };

/** What a comparison is made from. */
export const COMPARE_INPUT = fieldTable(
  'ProviderMigrationCompareInput',
  'What a comparison is made from; only the price of the source must be stated.',
  {
    sourceCostPer1mMicro: money('What a million tokens cost at the source, at least 0.01.', {
      min: BOUNDS.sourceCostMicroMin,
      max: BOUNDS.sourceCostMicroMax,
    }),
    model: optional(text('Another model than the target of the migration.')),
    evaluationSet: optional(
      list(
        object(EVALUATION_ITEM_INPUT, 'An item.'),
        `Up to ${COMPARISON.evaluationItemsMax} items, each run as a billed request of yours in ` +
          `your own project; a verdict needs ${COMPARISON.evaluationItemsMin}.`,
        { min: 1, max: COMPARISON.evaluationItemsMax },
      ),
    ),
    sourceQuality: optional(
      number('The share of such items that passes at the source, from 0 to 1.', SHARE),
    ),
    sourceLatencyMs: optional(
      number('How long the source takes, in milliseconds.', { min: 1, max: BOUNDS.latencyMsMax }),
    ),
    monthlyTokens: optional(
      bigInteger('Tokens of a month.', { min: 1n, max: BOUNDS.monthlyTokensMax }),
    ),
    inputShare: optional(
      number(
        'The share of input tokens, from 0 to 1 with at most four places; ' +
          `${COMPARISON.inputShareDefault} unless stated, and 1 for embeddings.`,
        SHARE,
      ),
    ),
  },
);

/** What a comparison is made from. */
export type ComparisonInput = ValuesOf<typeof COMPARE_INPUT.fields>;

const QUALITY = fieldTable(
  'MigrationQuality',
  'Quality of the route: the share of an evaluation set that passed.',
  {
    reason: text('Why the verdict is what it is.'),
    needed: list(text('A missing part.'), 'What would lift the verdict.'),
    items: integer('Items of the set.'),
    ran: integer('Items that were answered.'),
    passed: integer('Items whose answer was as expected.'),
    share: optional(number('Passed of answered, from 0 to 1; null where nothing ran.')),
    intervalLow: optional(number('Lower end of the Wilson interval of the share at 95 %.')),
    intervalHigh: optional(number('Upper end of the Wilson interval of the share at 95 %.')),
    sourceShare: optional(
      number(
        'Quality of the source: the share of its outputs that pass where every item has one, ' +
          'else as stated; null where neither was given.',
      ),
    ),
    sourceProvenance: optional(
      code(PROVENANCES, '`declared`: the outputs or the figure are yours; null without them.'),
    ),
    echoItems: optional(
      integer('Items that the text of their own question would pass; they are left out.'),
    ),
    provesNothingItems: optional(
      integer('Further items that other answers would pass as well; they are left out.'),
    ),
    sourcePassed: optional(
      integer('Outputs of the source that pass; null unless every item has one.'),
    ),
    differenceLow: optional(
      number('Lower end of route less source at 95 %, by Newcombe; null without outputs.'),
    ),
    differenceHigh: optional(
      number('Upper end of route less source at 95 %, by Newcombe; null without outputs.'),
    ),
  },
);

const VERDICTS = {
  quality: code(QUALITY_VERDICTS, 'Whether the quality on the gateway is known.'),
  qualityDelta: code(QUALITY_DELTAS, 'How it stands to the quality of the source.'),
  qualityDeltaPercent: optional(
    number('Measured less source, in percentage points; null where not comparable.'),
  ),
  qualityEvidence: object(QUALITY, 'The figures behind the quality.'),
} as const;

/** Quality as a comparison tells it: the verdicts, with the figures behind them. */
export type Quality = ValuesOf<typeof VERDICTS>;

const ITEM_RESULT = fieldTable(
  'MigrationEvaluationResult',
  'How one item of an evaluation set went. Neither prompt nor answer is kept.',
  {
    index: integer('Its place in the set, from 0.'),
    passed: flag('True when the answer was as expected.'),
    requestId: optional(uuid('The request in usage and ledger; null when it was refused.')),
    errorCode: optional(text('Why it was refused; null when it was answered.')),
    simulated: flag('True when a simulated model answered: the result is no evidence.'),
    useCase: optional(text('The use case that it tests; null where none was named.')),
    echo: optional(flag('True where the text of the question alone would pass: no evidence.')),
    provesNothing: optional(
      flag(
        'True where an answer without having read the question would pass, or beside the output ' +
          'of the source that to another item: no evidence.',
      ),
    ),
    sourcePassed: optional(
      flag('True when the output of the source was as expected; null where there is none.'),
    ),
  },
);

/** How one item of an evaluation set went. */
export type ItemResult = ValuesOf<typeof ITEM_RESULT.fields>;

const EVALUATION = fieldTable(
  'MigrationEvaluation',
  'The run of an evaluation set: real requests, billed as any other.',
  {
    sha256: sha256('Of the set as canonical JSON by RFC 8785: it proves which set was run.'),
    simulated: flag('True when a simulated model answered at least one item.'),
    costMicro: money('What the runs were charged.'),
    results: list(object(ITEM_RESULT, 'An item.'), 'The items in their order.'),
  },
);

const LATENCY = fieldTable(
  'MigrationLatency',
  'Latency of the route. Percentiles are exact, by nearest rank.',
  {
    verdict: code(LATENCY_VERDICTS, 'Where the figures come from.'),
    reason: text('Why the verdict is what it is.'),
    samples: integer('Requests that were looked at.'),
    p50Ms: optional(number('Half of the requests took at most this long; null if not measured.')),
    p95Ms: optional(number('95 % of the requests took at most this long; null if not measured.')),
    provenance: optional(
      code(
        PROVENANCES,
        '`live_measured`; null where not measured, or measured on simulated answers.',
      ),
    ),
    sourceLatencyMs: optional(
      number('Latency of the source as you stated it; null where you did not.'),
    ),
  },
);

/** Latency of the route. */
export type Latency = ValuesOf<typeof LATENCY.fields>;

const EVIDENCE = fieldTable(
  'MigrationEvidence',
  'How much evidence a use case has, beside the published minimum.',
  {
    useCase: optional(text('The use case; null for the whole project where none is named.')),
    minimum: code(EVIDENCE_MINIMUMS, 'What is counted.'),
    required: integer('The published minimum.'),
    found: integer('What there is, counted up to the minimum for requests.'),
    provenance: optional(
      code(PROVENANCES, '`declared` for outputs of the source; null for what is counted here.'),
    ),
  },
);

/** How much evidence a use case has of one kind. */
export type Evidence = ValuesOf<typeof EVIDENCE.fields>;

const REASON = fieldTable(
  'MigrationDecisionReason',
  'One rule of the decision table that applies.',
  {
    rule: text('The rule, as the reference lists it.'),
    outcome: code(CUTOVER_DECISIONS, 'What the rule says.'),
    reason: text('Why it applies.'),
  },
);

/** One thing that speaks about the cutover. */
export type DecisionReason = ValuesOf<typeof REASON.fields>;

const SOURCES = fieldTable('MigrationProvenance', 'Where each figure of a comparison comes from.', {
  sourceCost: code(PROVENANCES, 'The price of the source: you state it.'),
  routeCost: code(PROVENANCES, 'The price of the route: its price row declares it.'),
  costDelta: code(PROVENANCES, 'Their difference, which rests on a stated mix.'),
  quality: optional(code(PROVENANCES, 'Null where nothing was run, or on simulated answers.')),
  latency: optional(code(PROVENANCES, 'Null where it was not measured on real answers.')),
});

/** What a comparison says, as it is sealed. */
export const COMPARISON_FIELDS = {
  migrationId: uuid('The id of the migration.'),
  migrationKey: text('Your name of the migration.'),
  number: integer('The comparisons of a migration are 1, 2, 3.'),
  targetModel: text('The model or alias that was compared.'),
  routeModel: optional(
    text('The model whose price stands for the route; null where none is permitted.'),
  ),
  routeChosenBy: code(ROUTE_CHOICES, 'How that model was found.'),
  simulated: flag(
    'True when that model, or one that answered the evaluation set, is simulated. Then the ' +
      'comparison is no evidence, and the cutover is held.',
  ),
  priceDay: day('The day whose price row holds, in Moscow.'),
  inputShare: number('The share of input tokens in the price of the route.'),
  sourceCostPer1mMicro: money('What a million tokens cost at the source, as you stated it.'),
  routeCostPer1mMicro: optional(
    money(
      'What a million tokens of the stated mix cost on the route, by its price row; half ' +
        'to even. Null without a permitted model.',
    ),
  ),
  costDeltaPercent: optional(
    number(
      '(route − source) ÷ source × 100 with two places, half to even; negative where the ' +
        'route is cheaper. Null without a permitted model.',
    ),
  ),
  monthlyTokens: optional(bigInteger('Tokens of a month, as you stated them.')),
  monthlyDeltaMicro: optional(
    money(
      'What the stated tokens of a month cost more; null without them, and where a price row ' +
        'has no price for them. Spread evenly over the 30 days to come, each at the price row of ' +
        'that day.',
    ),
  ),
  priceRows: optional(PRICE_ROWS),
  priceChangeMicro: optional(
    money(
      'What price rows that begin within these days change of it; null without the tokens, and ' +
        'where a row has no price for them.',
    ),
  ),
  ...VERDICTS,
  evaluation: optional(
    object(EVALUATION, 'The run of the evaluation set; null where none was given.'),
  ),
  latency: object(LATENCY, 'Latency of the route.'),
  evidence: optional(
    list(
      object(EVIDENCE, 'A use case and a minimum.'),
      'For each use case the evidence beside each published minimum; null where the comparison ' +
        'is older than they are.',
    ),
  ),
  score: optional(integer('The score of the scan; null without one.')),
  cutoverDecision: code(CUTOVER_DECISIONS, 'What all of it says about the cutover.'),
  decidedBy: text('The rule that decided.'),
  reasons: list(
    object(REASON, 'A rule.'),
    'Every rule of the decision table that applies; the first one decided.',
  ),
  provenance: object(SOURCES, 'Where each figure comes from.'),
} as const;

/** What a comparison says. */
export type Comparison = ValuesOf<typeof COMPARISON_FIELDS>;
