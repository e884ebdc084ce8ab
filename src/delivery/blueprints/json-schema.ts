import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { nearestNames } from '../../catalog/providers/near-names.js';
import type { Fault } from '../../kernel/errors/fail.js';
import type { JsonObject } from '../../kernel/json.js';

const FAULTS_MAX = 50;

/**
 * Patterns run in linear time (RE2), whoever wrote them; one that such an engine cannot run makes
 * the schema not compile.
 */
const LINEAR_TIME = Object.assign(
  (pattern: string) => {
    const expression = RE2JS.compile(pattern);
    return { test: (text: string) => expression.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linearTime' },
);

const KEPT_MAX = 300;
/** By the object for schemas of the server, by their text for those that were read from a row. */
const ofObjects = new WeakMap<JsonObject, ValidateFunction>();
const ofTexts = new LRUCache<string, ValidateFunction>({ max: KEPT_MAX });

/** A compiler keeps every schema that it has seen, so each schema gets one of its own. */
function compile(schema: JsonObject): ValidateFunction {
  const known = ofObjects.get(schema);
  if (known) return known;
  const text = JSON.stringify(schema);
  const validate = ofTexts.get(text) ?? newCompiler().compile(schema);
  ofTexts.set(text, validate);
  ofObjects.set(schema, validate);
  return validate;
}

function newCompiler(): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    logger: false,
    code: { regExp: LINEAR_TIME },
  });
  formats.default(ajv);
  return ajv;
}

/** Why a schema does not compile; undefined where it does. */
export function compileFault(schema: JsonObject): string | undefined {
  try {
    compile(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message.slice(0, MESSAGE_LENGTH_MAX);
  }
}

const MESSAGE_LENGTH_MAX = 300;

/**
 * What is wrong with a value by a JSON Schema of draft 2020-12, each fault under its dotted path
 * below `root`; at most 50. Compiled schemas are kept as long as the schema object lives.
 * @throws Error for a schema that does not compile
 */
export function schemaFaults(schema: JsonObject, value: unknown, root: string): Fault[] {
  const validate = compile(schema);
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .slice(0, FAULTS_MAX)
    .map((error) => faultOf(error, root, schema));
}

const CODES: Readonly<Record<string, Fault['code']>> = {
  required: 'missing',
  type: 'wrong_type',
  additionalProperties: 'unknown_value',
  enum: 'unknown_value',
  const: 'unknown_value',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  minLength: 'out_of_range',
  maxLength: 'out_of_range',
  minItems: 'out_of_range',
  maxItems: 'out_of_range',
};

function faultOf(error: ErrorObject, root: string, schema: JsonObject): Fault {
  const { keyword, instancePath, params } = error;
  const named = params.missingProperty ?? params.additionalProperty;
  const steps = instancePath.split('/').slice(1).map(unescaped);
  const path = [root, ...steps, ...(named === undefined ? [] : [String(named)])]
    .filter((step) => step !== '')
    .join('.');
  return { path, code: CODES[keyword] ?? 'invalid', message: messageOf(error, path, schema) };
}

function messageOf(
  { keyword, message, params, instancePath }: ErrorObject,
  path: string,
  schema: JsonObject,
) {
  if (keyword === 'required') return `${path} is missing.`;
  if (keyword === 'enum') return `${path} must be one of ${params.allowedValues.join(', ')}.`;
  if (keyword === 'const') return `${path} must be ${JSON.stringify(params.allowedValue)}.`;
  if (keyword !== 'additionalProperties') return `${path} ${message}.`;
  const known = instancePath === '' ? Object.keys((schema.properties ?? {}) as JsonObject) : [];
  const near = nearestNames(String(params.additionalProperty), known);
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  return `${path} is not a field of the schema.${hint}`;
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/**
 * The most bytes that a value of a schema can take as UTF-8, two for each character as Russian
 * text has, with the JSON around it; undefined where the schema does not bound it.
 */
export function bytesMax(schema: JsonObject): number | undefined {
  if (Array.isArray(schema.enum)) {
    return Math.max(...schema.enum.map((value) => JSON.stringify(value).length * 2));
  }
  switch (schema.type) {
    case 'string':
      return typeof schema.maxLength === 'number' ? schema.maxLength * 2 + 2 : undefined;
    case 'number':
    case 'integer':
    case 'boolean':
      return 24;
    case 'array':
      return product(schema.maxItems, bytesMax((schema.items ?? {}) as JsonObject));
    case 'object':
      return sumOf((schema.properties ?? {}) as Readonly<Record<string, JsonObject>>);
    default:
      return undefined;
  }
}

function product(count: unknown, each: number | undefined): number | undefined {
  return typeof count === 'number' && each !== undefined ? count * (each + 1) + 2 : undefined;
}

function sumOf(properties: Readonly<Record<string, JsonObject>>): number | undefined {
  let sum = 2;
  for (const [name, part] of Object.entries(properties)) {
    const each = bytesMax(part);
    if (each === undefined) return undefined;
    sum += name.length + 4 + each;
  }
  return sum;
}
