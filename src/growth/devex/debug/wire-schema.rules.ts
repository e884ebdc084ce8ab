import { asObject, type JsonObject } from '../../../kernel/json.js';
import type { Place } from './patch.rules.js';

/** Every schema that the wire may hold a place to, alternatives among them. */
export function schemasAt(root: JsonObject, place: Place): JsonObject[] {
  let found = alternatives(root);
  for (const step of place) found = found.flatMap((schema) => within(schema, step));
  return found;
}

/** The names that a schema knows the members of an object by. */
export function memberNames(schemas: readonly JsonObject[]): string[] {
  return [...new Set(schemas.flatMap((schema) => Object.keys(asObject(schema.properties) ?? {})))];
}

function within(schema: JsonObject, step: string): JsonObject[] {
  const member = asObject(schema.properties)?.[step];
  const inner = asObject(member) ?? asObject(schema.items) ?? asObject(schema.additionalProperties);
  return inner ? alternatives(inner) : [];
}

/** The schema itself, with each of its alternatives in what they add to it. */
function alternatives(schema: JsonObject): JsonObject[] {
  const options = [schema.anyOf, schema.oneOf].flatMap((each) => (Array.isArray(each) ? each : []));
  const inner = options.flatMap((option): JsonObject[] => {
    const each = asObject(option);
    return each ? [each] : [];
  });
  return [schema, ...inner.flatMap((each) => alternatives(each))];
}
