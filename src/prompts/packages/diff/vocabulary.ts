import { type CodeOf, vocabulary } from '../../../kernel/vocabulary.js';
/**
 * How an output schema may change. Consumers read outputs, so a change breaks them when the new
 * schema lets an output through that the old one ruled out, or takes away what they read.
 */
export const SCHEMA_CHANGES = vocabulary(
  'PromptSchemaChangeCode',
  'How an output schema may change.',
  [
    { code: 'schema_removed', breaking: true, description: 'Outputs have no schema any more.' },
    { code: 'schema_added', breaking: false, description: 'Outputs have a schema now.' },
    { code: 'property_removed', breaking: true, description: 'A property is not described now.' },
    { code: 'property_added', breaking: false, description: 'A property is new.' },
    {
      code: 'property_not_required',
      breaking: true,
      description: 'A property that was always there may be missing.',
    },
    { code: 'property_required', breaking: false, description: 'A property is always there now.' },
    { code: 'type_widened', breaking: true, description: 'A value may have another type.' },
    {
      code: 'type_replaced',
      breaking: true,
      description: 'A value has another type, and one that it had comes no more.',
    },
    { code: 'type_narrowed', breaking: false, description: 'A value has fewer types.' },
    { code: 'value_added', breaking: true, description: 'A value that was not listed may come.' },
    { code: 'value_removed', breaking: false, description: 'A listed value comes no more.' },
    { code: 'values_unlisted', breaking: true, description: 'The list of values is gone.' },
    { code: 'values_listed', breaking: false, description: 'The values are listed now.' },
    {
      code: 'additional_opened',
      breaking: true,
      description: 'Members that the schema does not name may come.',
    },
    {
      code: 'additional_closed',
      breaking: false,
      description: 'Members that the schema does not name come no more.',
    },
    { code: 'bound_loosened', breaking: true, description: 'A bound is wider or gone.' },
    { code: 'bound_tightened', breaking: false, description: 'A bound is closer or new.' },
    { code: 'alternative_added', breaking: true, description: 'One more alternative may come.' },
    { code: 'alternative_removed', breaking: false, description: 'An alternative comes no more.' },
    {
      code: 'not_comparable',
      breaking: true,
      description: 'A keyword changed whose effect cannot be told; it counts as breaking.',
    },
  ],
);

/** A kind of change of an output schema. */
export type SchemaChangeCode = CodeOf<typeof SCHEMA_CHANGES>;

/** Insertions and deletions of lines up to which the shortest difference is looked for. */
export const EDITS_MAX = 2_000;

/** Changes of an output schema that a comparison lists at most. */
export const SCHEMA_CHANGES_MAX = 500;
