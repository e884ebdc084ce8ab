import type { ValuesOf } from '../../kernel/fields/field.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import type { OUTPUT_INPUT, OUTPUT_PLAN } from './tables.js';
import { type OutputBasis, STOP_TOKENS } from './vocabulary.js';

type Asked = ValuesOf<typeof OUTPUT_INPUT.fields>;

/**
 * The ceiling of an answer: the tightest bound that is known. Bounds of text are bytes of UTF-8,
 * since no token is shorter than a byte; so an answer that keeps to its form is never cut.
 */
export function planOutput(asked: Asked): ValuesOf<typeof OUTPUT_PLAN.fields> {
  const { modelTokensMax: ofModel } = asked;
  const { basis, tokens: maxTokens } = boundsOf(asked).reduce((least, next) =>
    next.tokens < least.tokens ? next : least,
  );
  const sparedTokens = ofModel === null ? null : ofModel - maxTokens;
  return { verdict: 'PLANNED', basis, maxTokens, sparedTokens };
}

/** Every bound that is known of an answer. */
function boundsOf(asked: Asked) {
  const schema = asObject(asked.jsonSchema);
  const bounds: readonly (readonly [OutputBasis, number | null])[] = [
    ['ENUM', asked.enumValues.length > 0 ? Math.max(...asked.enumValues.map(bytesOf)) : null],
    ['SCHEMA', schema ? schemaBytes(schema) : null],
    ['LENGTH', asked.lengthCharacters === null ? null : asked.lengthCharacters * CHARACTER_BYTES],
    ['STOP', asked.stop.length > 0 ? STOP_TOKENS : null],
    ['MODEL', asked.modelTokensMax],
  ];
  return bounds.flatMap(([basis, tokens]) => (tokens === null ? [] : [{ basis, tokens }]));
}

/** What would bound an answer; empty where something does. */
export function lackingBounds(asked: Asked): string[] {
  if (boundsOf(asked).length > 0) return [];
  const schema = asObject(asked.jsonSchema);
  return [
    ...(schema ? openPlaces(schema, 'json_schema').slice(0, OPEN_PLACES_MAX) : []),
    schema
      ? 'or model_tokens_max'
      : 'enum_values, json_schema, length_characters, stop or model_tokens_max',
  ];
}

const OPEN_PLACES_MAX = 20;

/** The places of a schema that leave the length of a document open, each with what bounds it. */
function openPlaces(schema: JsonObject, at: string): string[] {
  if (schemaBytes(schema) !== null) return [];
  const { type, items, maxItems, properties, patternProperties } = schema;
  if (type === 'string') return [`${at}.maxLength`];
  if (type === 'array') {
    return [
      ...(typeof maxItems === 'number' ? [] : [`${at}.maxItems`]),
      ...openPlaces(asObject(items) ?? {}, `${at}.items`),
    ];
  }
  if (type !== 'object') return [`${at}.type`];
  return [
    ...(schema.additionalProperties === false ? [] : [`${at}.additionalProperties: false`]),
    ...(patternProperties === undefined ? [] : [`${at} without patternProperties`]),
    ...Object.entries(asObject(properties) ?? {}).flatMap(([name, member]) =>
      openPlaces(asObject(member) ?? {}, `${at}.properties.${name}`),
    ),
  ];
}

/** The longest character of UTF-8; in JSON one can be written as \uXXXX, or two such halves. */
const CHARACTER_BYTES = 4;
const JSON_CHARACTER_BYTES = 12;
const NUMBER_BYTES = 25;

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** The bytes of the longest document that a schema allows; null where nothing bounds it. */
function schemaBytes(schema: JsonObject): number | null {
  if (schema.const !== undefined) return bytesOf(JSON.stringify(schema.const));
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    return Math.max(...schema.enum.map((each) => bytesOf(JSON.stringify(each))));
  }
  switch (schema.type) {
    case 'boolean':
    case 'null':
      return 'false'.length;
    case 'integer':
    case 'number':
      return NUMBER_BYTES;
    case 'string':
      return typeof schema.maxLength === 'number'
        ? schema.maxLength * JSON_CHARACTER_BYTES + 2
        : null;
    case 'array':
      return arrayBytes(schema);
    case 'object':
      return objectBytes(schema);
    default:
      return null;
  }
}

function arrayBytes({ items, maxItems }: JsonObject): number | null {
  const each = asObject(items) && schemaBytes(asObject(items) ?? {});
  return typeof maxItems === 'number' && typeof each === 'number'
    ? maxItems * (each + 2) + 2
    : null;
}

/** Only an object that is closed has a longest form. */
function objectBytes({ properties, additionalProperties, patternProperties }: JsonObject) {
  const members = Object.entries(asObject(properties) ?? {});
  if (additionalProperties !== false || patternProperties !== undefined) return null;
  let sum = 2;
  for (const [name, member] of members) {
    const bytes = schemaBytes(asObject(member) ?? {});
    if (bytes === null) return null;
    sum += bytesOf(JSON.stringify(name)) + bytes + 4;
  }
  return sum;
}
