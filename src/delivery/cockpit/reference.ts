import { fieldTable, flag, optional, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { CHECK_EVENTS, CHECK_STATUSES, CHECKS, RUN_STATUSES } from './vocabulary.js';

const CALL = fieldTable('MigrationCheckCall', 'The live checks, in the order they run in.', {
  method: text('The method of its request.'),
  path: text('The path of its request.'),
  billed: flag('Whether a passing check costs anything.'),
  needs: optional(text('The check without which this one is skipped; null for none.')),
});

publishReference({
  module: 'cockpit',
  type: 'CockpitReference',
  description: 'What the migration cockpit checks, and how checks and runs end.',
  lists: {
    checks: rows('check', CHECKS.rows, CALL),
    checkStatuses: codes('check_status', CHECK_STATUSES),
    runStatuses: codes('run_status', RUN_STATUSES),
    events: codes('event', CHECK_EVENTS),
  },
});
