import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { nearestNames } from '../../catalog/providers/near-names.js';
import type { Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { isUuid } from '../../kernel/ids.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { BOUNDS } from './vocabulary.js';

/** Where the value of a keyword holds further schemas. */
type Holds = 'nothing' | 'schema' | 'list' | 'map';

/**
 * The keywords of JSON Schema (2020-12) that a contract may use. References and regular
 * expressions are not among them: with them a short schema can take hours to check.
 */
const KEYWORDS: Readonly<Record<string, Holds>> = {
  title: 'nothing',
  description: 'nothing',
  default: 'nothing',
  examples: 'nothing',
  type: 'nothing',
  enum: 'nothing',
  const: 'nothing',
  format: 'nothing',
  minLength: 'nothing',
  maxLength: 'nothing',
  minimum: 'nothing',
  maximum: 'nothing',
  exclusiveMinimum: 'nothing',
  exclusiveMaximum: 'nothing',
  multipleOf: 'nothing',
  required: 'nothing',
  minProperties: 'nothing',
  maxProperties: 'nothing',
  minItems: 'nothing',
  maxItems: 'nothing',
  uniqueItems: 'nothing',
  properties: 'map',
  additionalProperties: 'schema',
  items: 'schema',
  prefixItems: 'list',
  contains: 'schema',
  allOf: 'list',
  anyOf: 'list',
  oneOf: 'list',
  not: 'schema',
};

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: isUuid,
  date: (text) => DAY.test(text) && isDay(text),
  'date-time': (text) => INSTANT.test(text) && isDay(text.slice(0, 10)),
};

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

/** Every fault of a schema for the arguments of a verb. */
export function argumentSchemaFaults(path: string, schema: JsonObject): Fault[] {
  const { faults, nodes } = walk(path, schema);
  if (faults.length > 0) return faults;
  const { schemaNodesMax } = BOUNDS;
  if (nodes > schemaNodesMax) {
    const message = `${path} must hold at most ${schemaNodesMax} schemas; it holds ${nodes}.`;
    return [{ path, code: 'out_of_range', message }];
  }
  return metaFaults(path, schema);
}

interface Walked {
  readonly faults: Fault[];
  readonly nodes: number;
}

function walk(path: string, schema: unknown): Walked {
  if (typeof schema === 'boolean') return { faults: [], nodes: 1 };
  const object = asObject(schema);
  if (!object) {
    const message = `${path} must be a schema: an object, true or false.`;
    return { faults: [{ path, code: 'wrong_type', message }], nodes: 1 };
  }
  const walked = Object.entries(object).map(([name, value]) => walkKeyword(path, name, value));
  return {
    faults: walked.flatMap(({ faults }) => faults),
    nodes: walked.reduce((sum, { nodes }) => sum + nodes, 1),
  };
}

function walkKeyword(path: string, name: string, value: unknown): Walked {
  const at = `${path}.${name}`;
  const holds = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
  if (holds === undefined) return { faults: [keywordFault(at, name)], nodes: 0 };
  if (name === 'format' && !Object.hasOwn(FORMATS, String(value))) {
    const message = `${at} must be one of ${Object.keys(FORMATS).join(', ')}.`;
    return { faults: [{ path: at, code: 'unknown_value', message }], nodes: 0 };
  }
  if (holds === 'nothing') return { faults: [], nodes: 0 };
  const parts: [string, unknown][] =
    holds === 'schema'
      ? [[at, value]]
      : Object.entries(value ?? {}).map(([key, inner]) => [`${at}.${key}`, inner]);
  const walked = parts.map(([inner, schema]) => walk(inner, schema));
  return {
    faults: walked.flatMap(({ faults }) => faults),
    nodes: walked.reduce((sum, { nodes }) => sum + nodes, 0),
  };
}

function keywordFault(path: string, name: string): Fault {
  const [near] = nearestNames(name, Object.keys(KEYWORDS));
  const cure = near ? `did you mean ${near}?` : `they are ${Object.keys(KEYWORDS).join(', ')}.`;
  const message = `${path} is not a keyword that contracts may use; ${cure}`;
  return { path, code: 'unknown_value', message };
}

const SCHEMA_KEPT_MAX = 500;
const FAULTS_MAX = 100;
const compiled = new LRUCache<string, ValidateFunction>({ max: SCHEMA_KEPT_MAX });

function newAjv(): Ajv2020 {
  return new Ajv2020({ strict: false, allErrors: true, formats: { ...FORMATS }, logger: false });
}

function metaFaults(path: string, schema: JsonObject): Fault[] {
  const ajv = newAjv();
  if (ajv.validateSchema(schema) === true) return [];
  return (ajv.errors ?? []).slice(0, FAULTS_MAX).map(({ instancePath, message }) => {
    const at = path + instancePath.replaceAll('/', '.');
    return { path: at, code: 'invalid', message: `${at} ${message ?? 'is not valid'}.` };
  });
}

/** Every fault of the arguments of a call by the schema of its verb, at most 100. */
export function argumentFaults(schema: JsonObject, values: Sealable): Fault[] {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? newAjv().compile(schema);
  compiled.set(text, validate);
  if (validate(values)) return [];
  return (validate.errors ?? []).slice(0, FAULTS_MAX).map((error) => faultOf(error, schema));
}

const CODES: Readonly<Record<string, Fault['code']>> = {
  required: 'missing',
  type: 'wrong_type',
  enum: 'unknown_value',
  const: 'unknown_value',
  additionalProperties: 'unknown_value',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  exclusiveMaximum: 'out_of_range',
  minLength: 'out_of_range',
  maxLength: 'out_of_range',
  minItems: 'out_of_range',
  maxItems: 'out_of_range',
};

function faultOf({ instancePath, keyword, params, message }: ErrorObject, schema: JsonObject) {
  const { missingProperty, additionalProperty } = params as Readonly<Record<string, string>>;
  const member = missingProperty ?? additionalProperty;
  const path = `arguments${instancePath.replaceAll('/', '.')}${member ? `.${member}` : ''}`;
  const known = Object.keys(asObject(schema.properties) ?? {});
  const [near] = additionalProperty ? nearestNames(additionalProperty, known) : [];
  const what = near ? `is not known; did you mean ${near}?` : `${message ?? 'is not valid'}.`;
  return { path, code: CODES[keyword] ?? 'invalid', message: `${path} ${what}` } satisfies Fault;
}
