import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Fault } from '../errors/fail.js';
import { asObject } from '../json.js';
import { nearestNames } from '../near-names.js';

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

/** What the compiler found wrong, under its dotted path below `root`. */
export function valueFault(error: ErrorObject, root: string): Fault {
  const { keyword, instancePath, params } = error;
  const named = params.missingProperty ?? params.additionalProperty;
  const steps = instancePath.split('/').slice(1).map(unescaped);
  const path = [root, ...steps, ...(named === undefined ? [] : [String(named)])]
    .filter((step) => step !== '')
    .join('.');
  return { path, code: CODES[keyword] ?? 'invalid', message: messageOf(error, path) };
}

function messageOf({ keyword, message, params, parentSchema }: ErrorObject, path: string): string {
  if (keyword === 'required') return `${path} is missing.`;
  if (keyword === 'enum') return `${path} must be one of ${listed(params.allowedValues)}.`;
  if (keyword === 'const') return `${path} must be ${JSON.stringify(params.allowedValue)}.`;
  if (keyword !== 'additionalProperties') return `${path} ${message ?? 'is not valid'}.`;
  const known = Object.keys(asObject(parentSchema?.properties) ?? {});
  const near = nearestNames(String(params.additionalProperty), known);
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  return `${path} is not a field of the schema.${hint}`;
}

const LISTED_LENGTH_MAX = 400;

function listed(values: readonly unknown[]): string {
  const texts = values.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  const text = texts.join(', ');
  return text.length > LISTED_LENGTH_MAX ? `${text.slice(0, LISTED_LENGTH_MAX)}…` : text;
}

/** A step of a JSON pointer as it was before RFC 6901 escaped it. */
function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
