import { z } from 'zod';
import { HYBRID_MODES } from '../../access/policies/vocabulary.js';
import { CAPABILITIES, QUALITY_TIERS } from '../../catalog/providers/vocabulary.js';
import {
  type BuiltInClass,
  FINDING_CLASSES,
  FIREWALL_MODES,
  type FirewallMode,
} from '../../kernel/firewall/vocabulary.js';
import type { JsonObject } from '../../kernel/json.js';
import { EXACT_FORMATS } from '../../kernel/json-schema/formats.js';
import { PLAIN_KEYWORDS } from '../../kernel/json-schema/keywords.js';
import { JsonSchemas } from '../../kernel/json-schema/schemas.js';
import { OPERATIONS, OPERATORS } from './operators.js';
import { GOLDEN_KINDS } from './proof-vocabulary.js';
import {
  BLUEPRINT_BOUNDS,
  CATEGORIES,
  PLATFORMS,
  STEP_TYPES,
  type StepType,
} from './vocabulary.js';

const text = (max: number, description: string) => z.string().min(1).max(max).meta({ description });
const matching = (max: number, pattern: string, description: string) =>
  text(max, description).meta({ description, pattern });
const slug = (description: string) =>
  matching(80, '^[a-z][a-z0-9]*([._-][a-z0-9]+)*$', description);
const number = (min: number, max: number, description: string) =>
  z.number().min(min).max(max).meta({ description });
const integer = (min: number, max: number, description: string) =>
  z.int().min(min).max(max).meta({ description });
const choice = <const C extends readonly string[]>(codes: C, description: string) =>
  z.enum(codes).meta({ description });
const list = <T extends z.ZodType>(item: T, max: number, description: string, min = 0) =>
  z.array(item).min(min).max(max).meta({ description });
const mapOf = <T extends z.ZodType>(values: T, maxProperties: number, description: string) =>
  z.record(z.string(), values).meta({ maxProperties, description });
/** An object whose members are the author's own. */
const anyObject = (description: string) =>
  z.custom<JsonObject>().meta({ type: 'object', description });

const path = matching(
  200,
  '^(input|(input|steps)(\\.[a-zA-Z_][a-zA-Z0-9_]*)+)$',
  'A path: input, input.<name> or steps.<id>.<name>; a name behind a list is of each element.',
);

const OPERAND = z.custom<string | number | boolean | readonly (string | number)[]>().meta({
  description: 'What it is compared with.',
  anyOf: [
    { type: ['string', 'number', 'boolean'] },
    { type: 'array', items: { type: ['string', 'number'] }, maxItems: 50 },
  ],
});

const CONDITION = {
  ref: path,
  operator: choice(OPERATORS.codes, 'How the value is compared.'),
  value: OPERAND.optional(),
  other: path.optional(),
};

const condition = z.strictObject(CONDITION).meta({ id: 'condition' });

const check = z
  .strictObject({
    code: slug('The check.'),
    when: condition.meta({ description: 'The check applies only where this holds.' }).optional(),
    must: condition,
    message: text(300, 'Why.'),
  })
  .meta({ id: 'check' });

const operation = z.strictObject({
  operation: choice(OPERATIONS.codes, 'What is computed.'),
  of: text(80, 'The bound name that it is computed of.'),
  field: text(80, 'A field of the elements.').optional(),
  by: text(80, 'The second field, or the bound name of the whole.').optional(),
});

const bindings = mapOf(path, 20, 'Values that the step reads: name to path.');
const schema = anyObject('A JSON Schema of draft 2020-12.');

/** What every step has. */
const common = <C extends StepType>(type: C) => ({
  id: matching(60, '^[a-z][a-z0-9_]*$', 'Unique within the blueprint.'),
  type: z.literal(type),
  title: text(120, 'For people.'),
  when: condition.optional(),
  output_schema: schema.optional(),
});

const step = z
  .discriminatedUnion('type', [
    z.strictObject({
      ...common('llm'),
      with: bindings,
      template: text(20_000, 'Sections [system] and [user]; values as {{ name }}.'),
      max_output_tokens: integer(1, 16_384, 'The longest answer.').optional(),
      temperature: number(0, 2, 'How varied answers are.').optional(),
    }),
    z.strictObject({
      ...common('retrieve'),
      with: z.strictObject({ documents: path, query: path }),
      top: integer(1, 20, 'Most passages.'),
    }),
    z.strictObject({
      ...common('transform'),
      with: bindings,
      set: mapOf(operation, 20, 'Name to computation.'),
    }),
    z.strictObject({
      ...common('validate'),
      checks: list(check, 20, 'What must hold.', 1),
      on_failure: choice(['continue', 'stop'], 'Whether a failed check ends the run.'),
    }),
    z.strictObject({
      ...common('approval'),
      approver: text(120, 'Who agrees.'),
      required_when: list(
        z.strictObject({ ...CONDITION, reason: text(300, 'Why.') }),
        20,
        'A person must agree where any of these holds.',
        1,
      ),
    }),
    z.strictObject({
      ...common('tool'),
      with: bindings,
      tool_key: slug('The tool.'),
      verb: slug('The verb.'),
    }),
  ])
  .meta({ id: 'step' });

const modelNeed = z
  .strictObject({
    sandbox_model: text(100, 'Who does it in the sandbox.'),
    capabilities: list(
      choice(CAPABILITIES.codes, 'A capability.'),
      10,
      'What the model must be able to do.',
      1,
    ),
    russian_quality_min: choice(QUALITY_TIERS.codes, 'The least declared quality of Russian.'),
  })
  .meta({ id: 'model_need' });

const codesOf = <C extends string>(rows: readonly { readonly code: C }[]) =>
  rows.map(({ code }) => code);
const modes = FINDING_CLASSES.map(({ code, description }) => [
  code,
  choice(codesOf(FIREWALL_MODES), description).optional(),
]);

const policies = z.strictObject({
  firewall: z
    .strictObject(
      Object.fromEntries(modes) as Record<BuiltInClass, z.ZodOptional<z.ZodType<FirewallMode>>>,
    )
    .meta({ description: 'The mildest mode of each class that the policy of a project may have.' }),
  hybrid: choice(codesOf(HYBRID_MODES), 'The widest data routes that the policy may open.'),
  budget: z.strictObject({
    run_rub_max: number(0.01, 10_000, 'The run ends when its steps have cost this much.'),
    monthly_rub: number(1, 100_000_000, 'A budget to begin with.'),
  }),
});

const businessResult = z.strictObject({
  event: slug('The type of the value event.'),
  unit: text(60, 'What is counted.'),
  achieved_when: list(condition, 10, 'All must hold.', 1),
  proof: list(
    check,
    BLUEPRINT_BOUNDS.proofChecksMax,
    'Checks of the content: a result is claimed where one that proves held, and none failed.',
  ).optional(),
  quantity: path.optional(),
  minutes_saved_per_unit: number(0, 10_000, 'Declared by the author, not measured.'),
  facts: mapOf(path, 20, 'Facts from the outputs: name to path.'),
});

const answers = anyObject('What models answer: the output of each step that asks one, by its id.');

const goldenCase = z
  .strictObject({
    id: slug('Unique within the blueprint.'),
    kind: choice(GOLDEN_KINDS.codes, 'What it tries.'),
    title: text(200, 'For people.'),
    input: anyObject('What differs from the example input; null takes a member away.'),
    answers,
    expected: choice(['proved', 'failed', 'not_proved'], 'What the checks make of the answers.'),
    lies: list(
      answers,
      BLUEPRINT_BOUNDS.liesMax,
      'Answers of a model that lies, each of which a check must catch.',
    ).optional(),
  })
  .meta({ id: 'golden_case' });

/**
 * What a manifest must satisfy. What is optional though a good blueprint has
 * it, such as output schemas and a fallback, is for the lint to miss.
 */
export const MANIFEST = z.strictObject({
  id: slug('The slug in the path.'),
  version: matching(20, '^\\d+\\.\\d+\\.\\d+$', 'Semantic version.'),
  name: text(120, 'For people.'),
  description: text(600, 'What it does.'),
  category: choice(CATEGORIES.codes, 'What it is for.'),
  vertical: slug('The line of business.'),
  platforms: list(choice(PLATFORMS.codes, 'A platform.'), 10, 'Where it can be called from.', 1),
  feature: slug('metadata.feature of every request; costs are reported by it.'),
  input_schema: schema,
  example_input: anyObject('An input that satisfies the schema.'),
  personal_data: list(
    choice(codesOf(FINDING_CLASSES), 'A class of finding.'),
    FINDING_CLASSES.length,
    'Classes that real inputs hold; the example holds each of them.',
  ),
  steps: list(step, BLUEPRINT_BOUNDS.stepsMax, 'The steps, in order.', 1),
  models: z.strictObject({ primary: modelNeed, fallback: modelNeed.optional() }),
  policies,
  tools: list(
    z.strictObject({
      tool_key: slug('The tool.'),
      verbs: list(slug('A verb.'), 20, 'Its verbs.', 1),
    }),
    10,
    'Tools that must be registered.',
  ),
  business_result: businessResult,
  golden_cases: list(
    goldenCase,
    BLUEPRINT_BOUNDS.goldenCasesMax,
    'Inputs with answers, good and bad ones, that show what the checks prove.',
  ).optional(),
});

/** A manifest is judged by its JSON Schema; zod only states it, and knows what satisfies it. */
const { $defs: definitions, ...stated } = z.toJSONSchema(MANIFEST, {
  unrepresentable: 'any',
  // That names are texts is no news to a JSON Schema.
  override: ({ jsonSchema }) => delete jsonSchema.propertyNames,
});

const TYPE = { type: 'string', enum: STEP_TYPES.codes, description: 'What the step does.' };

/** A step is judged by the schema of its type alone, so that the faults of no other are named. */
const STEP = {
  type: 'object',
  required: ['type'],
  properties: { type: TYPE },
  allOf: definitions?.step?.oneOf?.map((each, index) => ({
    if: { properties: { type: { const: STEP_TYPES.codes[index] } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, no promise
    then: { ...each, properties: { ...each.properties, type: TYPE } },
  })),
};

/** The JSON Schema of manifests, draft 2020-12. */
export const MANIFEST_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Blueprint manifest',
  description: 'An AI workflow with its steps, models, policies, tools and business result.',
  ...stated,
  $defs: { ...definitions, step: STEP },
};

/**
 * The schemas of manifests, that of manifests itself among them. What is stored can run, so their
 * checks take a time that grows with the schema times the value.
 */
export const MANIFEST_SCHEMAS = new JsonSchemas({
  users: 'manifests',
  keywords: [...PLAIN_KEYWORDS, 'pattern'],
  formats: EXACT_FORMATS,
  patternCharsMax: BLUEPRINT_BOUNDS.patternCharactersMax,
  references: false,
  nodesMax: BLUEPRINT_BOUNDS.schemaNodesMax,
  charsMax: BLUEPRINT_BOUNDS.manifestBytesMax,
  workMsMax: 2_000,
  stopped: 'fault',
});
