import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { BOUNDS } from './vocabulary.js';

/** How large a JSON value of a caller may be. */
export interface JsonBounds {
  readonly bytesMax: number;
  readonly valuesMax: number;
}

/** A JSON value that can be stored, hashed and sealed, or what forbids it. */
export type BoundedJson =
  | { readonly value: Sealable; readonly faults: readonly [] }
  | { readonly value: undefined; readonly faults: readonly Fault[] };

/**
 * Takes a JSON value as a caller wrote it, plain and within its bounds. Bounds are judged before
 * anything is computed from the value.
 */
export function boundedJson(path: string, given: unknown, bounds: JsonBounds): BoundedJson {
  let beyond: number | undefined;
  const text = JSON.stringify(given, (_name, each: unknown) => {
    if (typeof each === 'number' && !Number.isFinite(each)) beyond = each;
    return each;
  });
  const bytes = Buffer.byteLength(text);
  if (bytes > bounds.bytesMax) {
    return refused(path, `must be at most ${bounds.bytesMax} bytes of JSON; it has ${bytes}`);
  }
  // A plain copy: literals of GraphQL documents come as objects without a prototype.
  const value = JSON.parse(text) as Sealable;
  const { levels, values } = extentOf(value);
  if (levels > BOUNDS.jsonLevelsMax) {
    return refused(path, `must have at most ${BOUNDS.jsonLevelsMax} levels; it has ${levels}`);
  }
  if (values > bounds.valuesMax) {
    return refused(path, `must hold at most ${bounds.valuesMax} values; it holds ${values}`);
  }
  try {
    // JSON would have null in its place: a call would be executed with another amount.
    if (beyond !== undefined) canonicalJson(beyond);
    canonicalJson(value);
    return { value, faults: [] };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return refused(path, `cannot be recorded exactly: ${error.message}`);
  }
}

function refused(path: string, what: string): BoundedJson {
  return { value: undefined, faults: [fault(path, 'invalid', what)] };
}

function extentOf(value: Sealable): { readonly levels: number; readonly values: number } {
  let levels = 0;
  let values = 0;
  for (let row: readonly Sealable[] = [value]; row.length > 0; levels += 1) {
    values += row.length;
    row = row.flatMap((item) =>
      typeof item === 'object' && item !== null ? (Object.values(item) as Sealable[]) : [],
    );
  }
  return { levels, values };
}

const POINTER = /^(\/([^~/]|~[01])*)+$/;

/** Whether a text is a JSON pointer (RFC 6901) to something inside a value. */
export function isPointer(text: unknown): text is string {
  return (
    typeof text === 'string' && text.length <= BOUNDS.pointerCharactersMax && POINTER.test(text)
  );
}

/** The value that a JSON pointer names, or undefined where there is none. */
export function valueAt(root: Sealable, pointer: string): Sealable | undefined {
  let value: Sealable | undefined = root;
  for (const part of pointer.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = (value as Readonly<Record<string, Sealable>>)[name];
  }
  return value;
}
