/** A JSON object as it was parsed. */
export type JsonObject = { readonly [key: string]: unknown };

/** The value as a JSON object, or undefined when it is something else. */
export function asObject(value: unknown): JsonObject | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}
