/** A JSON object as it was parsed. */
export type JsonObject = { readonly [key: string]: unknown };

/** The value as a JSON object, or undefined when it is something else. */
export function asObject(value: unknown): JsonObject | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}

/** What a text of JSON says; undefined where it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether lists and objects are nested deeper than so many levels; a plain value has none. */
export function isDeeperThan(value: unknown, levelsMax: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levelsMax) return true;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
  }
  return false;
}
