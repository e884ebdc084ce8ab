import type { Registry } from '../../catalog/providers/model.js';
import { LATENCY_TIERS, QUALITY_TIERS } from '../../catalog/providers/vocabulary.js';
import { builder } from '../../graph/builder.js';
import { outputOf } from '../../graph/table-types.js';
import {
  code,
  fieldTable,
  flag,
  integer,
  optional,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { COMPLEXITY_SIGNS } from '../decision/complexity.rules.js';
import { IMAGE_TOKENS, IMAGE_TOKENS_LOW } from '../decision/cost.rules.js';
import {
  estimateOf,
  NOMINAL_LATENCY_MS,
  NOMINAL_QUALITY,
  PRIOR_OUTCOMES,
} from '../decision/estimate.rules.js';
import {
  COMPLEXITIES,
  EXPECTED_OUTPUT_TOKENS,
  ROUTE_REJECTIONS,
  ROUTING_MODES,
  ROUTING_VERDICTS,
  SCORECARD_SOURCES,
} from '../decision/vocabulary.js';
import { NOMINAL_SCORECARD } from './tables.js';
import {
  ANSWERS_MIN,
  COST_RULES,
  ECONOMICS_RULES,
  MEASURED_ANSWERS_MAX,
  MEASURED_DAYS,
  OBJECTIVES,
} from './vocabulary.js';

const COMPLEXITY = fieldTable('RouteComplexityRow', 'How hard a request is, and its floor.', {
  points: integer('The least sum of points of the signs that apply.'),
  qualityFloorBasisPoints: integer('The least quality, where no policy states one.'),
});
const SIGN = fieldTable('RouteComplexitySign', 'A sign that a request is hard.', {
  points: integer('What it adds to the sum of points.'),
});
const OBJECTIVE = fieldTable('RouteObjectiveRow', 'What a route policy may seek.', {
  mode: code(ROUTING_MODES, 'The mode of the router that seeks it.'),
});
const SOURCE = fieldTable('ScorecardSourceRow', 'Where the quality of a scorecard comes from.', {
  isMeasured: flag('Whether the gateway has measured it, as the mode ASSURED insists.'),
  answersMin: optional(integer('The least answers that it is measured on; null for the others.')),
});
const QUALITY = fieldTable('NominalQualityRow', 'The quality that a declared tier stands for.', {
  qualityBasisPoints: integer('The share of answers that are good, of 10,000.'),
});
const LATENCY = fieldTable('NominalLatencyRow', 'The time that a declared tier stands for.', {
  latencyMs: integer('How long an answer is expected to take.'),
});

const answersMin: Readonly<Record<string, number>> = ANSWERS_MIN;

const RoutingReference = publishReference({
  module: 'routing',
  type: 'RoutingReference',
  description: 'What routes are decided by: each list is the one that the rules read.',
  lists: {
    complexities: rows('complexity', COMPLEXITIES.rows, COMPLEXITY),
    complexitySigns: rows('complexity_sign', COMPLEXITY_SIGNS, SIGN),
    objectives: rows('objective', OBJECTIVES.rows, OBJECTIVE),
    verdicts: codes('verdict', ROUTING_VERDICTS),
    rejections: codes('rejection', ROUTE_REJECTIONS),
    scorecardSources: rows(
      'scorecard_source',
      SCORECARD_SOURCES.rows.map((row) => ({ ...row, answersMin: answersMin[row.code] ?? null })),
      SOURCE,
    ),
    nominalQualities: rows(
      'nominal_quality',
      QUALITY_TIERS.rows.map((row) => ({ ...row, qualityBasisPoints: NOMINAL_QUALITY[row.code] })),
      QUALITY,
    ),
    nominalLatencies: rows(
      'nominal_latency',
      LATENCY_TIERS.rows.map((row) => ({ ...row, latencyMs: NOMINAL_LATENCY_MS[row.code] })),
      LATENCY,
    ),
    costRules: codes('cost_rule', COST_RULES),
    hardRules: codes('hard_rule', ECONOMICS_RULES),
  },
  figures: {
    fields: {
      expectedOutputTokens: integer('Answer tokens that are expected where nothing limits them.'),
      imageTokens: integer('What an image costs at most, in tokens, unless its model takes less.'),
      imageTokensLow: integer('The same for an image of low detail.'),
      priorOutcomes: integer(
        'What a quality counts for beside reported outcomes: as much as so many of them.',
      ),
      measuredDays: integer('Days of usage that a scorecard of outcomes is measured on.'),
      measuredAnswersMax: integer('Answers of those days that are counted at most, the newest.'),
    },
    values: {
      expectedOutputTokens: EXPECTED_OUTPUT_TOKENS,
      imageTokens: IMAGE_TOKENS,
      imageTokensLow: IMAGE_TOKENS_LOW,
      priorOutcomes: PRIOR_OUTCOMES,
      measuredDays: MEASURED_DAYS,
      measuredAnswersMax: MEASURED_ANSWERS_MAX,
    },
  },
});

builder.objectField(RoutingReference, 'nominalScorecards', (t) =>
  t.field({
    type: [outputOf(NOMINAL_SCORECARD)],
    description: 'What is reckoned with for each model of this server before it is measured.',
    resolve: (_reference, _args, { services }) => nominalScorecards(services.registry),
  }),
);

function nominalScorecards({ models }: Registry): ValuesOf<typeof NOMINAL_SCORECARD.fields>[] {
  return [...models.values()].map((model) => {
    const { qualityBasisPoints, qualitySource: source, latencyMs } = estimateOf(model);
    const { id, operation, simulated: isSimulated } = model;
    return { model: id, operation, isSimulated, source, qualityBasisPoints, latencyMs };
  });
}
