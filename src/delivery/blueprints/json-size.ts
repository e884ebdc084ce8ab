import type { JsonObject } from '../../kernel/json.js';

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
