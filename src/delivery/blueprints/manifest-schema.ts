import { HYBRID_MODES } from '../../access/policies/vocabulary.js';
import { CAPABILITIES, QUALITY_TIERS } from '../../catalog/providers/vocabulary.js';
import {
  type BuiltInClass,
  FINDING_CLASSES,
  FIREWALL_MODES,
  type FirewallMode,
} from '../../kernel/firewall/vocabulary.js';
import type { JsonObject } from '../../kernel/json.js';
import {
  choice,
  type Having,
  integer,
  list,
  type Members,
  number,
  object,
  type Satisfying,
  type Schema,
  text,
} from './schema-parts.js';
import {
  BLUEPRINT_BOUNDS,
  CATEGORIES,
  OPERATIONS,
  OPERATORS,
  PLATFORMS,
  STEP_TYPES,
  type StepType,
} from './vocabulary.js';

const SLUG = '^[a-z][a-z0-9]*([._-][a-z0-9]+)*$';
const PATH = '^(input|steps)(\\.[a-zA-Z_][a-zA-Z0-9_]*)+$';

function slug(description: string): Schema<string> {
  return { ...text(80, description), pattern: SLUG };
}

const path: Schema<string> = {
  ...text(200, 'A path: input.<name> or steps.<id>.<name>.'),
  pattern: PATH,
};

function mapOf<T>(
  values: Schema<T>,
  maxProperties: number,
  description: string,
): Schema<Readonly<Record<string, T>>> {
  return { type: 'object', additionalProperties: values, maxProperties, description };
}

/** A definition that the schema states once, under `$defs`. */
const ref = <T>(name: string, _stated: Schema<T>): Schema<T> => ({ $ref: `#/$defs/${name}` });

const scalar: JsonObject = { type: ['string', 'number', 'boolean'] };

const OPERAND: Schema<string | number | boolean | readonly (string | number)[]> = {
  description: 'What it is compared with.',
  anyOf: [scalar, { type: 'array', items: { type: ['string', 'number'] }, maxItems: 50 }],
};

const CONDITION = {
  ref: path,
  operator: choice(OPERATORS.codes, 'How the value is compared.'),
  value: OPERAND,
  other: path,
};

const condition = object(CONDITION, ['value', 'other']);
const conditionRef = ref('condition', condition);

const operation = object(
  {
    operation: choice(OPERATIONS.codes, 'What is computed.'),
    of: text(80, 'The bound name that it is computed of.'),
    field: text(80, 'A field of the elements.'),
    by: text(80, 'The second field.'),
  },
  ['field', 'by'],
);

const bindings = mapOf(path, 20, 'Values that the step reads: name to path.');
const anySchema: Schema<JsonObject> = {
  type: 'object',
  description: 'A JSON Schema of draft 2020-12.',
};

const COMMON = {
  id: { ...text(60, 'Unique within the blueprint.'), pattern: '^[a-z][a-z0-9_]*$' },
  type: choice(STEP_TYPES.codes, 'What the step does.'),
  title: text(120, 'For people.'),
  when: conditionRef,
  output_schema: anySchema,
};

type Common = Having<typeof COMMON, 'when' | 'output_schema'>;

/** A step of a type: what every step has, and what the type adds. */
function stepOf<C extends StepType, P extends Members, O extends keyof P & string = never>(
  _type: C,
  members: P,
  optional: readonly O[] = [],
) {
  const names: readonly (O | 'when' | 'output_schema')[] = ['when', 'output_schema', ...optional];
  const all: Schema = object({ ...COMMON, ...members }, names as readonly never[]);
  return all as Schema<Common & { readonly type: C } & Having<P, O>>;
}

const STEPS = {
  llm: stepOf(
    'llm',
    {
      with: bindings,
      template: text(20_000, 'Sections [system] and [user]; values as {{ name }}.'),
      max_output_tokens: integer(1, 16_384, 'The longest answer.'),
      temperature: number(0, 2, 'How varied answers are.'),
    },
    ['max_output_tokens', 'temperature'],
  ),
  retrieve: stepOf('retrieve', {
    with: object({ documents: path, query: path }),
    top: integer(1, 20, 'Most passages.'),
  }),
  transform: stepOf('transform', {
    with: bindings,
    set: mapOf(operation, 20, 'Name to computation.'),
  }),
  validate: stepOf('validate', {
    checks: list(
      object({ code: slug('The check.'), must: conditionRef, message: text(300, 'Why.') }),
      20,
      'What must hold.',
      1,
    ),
    on_failure: choice(['continue', 'stop'], 'Whether a failed check ends the run.'),
  }),
  approval: stepOf('approval', {
    approver: text(120, 'Who agrees.'),
    required_when: list(
      object({ ...CONDITION, reason: text(300, 'Why.') }, ['value', 'other']),
      20,
      'A person must agree where any of these holds.',
      1,
    ),
  }),
  tool: stepOf('tool', { with: bindings, tool_key: slug('The tool.'), verb: slug('The verb.') }),
} as const satisfies Readonly<Record<StepType, Schema>>;

const step: Schema<Satisfying<(typeof STEPS)[StepType]>> = {
  type: 'object',
  required: ['type'],
  properties: { type: COMMON.type },
  allOf: STEP_TYPES.codes.map((type) => ({
    if: { properties: { type: { const: type } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, no promise
    then: STEPS[type],
  })),
};

const modelNeed = object({
  sandbox_model: text(100, 'Who does it in the sandbox.'),
  capabilities: list(
    choice(CAPABILITIES.codes, 'A capability.'),
    10,
    'What the model must be able to do.',
    1,
  ),
  russian_quality_min: choice(QUALITY_TIERS.codes, 'The least declared quality of Russian.'),
});

const classes = FINDING_CLASSES.map(({ code }) => code);
const modes = FIREWALL_MODES.map(({ code }) => code);
const firewall: Schema<Readonly<Partial<Record<BuiltInClass, FirewallMode>>>> = {
  ...object(
    Object.fromEntries(
      FINDING_CLASSES.map(({ code, description }) => [code, choice(modes, description)]),
    ),
    classes,
  ),
  description: 'The mildest mode of each class that the policy of a project may have.',
};

const policies = object({
  firewall,
  hybrid: choice(
    HYBRID_MODES.map(({ code }) => code),
    'The widest data routes that the policy may open.',
  ),
  budget: object({
    run_rub_max: number(0.01, 10_000, 'The run ends when its steps have cost this much.'),
    monthly_rub: number(1, 100_000_000, 'A budget to begin with.'),
  }),
});

const businessResult = object(
  {
    event: slug('The type of the value event.'),
    unit: text(60, 'What is counted.'),
    achieved_when: list(conditionRef, 10, 'All must hold.', 1),
    quantity: path,
    minutes_saved_per_unit: number(0, 10_000, 'Declared by the author, not measured.'),
    facts: mapOf(path, 20, 'Facts from the outputs: name to path.'),
  },
  ['quantity'],
);

const needRef = ref('model_need', modelNeed);
const example: Schema<JsonObject> = {
  type: 'object',
  description: 'An input that satisfies the schema.',
};

const manifest = object({
  id: slug('The slug in the path.'),
  version: { ...text(20, 'Semantic version.'), pattern: '^\\d+\\.\\d+\\.\\d+$' },
  name: text(120, 'For people.'),
  description: text(600, 'What it does.'),
  category: choice(CATEGORIES.codes, 'What it is for.'),
  vertical: slug('The line of business.'),
  platforms: list(choice(PLATFORMS.codes, 'A platform.'), 10, 'Where it can be called from.', 1),
  feature: slug('metadata.feature of every request; costs are reported by it.'),
  input_schema: anySchema,
  example_input: example,
  personal_data: list(
    choice(classes, 'A class of finding.'),
    FINDING_CLASSES.length,
    'Classes that real inputs hold; the example holds each of them.',
  ),
  steps: list(ref('step', step), BLUEPRINT_BOUNDS.stepsMax, 'The steps, in order.', 1),
  models: object({ primary: needRef, fallback: needRef }, ['fallback']),
  policies,
  tools: list(
    object({ tool_key: slug('The tool.'), verbs: list(slug('A verb.'), 20, 'Its verbs.', 1) }),
    10,
    'Tools that must be registered.',
  ),
  business_result: businessResult,
});

/**
 * The JSON Schema of manifests, draft 2020-12. What it leaves optional though a good blueprint has
 * it, such as output schemas and a fallback, is for the lint to miss.
 */
export const MANIFEST_SCHEMA: Schema<Satisfying<typeof manifest>> = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Blueprint manifest',
  description: 'An AI workflow with its steps, models, policies, tools and business result.',
  $defs: { condition, step, model_need: modelNeed },
  ...manifest,
};
