import type { JsonObject } from '../../kernel/json.js';

/** A text of 1 to `maxLength` characters. */
export function text(maxLength: number, description: string): JsonObject {
  return { type: 'string', minLength: 1, maxLength, description };
}

/** One of some codes. */
export function choice(codes: readonly string[], description: string): JsonObject {
  return { type: 'string', enum: codes, description };
}

/** A number from `minimum` to `maximum`. */
export function number(minimum: number, maximum: number, description: string): JsonObject {
  return { type: 'number', minimum, maximum, description };
}

/** A whole number from `minimum` to `maximum`. */
export function integer(minimum: number, maximum: number, description: string): JsonObject {
  return { type: 'integer', minimum, maximum, description };
}

/** True or false. */
export function flag(description: string): JsonObject {
  return { type: 'boolean', description };
}

/** A list of at most `maxItems` elements. */
export function list(
  items: JsonObject,
  maxItems: number,
  description: string,
  minItems = 0,
): JsonObject {
  return { type: 'array', items, minItems, maxItems, description };
}

/** An object that has exactly these members; all but the optional ones are required. */
export function object(
  properties: Readonly<Record<string, JsonObject>>,
  optional: readonly string[] = [],
): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}
