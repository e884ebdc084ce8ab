import { builder } from '../../graph/builder.js';
import { referenceNamed } from '../../records/references.js';
import './references.js';
import {
  APPROVAL_WAIT_SECONDS,
  COMPARISON,
  LIVE_WINDOW_DAYS,
  SCORE_FORMULA,
} from './vocabulary.js';

/** The published lists of migrations, each field from one reference. */
const LISTS = {
  sourceProviders: ['migration.source_provider', 'Where clients can come from.'],
  capabilities: [
    'migration.capability',
    'What a client can use, and the flag of a model it needs.',
  ],
  modes: ['migration.mode', 'How traffic can move over; what is roadmap cannot be asked for.'],
  statuses: ['migration.status', 'Where a migration can stand.'],
  transitions: ['migration.transition', 'The state table: from, event, to.'],
  severities: ['migration.severity', 'Severities of gaps, and the points that each takes.'],
  knownGaps: ['migration.gap', 'The documented gaps that scans look up.'],
  qualityVerdicts: ['migration.quality', 'Whether quality is known.'],
  qualityDeltas: ['migration.quality_delta', 'How quality stands to that of the source.'],
  latencyVerdicts: ['migration.latency', 'Where latency figures come from.'],
  comparisonRules: ['migration.comparison_rule', 'The decision table of comparisons, in order.'],
  cutoverDecisions: ['migration.cutover_decision', 'What a comparison can say.'],
  checklist: ['migration.checklist', 'The checklist of a cutover; every open item blocks it.'],
  cutoverRules: ['migration.cutover_rule', 'The decision table of cutovers, in order.'],
  cutoverOutcomes: ['migration.cutover_outcome', 'What can become of a request to cut over.'],
  events: ['migration.event', 'What the history of a migration can say.'],
  importKinds: ['migration.import_kind', 'Kinds of configuration that can be imported.'],
} as const;

const Reference = builder.objectRef<object>('MigrationReference').implement({
  description: 'What migrations are decided by: the very lists that the rules read.',
  fields: (t) => ({
    ...Object.fromEntries(
      Object.entries(LISTS).map(([field, [name, description]]) => [
        field,
        t.field({
          type: ['JSON'],
          description,
          resolve: () => [...(referenceNamed(name)?.entries ?? [])],
        }),
      ]),
    ),
    scoreFormula: t.string({
      description: 'How the score of a scan is computed.',
      resolve: () => SCORE_FORMULA,
    }),
    thresholds: t.field({
      type: 'JSON',
      description: 'Figures that the decision tables and defaults use.',
      resolve: () => THRESHOLDS,
    }),
  }),
});

const THRESHOLDS = {
  input_share_default: COMPARISON.inputShareDefault,
  score_min: COMPARISON.scoreMin,
  cost_increase_percent_max: COMPARISON.costIncreasePercentMax,
  quality_share_min: COMPARISON.qualityShareMin,
  latency_factor_max: COMPARISON.latencyFactorMax,
  evaluation_items_min: COMPARISON.evaluationItemsMin,
  evaluation_items_max: COMPARISON.evaluationItemsMax,
  latency_samples_min: COMPARISON.latencySamplesMin,
  latency_window_days: COMPARISON.latencyWindowDays,
  live_window_days: LIVE_WINDOW_DAYS,
  approval_wait_seconds: APPROVAL_WAIT_SECONDS,
};

builder.queryField('migrationReference', (t) =>
  t.field({
    type: Reference,
    description: 'Source providers, capabilities, modes, and everything that decides.',
    resolve: () => ({}),
  }),
);
