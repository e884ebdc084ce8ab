import type { JsonObject } from '../../kernel/json.js';

declare const held: unique symbol;

/** A JSON Schema, which knows as a type what satisfies it. */
export type Schema<T = unknown> = JsonObject & { readonly [held]?: T };

/** What satisfies a schema, as a type. */
export type Satisfying<S extends Schema> = S extends Schema<infer T> ? T : never;

/** The members of an object by their names. */
export type Members = Readonly<Record<string, Schema>>;

type Optional<P extends Members, O extends keyof P> = {
  readonly [name in O]?: Satisfying<P[name]>;
};
type Required<P extends Members, O extends keyof P> = {
  readonly [name in Exclude<keyof P, O>]: Satisfying<P[name]>;
};

/** An object that has these members; those named by `O` may be left out. */
export type Having<P extends Members, O extends keyof P> = Optional<P, O> & Required<P, O>;

/** A text of 1 to `maxLength` characters. */
export function text(maxLength: number, description: string): Schema<string> {
  return { type: 'string', minLength: 1, maxLength, description };
}

/** One of some codes. */
export function choice<const C extends string>(
  codes: readonly C[],
  description: string,
): Schema<C> {
  return { type: 'string', enum: codes, description };
}

/** A number from `minimum` to `maximum`. */
export function number(minimum: number, maximum: number, description: string): Schema<number> {
  return { type: 'number', minimum, maximum, description };
}

/** A whole number from `minimum` to `maximum`. */
export function integer(minimum: number, maximum: number, description: string): Schema<number> {
  return { type: 'integer', minimum, maximum, description };
}

/** A list of at most `maxItems` elements. */
export function list<T>(
  items: Schema<T>,
  maxItems: number,
  description: string,
  minItems = 0,
): Schema<readonly T[]> {
  return { type: 'array', items, minItems, maxItems, description };
}

/** An object that has exactly these members; all but the optional ones are required. */
export function object<P extends Members, O extends keyof P & string = never>(
  properties: P,
  optional: readonly O[] = [],
): Schema<Having<P, O>> {
  const required = Object.keys(properties).filter((name) => !optional.some((o) => o === name));
  return { type: 'object', properties, required, additionalProperties: false };
}
