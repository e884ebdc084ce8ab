import {
  allOptional,
  fieldTable,
  json,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { TEMPLATE_CHARS_MAX } from '../template.js';
import { PROMPT_BOUNDS } from './vocabulary.js';

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
