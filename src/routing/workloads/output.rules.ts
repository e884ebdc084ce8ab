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
  const { modelTokensMax } = asked;
  const bounds: readonly (readonly [OutputBasis, number | null])[] = [
    ['ENUM', asked.enumValues.length > 0 ? Math.max(...asked.enumValues.map(bytesOf)) : null],
    ['SCHEMA', asObject(asked.jsonSchema) ? schemaBytes(asObject(asked.jsonSchema) ?? {}) : null],
    ['LENGTH', asked.lengthCharacters === null ? null : asked.lengthCharacters * CHARACTER_BYTES],
    ['STOP', asked.stop.length > 0 ? STOP_TOKENS : null],
    ['MODEL', modelTokensMax],
  ];
  const known = bounds.flatMap(([basis, tokens]) => (tokens === null ? [] : [{ basis, tokens }]));
  const tightest = known.reduce((least, next) => (next.tokens < least.tokens ? next : least));
  const maxTokens = Math.min(tightest.tokens, modelTokensMax);
  return { basis: tightest.basis, maxTokens, sparedTokens: modelTokensMax - maxTokens };
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
