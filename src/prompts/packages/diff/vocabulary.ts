import { dataRows } from '../../../kernel/fields/data-file.js';
import { flag } from '../../../kernel/fields/field.js';
import { type CodeOf, vocabulary } from '../../../kernel/vocabulary.js';
import CHANGES from './schema-changes.json' with { type: 'json' };

/**
 * How an output schema may change. Consumers read outputs, so a change breaks them when the new
 * schema lets an output through that the old one ruled out, or takes away what they read.
 */
export const SCHEMA_CHANGES = vocabulary(
  'PromptSchemaChangeCode',
  'How an output schema may change.',
  dataRows(CHANGES, { breaking: flag('It breaks who reads the outputs.') }),
);

/** A kind of change of an output schema. */
export type SchemaChangeCode = CodeOf<typeof SCHEMA_CHANGES>;

/** Insertions and deletions of lines up to which the shortest difference is looked for. */
export const EDITS_MAX = 2_000;

/** Changes of an output schema that a comparison lists at most. */
export const SCHEMA_CHANGES_MAX = 500;
