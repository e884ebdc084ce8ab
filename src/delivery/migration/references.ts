import { defineReference } from '../../records/references.js';
import { COMPARISON_GUARDS, type PublishedGuard } from './compare.rules.js';
import { CHECKLIST, CUTOVER_GUARDS } from './cutover.rules.js';
import { DOCUMENTED_GAPS } from './gaps.js';
import { TRANSITIONS } from './lifecycle.js';
import { MIGRATION_NOTES } from './notes.js';
import {
  CAPABILITIES,
  CUTOVER_DECISIONS,
  CUTOVER_OUTCOMES,
  LATENCY_VERDICTS,
  MODES,
  QUALITY_DELTAS,
  QUALITY_VERDICTS,
  SEVERITIES,
  SOURCE_PROVIDERS,
  STATUSES,
} from './vocabulary.js';

function published<I, O extends string>(guards: readonly PublishedGuard<I, O>[]) {
  return guards.map(({ name, outcome, when }) => ({ code: name, outcome, when }));
}

defineReference('migration.source_provider', SOURCE_PROVIDERS);
defineReference('migration.capability', CAPABILITIES);
defineReference('migration.mode', MODES);
defineReference('migration.status', STATUSES);
defineReference('migration.transition', TRANSITIONS);
defineReference('migration.severity', SEVERITIES);
defineReference('migration.gap', DOCUMENTED_GAPS);
defineReference('migration.quality', QUALITY_VERDICTS);
defineReference('migration.quality_delta', QUALITY_DELTAS);
defineReference('migration.latency', LATENCY_VERDICTS);
defineReference('migration.cutover_decision', CUTOVER_DECISIONS);
defineReference('migration.cutover_outcome', CUTOVER_OUTCOMES);
defineReference(
  'migration.checklist',
  CHECKLIST.map(({ code, description, method, path }) => ({ code, description, method, path })),
);
defineReference('migration.comparison_rule', published(COMPARISON_GUARDS));
defineReference('migration.cutover_rule', published(CUTOVER_GUARDS));
defineReference('migration.event', MIGRATION_NOTES);
