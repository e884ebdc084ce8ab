import { publishedGuards } from '../../kernel/decision.js';
import {
  code,
  fieldTable,
  integer,
  number,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { PROVIDER_SIGNS } from '../migration-import/providers.js';
import { FINDING_TYPES, IMPORT_KINDS } from '../migration-import/vocabulary.js';
import { COMPARISON_GUARDS } from './compare.rules.js';
import { CHECKLIST, CUTOVER_GUARDS } from './cutover.rules.js';
import { DOCUMENTED_GAPS } from './gaps.js';
import { TRANSITIONS } from './lifecycle.js';
import {
  APPROVAL_WAIT_SECONDS,
  CAPABILITIES,
  COMPARISON,
  CUTOVER_DECISIONS,
  CUTOVER_OUTCOMES,
  EVIDENCE_MINIMUMS,
  LATENCY_VERDICTS,
  LIVE_WINDOW_DAYS,
  MIGRATION_NOTES,
  MODES,
  QUALITY_DELTAS,
  QUALITY_VERDICTS,
  SCORE_FORMULA,
  SEVERITIES,
  SOURCE_PROVIDERS,
  STATUSES,
} from './vocabulary.js';

const PROVIDER_ROW = fieldTable('MigrationSourceRow', 'Where clients can come from.', {
  address: optional(text('The base address of its SDK; null where every customer has another.')),
});
const CAPABILITY_ROW = fieldTable(
  'MigrationCapabilityRow',
  'What a client can use, and the flag of a model it needs.',
  { flag: text('What a model of the registry must have.') },
);
const MODE_ROW = fieldTable(
  'MigrationModeRow',
  'How traffic can move over; what is roadmap cannot be asked for.',
  { status: text('`available` or `roadmap`.') },
);
const TRANSITION_ROW = fieldTable('MigrationTransitionRow', 'The state table: from, event, to.', {
  from: code(STATUSES, 'Where the migration stands.'),
  event: text('What happens to the migration.'),
  to: code(STATUSES, 'Where it stands then.'),
});
const SEVERITY_ROW = fieldTable(
  'MigrationSeverityRow',
  'Severities of gaps, and the points that each takes.',
  { penalty: integer('The points of the score that it takes.') },
);
const GAP_ROW = fieldTable('MigrationGapRow', 'The documented gaps that scans look up.', {
  capability: code(CAPABILITIES, 'The gap concerns clients that use this.'),
  provider: optional(code(SOURCE_PROVIDERS, 'The source it is about; null for every source.')),
  severity: code(SEVERITIES, 'How much it matters.'),
  workaround: text('What to do about it.'),
});
const CHECKLIST_ROW = fieldTable(
  'MigrationChecklistRow',
  'The checklist of a cutover; every open item blocks it.',
  { method: text('The method of the call that closes it.'), path: text('The path of that call.') },
);
const COMPARISON_ROW = fieldTable(
  'MigrationComparisonRule',
  'The decision table of comparisons, in order.',
  { outcome: code(CUTOVER_DECISIONS, 'What the rule says where it applies.') },
);
const CUTOVER_ROW = fieldTable(
  'MigrationCutoverRule',
  'The decision table of cutovers, in order.',
  {
    outcome: code(CUTOVER_OUTCOMES, 'What the rule says where it applies.'),
  },
);
const MINIMUM_ROW = fieldTable(
  'MigrationEvidenceMinimumRow',
  'What each use case needs; below it a comparison is conditional and names what is missing.',
  { minimum: integer('The smallest number that is enough.') },
);
const IMPORT_KIND_ROW = fieldTable(
  'MigrationImportKindRow',
  'Kinds of configuration that can be imported.',
  { syntax: text('How the text is read.'), bytesMax: integer('The most bytes that are read.') },
);
const IMPORT_HOST_ROW = fieldTable(
  'MigrationImportHostRow',
  'Hosts by which an imported configuration shows its provider.',
  { provider: code(SOURCE_PROVIDERS, 'Who serves there.') },
);

const HOSTS = PROVIDER_SIGNS.flatMap(({ code: provider, hosts }) =>
  hosts.map((host) => ({ code: host, description: `A host of ${provider}.`, provider })),
);

const THRESHOLDS = fieldTable(
  'MigrationThresholds',
  'Figures that the decision tables and defaults use.',
  {
    inputShareDefault: number('The share of input tokens where none is stated.'),
    scoreMin: integer('A lower score holds.'),
    costIncreasePercentMax: integer('A larger increase of cost holds.'),
    qualityShareMin: number('A lower measured share holds.'),
    qualityLossMax: number(
      'A larger loss of quality that the interval does not exclude is a condition.',
    ),
    latencyFactorMax: integer('A p95 of more times the latency of the source is a condition.'),
    evaluationItemsMin: integer('Items that a verdict about quality needs.'),
    evaluationItemsMax: integer('The most items of an evaluation set.'),
    latencySamplesMin: integer('Requests that a percentile needs.'),
    latencyWindowDays: integer('Days of recorded requests that latency is taken from.'),
    liveWindowDays: integer('Days of traffic that count as a sign of life.'),
    approvalWaitSeconds: integer('How long a cutover waits in the approval queue.'),
  },
);
const FIGURES = {
  scoreFormula: text('How the score of a scan is computed.'),
  thresholds: object(THRESHOLDS, 'Figures that the decision tables and defaults use.'),
} as const;
const FIGURES_NOW: ValuesOf<typeof FIGURES> = {
  scoreFormula: SCORE_FORMULA,
  thresholds: {
    ...COMPARISON,
    liveWindowDays: LIVE_WINDOW_DAYS,
    approvalWaitSeconds: APPROVAL_WAIT_SECONDS,
  },
};

publishReference({
  module: 'migration',
  type: 'MigrationReference',
  description: 'What migrations are decided by: the very lists that the rules read.',
  lists: {
    sourceProviders: rows('source_provider', SOURCE_PROVIDERS.rows, PROVIDER_ROW),
    capabilities: rows('capability', CAPABILITIES.rows, CAPABILITY_ROW),
    modes: rows('mode', MODES.rows, MODE_ROW),
    statuses: codes('status', STATUSES),
    transitions: rows('transition', TRANSITIONS, TRANSITION_ROW),
    severities: rows('severity', SEVERITIES.rows, SEVERITY_ROW),
    knownGaps: rows('gap', DOCUMENTED_GAPS, GAP_ROW),
    qualityVerdicts: codes('quality', QUALITY_VERDICTS),
    qualityDeltas: codes('quality_delta', QUALITY_DELTAS),
    latencyVerdicts: codes('latency', LATENCY_VERDICTS),
    evidenceMinimums: rows('evidence_minimum', EVIDENCE_MINIMUMS.rows, MINIMUM_ROW),
    comparisonRules: rows('comparison_rule', publishedGuards(COMPARISON_GUARDS), COMPARISON_ROW),
    cutoverDecisions: codes('cutover_decision', CUTOVER_DECISIONS),
    checklist: rows('checklist', CHECKLIST, CHECKLIST_ROW),
    cutoverRules: rows('cutover_rule', publishedGuards(CUTOVER_GUARDS), CUTOVER_ROW),
    cutoverOutcomes: codes('cutover_outcome', CUTOVER_OUTCOMES),
    events: codes('event', MIGRATION_NOTES),
    importKinds: rows('import_kind', IMPORT_KINDS.rows, IMPORT_KIND_ROW),
    importFindings: codes('import_finding', FINDING_TYPES),
    importHosts: rows('import_host', HOSTS, IMPORT_HOST_ROW),
  },
  figures: { fields: FIGURES, values: FIGURES_NOW },
});
