import { CLASSES_OF_DATA } from '../../access/policies/tables.js';
import { ERASED_FIELD } from '../../kernel/fields/erased.js';
import {
  allOptional,
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  list,
  number,
  object,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { TEMPLATE_CHARS_MAX } from '../template.js';
import { PROMPT_BOUNDS, PROMPT_STATUSES, VARIABLE_TYPES } from './vocabulary.js';

const NAME = { max: PROMPT_BOUNDS.nameChars };

/** What a new package says of itself. */
export const PACKAGE_FIELDS = {
  promptKey: text(
    'The key that requests name, such as `support.reply`; unique in the organization. ' +
      'Letters, digits and `. _ / -`, at most 120.',
    { max: PROMPT_BOUNDS.keyChars },
  ),
  ownerTeam: optional(text('The team that owns it.', NAME)),
  useCase: optional(text('What it is for.', NAME)),
  contextPolicy: optional(
    text(
      'The context policy of its context packs, by id, or by name: then the latest of that ' +
        'name. A name that no policy has yet is kept; the gate fails until one has it.',
      NAME,
    ),
  ),
} as const;

/** What a new package says of itself. */
export type NewPackage = ValuesOf<typeof PACKAGE_FIELDS>;

/** What the declaration of a variable says. */
export const VARIABLE = fieldTable('PromptVariable', 'A variable of a template, as declared.', {
  name: text('Letters, digits and `_`, not beginning with a digit; once in a version.', {
    max: PROMPT_BOUNDS.variableNameChars,
  }),
  type: defaulting(code(VARIABLE_TYPES, 'The type that its values have.'), 'string'),
  required: defaulting(flag('Whether a request must give a value where none is declared.'), true),
  description: optional(
    text('What it is for; null where the author did not say.', {
      min: 0,
      max: PROMPT_BOUNDS.descriptionChars,
    }),
  ),
  default: optional(
    json('The value where a request gives none, any JSON of its type; null where there is none.'),
  ),
  trusted: optional(
    flag(
      'Whether values come from a source that the prompt may obey; null where the author did not ' +
        'say.',
    ),
  ),
});

/** A variable as it is declared. */
export type StatedVariable = ValuesOf<typeof VARIABLE.fields>;

const VARIANT_FIELDS = {
  name: text('What answers and usage call it; once in a version.', {
    max: PROMPT_BOUNDS.modelChars,
  }),
  model: text('A model, an alias of one, or `gw:auto`.', { max: PROMPT_BOUNDS.modelChars }),
  temperature: optional(
    number('From 0 to 2; null leaves it to the request.', {
      min: 0,
      max: PROMPT_BOUNDS.temperature,
    }),
  ),
  maxTokens: optional(
    integer('The most tokens of an answer; null leaves it to the request.', {
      min: 1,
      max: PROMPT_BOUNDS.maxTokens,
    }),
  ),
  weight: defaulting(
    integer('Its share of requests among the variants of the version.', {
      min: 1,
      max: PROMPT_BOUNDS.weight,
    }),
    1,
  ),
} as const;

/** A model that may answer a prompt. */
export const MODEL_VARIANT = fieldTable(
  'PromptModelVariant',
  'A model that may answer a prompt.',
  VARIANT_FIELDS,
);

const VARIANT_INPUT = fieldTable(
  'PromptModelVariantInput',
  'A model that may answer a prompt, as it is stated.',
  {
    ...VARIANT_FIELDS,
    name: optional(
      text('What answers and usage call it; once in a version. Default the model.', {
        max: PROMPT_BOUNDS.modelChars,
      }),
    ),
  },
);

/** A model that may answer a prompt, as it is stated. */
export type StatedVariant = ValuesOf<typeof VARIANT_INPUT.fields>;

const CONTENT_FIELDS = {
  template: text(
    'The template, in Liquid without file access. Lines `[system]`, `[user]` and `[assistant]` ' +
      'begin messages; without them it is one system message.',
    { min: 0, max: TEMPLATE_CHARS_MAX },
  ),
  variables: optional(
    list(object(VARIABLE, 'A variable.'), 'The variables of the template. Default none.', {
      max: PROMPT_BOUNDS.variables,
    }),
  ),
  outputSchema: optional(json('The JSON Schema (2020-12) of answers. Default none.')),
  modelVariants: optional(
    list(object(VARIANT_INPUT, 'A variant.'), 'The models that may answer. Default none.', {
      max: PROMPT_BOUNDS.modelVariants,
    }),
  ),
  dataClassMin: optional(
    code(
      CLASSES_OF_DATA,
      'The least class that the data of requests has which the version fills. Default none.',
    ),
  ),
  sampleVariables: optional(
    json('Values that the gate renders the template with, by name. Default none.'),
  ),
  sampleOutputs: optional(
    json('Outputs that the gate holds against the output schema. Default none.'),
  ),
  contextPack: optional(
    json(
      'A context pack for the context policy: `items`, and `as_of`. It is kept and hashed as it ' +
        'is written. Default none.',
    ),
  ),
} as const;

/** Samples as a caller states them: JSON parts are unchecked. */
export type StatedSamples = Partial<
  Pick<ValuesOf<typeof CONTENT_FIELDS>, 'sampleVariables' | 'sampleOutputs' | 'contextPack'>
>;

/** A version as a caller states it: JSON parts are unchecked. */
export type StatedContent = Pick<ValuesOf<typeof CONTENT_FIELDS>, 'template'> &
  Partial<ValuesOf<typeof CONTENT_FIELDS>>;

/** A new version, as it is stated. */
export const VERSION_INPUT = fieldTable(
  'PromptVersionCreateInput',
  'A new version, as it is stated.',
  CONTENT_FIELDS,
);

/** A new package, as it is stated. */
export const PACKAGE_INPUT = fieldTable(
  'PromptCreateInput',
  'A new prompt package; with a part of a version, its first version is written at once.',
  { ...PACKAGE_FIELDS, ...allOptional(CONTENT_FIELDS) },
);

/** What a package says of itself, as its row has it. */
export const STORED_PACKAGE_FIELDS = {
  promptKey: text('The key that requests name.'),
  ownerTeam: optional(text('The team that owns it; null where none is named.')),
  useCase: optional(text('What it is for; null where nothing is named.')),
  contextPolicyId: optional(
    uuid('The context policy of its context packs; null where it has none.'),
  ),
  status: code(
    PROMPT_STATUSES,
    'Where the current version stands; `draft` before the first version.',
  ),
  currentVersion: optional(integer('The current version; null before the first one.')),
  createdBy: uuid('Who created it.'),
  createdAt: instant('When it was created.'),
} as const;

/** What a version says of itself, as its row has it. */
export const STORED_VERSION_FIELDS = {
  promptId: uuid('The prompt package, by its id.'),
  version: integer('Its number: 1, 2, 3 without a gap.'),
  template: text('The template, in Liquid.'),
  outputSchema: optional(json('The JSON Schema of answers; null where answers have none.')),
  createdBy: uuid('The member or key that wrote the version.'),
  createdAt: instant('When it was written.'),
} as const;

/** What a version declares. */
export const DECLARED_FIELDS = {
  variables: list(object(VARIABLE, 'A variable.'), 'The variables of the template.'),
  modelVariants: list(object(MODEL_VARIANT, 'A variant.'), 'The models that may answer.'),
} as const;

/** What a version says of the data of its requests. */
export const LEAST_CLASS_FIELD = {
  dataClassMin: optional(
    code(
      CLASSES_OF_DATA,
      'The least class that the data of requests has which the version fills; null states none.',
    ),
  ),
} as const;

/** What the gate reads beside the content of a version. */
export const SAMPLE_FIELDS = {
  sampleVariables: optional(
    json(
      'The values that the gate renders the template with, by variable name; null where they ' +
        'were erased.',
    ),
  ),
  sampleOutputs: optional(
    list(
      json('An output.'),
      'Outputs that the gate holds against the output schema; null where they were erased.',
    ),
  ),
  ...ERASED_FIELD,
  contextPack: optional(
    json('The context pack that the gate evaluates, as it was written; null where none was given.'),
  ),
} as const;
