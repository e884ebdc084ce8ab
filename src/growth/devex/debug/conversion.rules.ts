import { asObject, type JsonObject, parsedJson } from '../../../kernel/json.js';
import { nearestNames } from '../../../kernel/near-names.js';
import { SYNONYMS } from './vocabulary.js';

/**
 * What a value may have been meant to be where one of these schemas holds, nearest to it first. The
 * validators of the wire judge each of them, so that a wrong guess does no harm.
 */
export function conversions(value: unknown, schemas: readonly JsonObject[]): unknown[] {
  const guesses = schemas.flatMap((schema) => [
    ...namedValues(value, schema),
    ...typesOf(schema).flatMap((type) => BY_TYPE[type]?.(value, schema) ?? []),
  ]);
  return guesses.filter((guess, index) => guess !== value && guesses.indexOf(guess) === index);
}

/** What stands for a value that is missing; nothing where it cannot be made up. */
export function standIns(name: string, schemas: readonly JsonObject[]): unknown[] {
  const known = STAND_INS[name];
  const fixed = schemas.flatMap((schema) => (schema.const === undefined ? [] : [schema.const]));
  return [...(known === undefined ? [] : [known]), ...fixed];
}

/** Members whose absence can be mended by a value that says nothing of the customer's own. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  model: 'gw:auto',
  role: 'user',
  content: '',
  messages: [{ role: 'user', content: '' }],
  type: 'function',
  description: '',
};

function namedValues(value: unknown, schema: JsonObject): unknown[] {
  const listed = Array.isArray(schema.enum) ? (schema.enum as unknown[]) : [];
  const known = [...listed, ...(schema.const === undefined ? [] : [schema.const])];
  const names = known.filter((each) => typeof each === 'string');
  if (typeof value !== 'string') return [];
  const meant = value.trim().toLowerCase();
  const synonym = Object.hasOwn(SYNONYMS, meant) ? SYNONYMS[meant] : undefined;
  const exact = names.filter((name) => name.toLowerCase() === meant || name === synonym);
  return [...exact, ...nearestNames(value, names)];
}

function typesOf({ type }: JsonObject): string[] {
  return (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string');
}

type Conversion = (value: unknown, schema: JsonObject) => unknown[];

const BY_TYPE: Readonly<Record<string, Conversion>> = {
  number: (value, schema) => within(numberIn(value), schema),
  integer: (value, schema) => {
    const figure = numberIn(value);
    return within(figure === undefined ? undefined : Math.round(figure), schema);
  },
  boolean: (value) => {
    const word = String(value).trim().toLowerCase();
    if (['true', '1', 'yes', 'on'].includes(word)) return [true];
    return ['false', '0', 'no', 'off'].includes(word) ? [false] : [];
  },
  string: (value, schema) => textsFor(value, schema),
  array: (value, schema) => listsFor(value, schema),
  object: (value) => {
    const parsed = typeof value === 'string' ? parsedJson(value) : undefined;
    return asObject(parsed) ? [parsed] : [];
  },
};

const NUMERIC = /^\s*-?\d+([.,]\d+)?\s*$/;

function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !NUMERIC.test(value)) return undefined;
  return Number(value.replace(',', '.'));
}

/** The nearest figure within the bounds of a schema. */
function within(figure: number | undefined, { minimum, maximum }: JsonObject): number[] {
  if (figure === undefined || Number.isNaN(figure)) return [];
  const low = typeof minimum === 'number' ? minimum : figure;
  const high = typeof maximum === 'number' ? maximum : figure;
  return [Math.min(Math.max(figure, low), high)];
}

function textsFor(value: unknown, { maxLength }: JsonObject): string[] {
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (typeof value === 'string') {
    if (typeof maxLength !== 'number') return [];
    return [[...value.slice(0, 2 * maxLength)].slice(0, maxLength).join('')];
  }
  const [first] = Array.isArray(value) && value.length === 1 ? (value as unknown[]) : [];
  if (typeof first === 'string') return [first];
  return asObject(value) ? [JSON.stringify(value)] : [];
}

/** The first ones of too many, or a list of the one value; a bare text is what a user says. */
function listsFor(value: unknown, { maxItems, items }: JsonObject): unknown[] {
  if (Array.isArray(value)) {
    return typeof maxItems === 'number' && value.length > maxItems
      ? [value.slice(0, maxItems)]
      : [];
  }
  if (value === null || value === undefined) return [];
  const isOfObjects = asObject(items)?.type === 'object';
  if (!isOfObjects || asObject(value)) return [[value]];
  return typeof value === 'string' ? [[{ role: 'user', content: value }]] : [];
}
