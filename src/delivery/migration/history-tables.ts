import type { Sealable } from '../../kernel/canonical.js';
import {
  code,
  fieldTable,
  instant,
  integer,
  kept,
  list,
  optional,
  tableUnion,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { CUTOVER_DECISIONS, CUTOVER_OUTCOMES, MIGRATION_NOTES, STATUSES } from './vocabulary.js';

/** What each step of the history tells. */
const STEP_DETAILS = tableUnion(
  'MigrationStepDetails',
  'The facts of a step in the life of a migration; which type it is follows from the event.',
  [
    fieldTable('MigrationCreationStep', 'The migration was created.', {
      status: code(STATUSES, 'Where it stood then.'),
    }),
    fieldTable('MigrationScanStep', 'A compatibility scan was made.', {
      score: integer('From 0 to 100, by the formula of scans.'),
      knownGaps: list(text('A gap.'), 'The documented gaps that it found, by their codes.'),
    }),
    fieldTable('MigrationComparisonStep', 'A comparison was made and sealed.', {
      receiptId: uuid('The sealed receipt of the comparison.'),
      cutoverDecision: code(CUTOVER_DECISIONS, 'What the comparison says about a cutover.'),
    }),
    fieldTable('MigrationRollbackStep', 'The migration was rolled back.', {
      from: code(STATUSES, 'Where it stood before.'),
      aliasesRemoved: list(text('An alias.'), 'The aliases that were removed with it.'),
    }),
    fieldTable('MigrationCutoverStep', 'A cutover was asked for, or an approved one has ended.', {
      approvalId: optional(uuid('The approval in the queue; null where none was asked for.')),
      decision: optional(
        code(CUTOVER_OUTCOMES, 'What became of the request; null at the end of an approved one.'),
      ),
      rule: optional(
        text('The rule of the decision table that decided; null at the end of an approved one.'),
      ),
      reason: optional(text('Why, in a sentence; null where an approved cutover was carried out.')),
    }),
  ],
);

/** A step in the life of a migration. */
export const HISTORY_FIELDS = {
  event: code(MIGRATION_NOTES, 'What happened to the migration.'),
  details: kept<Sealable>(STEP_DETAILS, 'The facts of the step.'),
  createdAt: instant('When it happened.'),
} as const;
