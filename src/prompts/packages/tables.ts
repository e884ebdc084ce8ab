import {
  allOptional,
  code,
  fieldTable,
  instant,
  integer,
  json,
  list,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { TEMPLATE_CHARS_MAX } from '../template.js';
import { PROMPT_BOUNDS, PROMPT_STATUSES } from './vocabulary.js';

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

const CONTENT_FIELDS = {
  template: text(
    'The template, in Liquid without file access. Lines `[system]`, `[user]` and `[assistant]` ' +
      'begin messages; without them it is one system message.',
    { min: 0, max: TEMPLATE_CHARS_MAX },
  ),
  variables: optional(
    json(
      'The variables of the template: a list of names, a list of objects, or an object by names. ' +
        'An object has `name`, `type` (default string), `required` (default true), ' +
        '`description`, `default`, and `trusted`: whether values come from a source that the ' +
        'prompt may obey. Default none.',
    ),
  ),
  outputSchema: optional(json('The JSON Schema (2020-12) of answers. Default none.')),
  modelVariants: optional(
    json(
      'The models that may answer: a list of names, or of objects with `model`, `name` (default ' +
        'the model), `temperature`, `max_tokens` and `weight` (default 1). Default none.',
    ),
  ),
  sampleVariables: optional(
    json('Values that the gate renders the template with, by name. Default none.'),
  ),
  sampleOutputs: optional(
    json('Outputs that the gate holds against the output schema. Default none.'),
  ),
  contextPack: optional(
    json('A context pack for the context policy: `items`, and `as_of`. Default none.'),
  ),
} as const;

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
  variables: json('The declared variables: name, type, required, description, default, trusted.'),
  outputSchema: optional(json('The JSON Schema of answers; null where answers have none.')),
  modelVariants: json('The models that may answer: name, model, temperature, max_tokens, weight.'),
  createdBy: uuid('The member or key that wrote the version.'),
  createdAt: instant('When it was written.'),
} as const;

/** What the gate reads beside the content of a version. */
export const SAMPLE_FIELDS = {
  sampleVariables: json('The values that the gate renders the template with, by variable name.'),
  sampleOutputs: list(json('An output.'), 'Outputs that the gate holds against the output schema.'),
  contextPack: optional(
    json('The context pack that the gate evaluates; null where none was given.'),
  ),
} as const;
