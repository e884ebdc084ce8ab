import {
  code,
  day,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  object,
  optional,
  periodBegin,
  periodEnd,
  sha256,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { MICRO_PER_RUB } from '../../kernel/money.js';
import {
  DECISION_FIELDS,
  FEATURES,
  KILL_SWITCH,
  ROUTE_MODEL,
  TERM_FIELDS,
  TERMS,
} from '../decision/tables.js';
import { SCORECARD_SOURCES } from '../decision/vocabulary.js';
import { REPLAY_VERDICTS, WHAT_IF_SCORECARDS, WHAT_IF_VERDICTS } from './vocabulary.js';

const DECISION = fieldTable(
  'RoutingDecision',
  'A decision of the router, with every stage and every model that was looked at.',
  DECISION_FIELDS,
);

/** The explanation of one request. */
export const EXPLANATION = fieldTable(
  'RoutingExplanation',
  'Why a model answered a request: the decision, made again from what was recorded of it.',
  {
    requestId: uuid('The id of the request.'),
    decidedAt: instant('When its usage was recorded.'),
    answeredBy: text('The model that answered: another than was chosen after a fallback.'),
    costMicro: money('What the request cost at list prices.'),
    situationSha256: sha256('The hash of what the decision was made from.'),
    situationIntact: flag('Whether what was stored still has that hash.'),
    identical: flag('Whether making the decision again chooses the same model.'),
    useCase: text('What the request was for.'),
    features: object(FEATURES, 'What the router read of the request.'),
    incumbent: optional(text('The model that was present before.')),
    terms: optional(object(TERMS, 'The terms that were in force.')),
    killSwitch: optional(object(KILL_SWITCH, 'The kill switch at that moment.')),
    models: list(object(ROUTE_MODEL, 'A model.'), 'Every model as it was known at that moment.'),
    decision: optional(object(DECISION, 'The decision, made again.')),
  },
);

const SINCE = optional(periodBegin('Where the window begins; 30 days before its end if left out.'));
const UNTIL = optional(periodEnd('Where the window ends; now if left out.'));
const KEY = { max: 64 };

/** Which decisions are made again. */
export const REPLAY_INPUT = fieldTable('RoutingReplayInput', 'Which decisions are made again.', {
  from: SINCE,
  to: UNTIL,
  contractKey: optional(text('Only those by this contract or policy.', KEY)),
  useCase: optional(text('Only those for this use case.', KEY)),
});

/** What making decisions again showed. */
export const REPLAY = fieldTable('RoutingReplay', 'What making recorded decisions again showed.', {
  verdict: code(REPLAY_VERDICTS, 'Whether every decision comes out as it was.'),
  decisions: integer('Decisions that were made again.'),
  identical: integer('Those that come out as they were.'),
  truncated: flag('Whether the window holds more than the 100,000 latest, which were read.'),
  differing: list(
    object(
      fieldTable('RoutingReplayDifference', 'A decision that does not come out as it was.', {
        requestId: uuid('The id of the request.'),
        situationSha256: sha256('The hash of what it was made from.'),
        recordedModel: optional(text('The model that is recorded.')),
        recomputedModel: optional(text('The model that comes out; null where nothing can.')),
        reason: text('What is wrong, for people.'),
      }),
      'A difference.',
    ),
    'The first hundred that differ.',
  ),
  damagedSituations: list(
    sha256('The hash of a situation.'),
    'Situations that are missing or have another hash than their own.',
  ),
});

const PRICE = { min: 0n, max: 1_000_000n * MICRO_PER_RUB };

/** A supposition about the past. */
export const WHAT_IF_INPUT = fieldTable('RoutingWhatIfInput', 'What is supposed of the past.', {
  ...REPLAY_INPUT.fields,
  newContractKey: optional(text('The routing contract that is supposed to have held.', KEY)),
  newContractVersion: optional(
    integer('Its version; the latest if left out.', { min: 1, max: 2_147_483_647 }),
  ),
  newTerms: optional(
    object(
      fieldTable('RoutingWhatIfTerms', 'Terms that nobody has published.', TERM_FIELDS),
      'The terms that are supposed to have held.',
    ),
  ),
  prices: defaulting(
    list(
      object(
        fieldTable('RoutingWhatIfPrice', 'A list price that is supposed.', {
          model: text('The id of the model.', { max: 200 }),
          inputMicroPerMillion: money('A million input tokens.', PRICE),
          outputMicroPerMillion: money('A million answer tokens.', PRICE),
        }),
        'A price.',
      ),
      'List prices that are supposed.',
      { max: 1_000 },
    ),
    [],
  ),
  pricesOn: optional(
    day(
      'The day whose price rows are supposed for every deployment, also one to come. Where it is ' +
        'left out, each request has the row of its own day.',
    ),
  ),
  scorecards: defaulting(code(WHAT_IF_SCORECARDS, 'Which scorecards are used.'), 'RECORDED'),
});

const NEEDED = list(text('What is missing.'), 'What would have to be known; empty where it is.');

/** What a supposition comes to. */
export const WHAT_IF = fieldTable('RoutingWhatIf', 'What the past would have been otherwise.', {
  verdict: code(WHAT_IF_VERDICTS, 'What asking again came to.'),
  decisions: integer('Decisions that were asked again; those of simulated models are left out.'),
  unchanged: integer('Those that come out as they were, at the same price.'),
  changed: integer('Those that come out otherwise, or at another price.'),
  refused: integer('Of them, those that no model would have answered.'),
  truncated: flag('Whether the window holds more than the 100,000 latest, which were read.'),
  recordedCostMicro: money('What the decisions have cost at list prices: equal to the ledger.'),
  sameTokensCostMicro: optional(
    money('The same tokens at the prices of the models that come out; arithmetic, no forecast.'),
  ),
  priceRows: list(
    object(
      fieldTable('RoutingPriceRow', 'A price row that is supposed.', {
        deployment: text('The deployment: its provider, a colon, its public model.'),
        effectiveFrom: day('The first day of the row, which names it among those of it.'),
      }),
      'A row.',
    ),
    'The rows of the supposed day, where one is; of deployments that decisions chose among.',
  ),
  cost: object(
    fieldTable('RoutingCostDifference', 'What it would have cost more; negative is less.', {
      lowMicro: optional(money('The lower end of the interval of 95 %.')),
      expectedMicro: optional(money('The expected difference.')),
      highMicro: optional(money('The upper end of the interval of 95 %.')),
      needed: NEEDED,
    }),
    'The difference of cost; null where the data does not carry it.',
  ),
  quality: object(
    fieldTable('RoutingQualityDifference', 'How mean quality would have changed.', {
      lowBasisPoints: optional(integer('The lower end of the interval.')),
      expectedBasisPoints: optional(integer('The expected difference, of 10,000.')),
      highBasisPoints: optional(integer('The upper end of the interval.')),
      needed: NEEDED,
    }),
    'The difference of quality; null where the data does not carry it.',
  ),
  moves: list(
    object(
      fieldTable('RoutingMove', 'Decisions that go from one model to another.', {
        fromModel: text('The model that answered.'),
        toModel: optional(text('The model that would have; null where none.')),
        decisions: integer('How many decisions.'),
      }),
      'A move.',
    ),
    'Between which models, the most frequent first.',
  ),
  changedScorecards: list(
    object(
      fieldTable('RoutingChangedScorecard', 'An estimate that is another one today.', {
        useCase: text('The use case that it is of.'),
        model: text('The id of the model.'),
        sourceBefore: code(SCORECARD_SOURCES, 'Where it came from then.'),
        sourceNow: code(SCORECARD_SOURCES, 'Where it comes from today.'),
        qualityBasisPointsBefore: integer('The quality then.'),
        qualityBasisPointsNow: integer('The quality today.'),
      }),
      'A scorecard.',
    ),
    'Estimates that differ from those of the latest decisions, where CURRENT ones are used.',
  ),
  damagedSituations: REPLAY.fields.damagedSituations,
});
