import { CLASSES_OF_DATA } from '../../../access/policies/tables.js';
import {
  code,
  fieldTable,
  flag,
  integer,
  list,
  object,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../../kernel/fields/field.js';
import { MODEL_VARIANT, VARIABLE } from '../tables.js';
import { SCHEMA_CHANGES } from './vocabulary.js';

const LINE = fieldTable('PromptTemplateLine', 'A line of a template.', {
  line: integer('Its number in its own version, from 1.'),
  text: text('What the line says.'),
});

const VARIABLE_CHANGE = fieldTable(
  'PromptVariableChange',
  'A variable that both versions declare, and not in the same way.',
  {
    name: text('The name of the variable.'),
    members: list(text('A member.'), 'The members that differ, by their names on the wire.'),
    before: object(VARIABLE, 'As the first version declares it.'),
    after: object(VARIABLE, 'As the second version declares it.'),
  },
);

const VARIANT_CHANGE = fieldTable(
  'PromptModelVariantChange',
  'A model variant that both versions have, and not in the same way.',
  {
    name: text('The name of the model variant.'),
    members: list(text('A member.'), 'The members that differ, by their names on the wire.'),
    before: object(MODEL_VARIANT, 'As it was in the first version.'),
    after: object(MODEL_VARIANT, 'As it is in the second version.'),
  },
);

const SCHEMA_CHANGE = fieldTable('PromptSchemaChange', 'One change of an output schema.', {
  code: code(SCHEMA_CHANGES, 'What kind of change it is.'),
  path: text('Where in the output, such as `$.customer.name` or `$.items[]`.'),
  breaking: flag('Whether it breaks consumers.'),
  message: text('The change in a sentence.'),
});

/** One change of an output schema. */
export type SchemaChange = ValuesOf<typeof SCHEMA_CHANGE.fields>;

const SCHEMA_DIFF = fieldTable(
  'PromptSchemaDiff',
  'How the output schema changed, from the side of who reads outputs. A change breaks when the ' +
    'new schema lets an output through that the old one ruled out, or takes away what was ' +
    'described. A new property does not count as breaking; what cannot be compared does. ' +
    'Alternatives of `oneOf` are taken to exclude each other.',
  {
    changed: flag('Whether the schemas differ at all.'),
    breaking: flag('Whether any change breaks consumers.'),
    changes: list(
      object(SCHEMA_CHANGE, 'A change.'),
      'Each change; where there are very many, the first 500.',
    ),
  },
);

/** How an output schema changed, and whether that breaks who reads the outputs. */
export type SchemaDiff = ValuesOf<typeof SCHEMA_DIFF.fields>;

const CLASS_DIFF = fieldTable(
  'PromptDataClassDiff',
  'How the least class of data changed that a version states.',
  {
    changed: flag('Whether the versions differ in it.'),
    before: optional(code(CLASSES_OF_DATA, 'As the first version states it; null for none.')),
    after: optional(code(CLASSES_OF_DATA, 'As the second version states it; null for none.')),
  },
);

const lines = (description: string) => list(object(LINE, 'A line.'), description);
const names = (description: string) => list(text('A name.'), description);

/** What differs between two versions. */
export const PROMPT_DIFF = fieldTable(
  'PromptDiff',
  'What differs between two versions of a prompt package.',
  {
    promptId: uuid('The package of both versions.'),
    from: integer('The version that is compared.'),
    to: integer('The version that it is compared with.'),
    addedLines: lines('Lines of the template that only `to` has.'),
    removedLines: lines('Lines of the template that only `from` has.'),
    addedVariables: names('Variables that only `to` declares.'),
    removedVariables: names('Variables that only `from` declares.'),
    changedVariables: list(
      object(VARIABLE_CHANGE, 'A change.'),
      'Variables that both declare, and not in the same way.',
    ),
    addedModelVariants: names('Model variants that only `to` has, by name.'),
    removedModelVariants: names('Model variants that only `from` has, by name.'),
    changedModelVariants: list(
      object(VARIANT_CHANGE, 'A change.'),
      'Model variants that both have, and not in the same way.',
    ),
    outputSchema: object(
      SCHEMA_DIFF,
      'How the output schema changed, and whether that breaks consumers.',
    ),
    dataClassMin: object(CLASS_DIFF, 'How the least class of data changed.'),
  },
);

/** What differs between two versions of a package. */
export type PromptDifference = ValuesOf<typeof PROMPT_DIFF.fields>;
