import { HYBRID_MODES } from '../../access/policies/vocabulary.js';
import { CAPABILITIES, QUALITY_TIERS } from '../../catalog/providers/vocabulary.js';
import { FINDING_CLASSES, FIREWALL_MODES } from '../../kernel/firewall/vocabulary.js';
import type { JsonObject } from '../../kernel/json.js';
import { choice, integer, list, number, object, text } from './schema-parts.js';
import {
  BLUEPRINT_BOUNDS,
  CATEGORIES,
  OPERATIONS,
  OPERATORS,
  PLATFORMS,
  STEP_TYPES,
} from './vocabulary.js';

const codes = (rows: readonly { readonly code: string }[]) => rows.map(({ code }) => code);

const SLUG = '^[a-z][a-z0-9]*([._-][a-z0-9]+)*$';
const PATH = '^(input|steps)(\\.[a-zA-Z_][a-zA-Z0-9_]*)+$';

function slug(description: string): JsonObject {
  return { ...text(80, description), pattern: SLUG };
}

const path: JsonObject = {
  ...text(200, 'A path: input.<name> or steps.<id>.<name>.'),
  pattern: PATH,
};

function mapOf(values: JsonObject, maxProperties: number, description: string): JsonObject {
  return { type: 'object', additionalProperties: values, maxProperties, description };
}

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });

const scalar: JsonObject = { type: ['string', 'number', 'boolean'] };

const CONDITION = {
  ref: path,
  operator: choice(codes(OPERATORS), 'How the value is compared.'),
  value: {
    description: 'What it is compared with.',
    anyOf: [scalar, { type: 'array', items: { type: ['string', 'number'] }, maxItems: 50 }],
  },
  other: path,
};

const operation = object(
  {
    operation: choice(codes(OPERATIONS), 'What is computed.'),
    of: text(80, 'The bound name that it is computed of.'),
    field: text(80, 'A field of the elements.'),
    by: text(80, 'The second field.'),
  },
  ['field', 'by'],
);

const bindings = mapOf(path, 20, 'Values that the step reads: name to path.');
const anySchema: JsonObject = { type: 'object', description: 'A JSON Schema of draft 2020-12.' };

const STEP = {
  id: { ...text(60, 'Unique within the blueprint.'), pattern: '^[a-z][a-z0-9_]*$' },
  type: choice(codes(STEP_TYPES), 'What the step does.'),
  title: text(120, 'For people.'),
  when: ref('condition'),
  output_schema: anySchema,
};

/** The members of each type of step beside the common ones. */
const STEP_MEMBERS: Readonly<
  Record<string, readonly [Readonly<Record<string, JsonObject>>, readonly string[]]>
> = {
  llm: [
    {
      with: bindings,
      template: text(20_000, 'Sections [system] and [user]; values as {{ name }}.'),
      max_output_tokens: integer(1, 16_384, 'The longest answer.'),
      temperature: number(0, 2, 'How varied answers are.'),
    },
    ['max_output_tokens', 'temperature'],
  ],
  retrieve: [
    {
      with: object({ documents: path, query: path }),
      top: integer(1, 20, 'Most passages.'),
    },
    [],
  ],
  transform: [{ with: bindings, set: mapOf(operation, 20, 'Name to computation.') }, []],
  validate: [
    {
      checks: list(
        object({ code: slug('The check.'), must: ref('condition'), message: text(300, 'Why.') }),
        20,
        'What must hold.',
        1,
      ),
      on_failure: choice(['continue', 'stop'], 'Whether a failed check ends the run.'),
    },
    [],
  ],
  approval: [
    {
      approver: text(120, 'Who agrees.'),
      required_when: list(
        object({ ...CONDITION, reason: text(300, 'Why.') }, ['value', 'other']),
        20,
        'A person must agree where any of these holds.',
        1,
      ),
    },
    [],
  ],
  tool: [{ with: bindings, tool_key: slug('The tool.'), verb: slug('The verb.') }, []],
};

function stepOf(type: string): JsonObject {
  const [members, optional] = STEP_MEMBERS[type] ?? [{}, []];
  return object({ ...STEP, ...members }, ['when', 'output_schema', ...optional]);
}

const modelNeed = object({
  sandbox_model: text(100, 'Who does it in the sandbox.'),
  capabilities: list(
    choice(CAPABILITIES, 'A capability.'),
    10,
    'What the model must be able to do.',
    1,
  ),
  russian_quality_min: choice(QUALITY_TIERS, 'The least declared quality of Russian.'),
});

const policies = object({
  firewall: {
    ...object(
      Object.fromEntries(
        FINDING_CLASSES.map(({ code, description }) => [
          code,
          choice(codes(FIREWALL_MODES), description),
        ]),
      ),
      FINDING_CLASSES.map(({ code }) => code),
    ),
    description: 'The mildest mode of each class that the policy of a project may have.',
  },
  hybrid: choice(codes(HYBRID_MODES), 'The widest data routes that the policy may open.'),
  budget: object({
    run_rub_max: number(0.01, 10_000, 'The run ends when its steps have cost this much.'),
    monthly_rub: number(1, 100_000_000, 'A budget to begin with.'),
  }),
});

const businessResult = object(
  {
    event: slug('The type of the value event.'),
    unit: text(60, 'What is counted.'),
    achieved_when: list(ref('condition'), 10, 'All must hold.', 1),
    quantity: path,
    minutes_saved_per_unit: number(0, 10_000, 'Declared by the author, not measured.'),
    facts: mapOf(path, 20, 'Facts from the outputs: name to path.'),
  },
  ['quantity'],
);

/**
 * The JSON Schema of manifests, draft 2020-12. What it leaves optional though a good blueprint has
 * it, such as output schemas and a fallback, is for the lint to miss.
 */
export const MANIFEST_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Blueprint manifest',
  description: 'An AI workflow with its steps, models, policies, tools and business result.',
  $defs: {
    condition: object(CONDITION, ['value', 'other']),
    step: {
      type: 'object',
      required: ['type'],
      properties: { type: STEP.type },
      allOf: codes(STEP_TYPES).map((type) => ({
        if: { properties: { type: { const: type } }, required: ['type'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, no promise
        then: stepOf(type),
      })),
    },
    model_need: modelNeed,
  },
  ...object({
    id: slug('The slug in the path.'),
    version: { ...text(20, 'Semantic version.'), pattern: '^\\d+\\.\\d+\\.\\d+$' },
    name: text(120, 'For people.'),
    description: text(600, 'What it does.'),
    category: choice(codes(CATEGORIES), 'What it is for.'),
    vertical: slug('The line of business.'),
    platforms: list(choice(codes(PLATFORMS), 'A platform.'), 10, 'Where it can be called from.', 1),
    feature: slug('metadata.feature of every request; costs are reported by it.'),
    input_schema: anySchema,
    example_input: { type: 'object', description: 'An input that satisfies the schema.' },
    personal_data: list(
      choice(codes(FINDING_CLASSES), 'A class of finding.'),
      FINDING_CLASSES.length,
      'Classes that real inputs hold; the example holds each of them.',
    ),
    steps: list(ref('step'), BLUEPRINT_BOUNDS.stepsMax, 'The steps, in order.', 1),
    models: object({ primary: ref('model_need'), fallback: ref('model_need') }, ['fallback']),
    policies,
    tools: list(
      object({ tool_key: slug('The tool.'), verbs: list(slug('A verb.'), 20, 'Its verbs.', 1) }),
      10,
      'Tools that must be registered.',
    ),
    business_result: businessResult,
  }),
};
