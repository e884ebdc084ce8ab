import canonicalize from 'canonicalize';

/**
 * JSON as it may be sealed: money, ids and counters are strings; numbers are finite, and integers
 * among them are safe.
 */
export type Sealable =
  | null
  | boolean
  | number
  | string
  | readonly Sealable[]
  | { readonly [key: string]: Sealable };

const DEPTH_MAX = 32;

/**
 * The canonical text of a value by RFC 8785.
 * @throws TypeError for what JSON cannot carry exactly: sparse arrays, undefined, functions,
 * bigint, integers beyond 2^53, halves of surrogate pairs, more than 32 levels
 */
export function canonicalJson(value: Sealable): string {
  requireSealable(value, 0);
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('nothing to canonicalise');
  return text;
}

function requireSealable(value: unknown, depth: number): void {
  if (depth > DEPTH_MAX) throw new TypeError(`deeper than ${DEPTH_MAX} levels`);
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') {
    requireWellFormed(value);
    return;
  }
  if (typeof value === 'number') {
    const exact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (!exact) throw new TypeError(`the number ${value} cannot be sealed exactly`);
    return;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      if (!(i in value)) throw new TypeError('sparse arrays cannot be sealed');
      requireSealable(value[i], depth + 1);
    }
    return;
  }
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    for (const [name, member] of Object.entries(value)) {
      requireWellFormed(name);
      requireSealable(member, depth + 1);
    }
    return;
  }
  throw new TypeError(`a ${typeof value} cannot be sealed`);
}

/** Half a surrogate pair has no form in UTF-8: two such texts would have the same hash. */
function requireWellFormed(text: string): void {
  if (!text.isWellFormed()) throw new TypeError('half a surrogate pair cannot be sealed');
}
