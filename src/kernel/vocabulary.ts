/** One value of a vocabulary. Further members are published with it as they are. */
export interface VocabularyRow<C extends string = string> {
  readonly code: C;
  /** What it means, as customers read it. */
  readonly description: string;
}

/** A closed list of values: what rules decide by, stored rows hold and the schema publishes. */
export interface Vocabulary<R extends VocabularyRow = VocabularyRow> {
  /** The name of the GraphQL enum. */
  readonly name: string;
  readonly description: string;
  readonly rows: readonly R[];
  readonly codes: readonly R['code'][];
  /** The row of a code, or undefined. */
  find(code: string): R | undefined;
  has(code: string): code is R['code'];
  /**
   * The code that a stored row holds.
   * @throws TypeError for one that the list lacks: the row was not written by this list
   */
  parse(stored: string): R['code'];
}

/** The codes of a vocabulary as a type. */
export type CodeOf<V extends Vocabulary> = V['rows'][number]['code'];

/**
 * A vocabulary of rows. They are frozen, so that what is published cannot drift from what decides.
 * @throws TypeError for an empty list, or a code that stands twice
 */
export function vocabulary<const C extends string, const R extends VocabularyRow<C>>(
  name: string,
  description: string,
  rows: readonly R[],
): Vocabulary<R> {
  if (rows.length === 0) throw new TypeError(`the vocabulary ${name} has no row`);
  const byCode = new Map<R['code'], R>();
  for (const row of rows) {
    if (byCode.has(row.code)) throw new TypeError(`${name} lists the code ${row.code} twice`);
    byCode.set(row.code, frozen(row));
  }
  return Object.freeze({
    name,
    description,
    rows: Object.freeze([...byCode.values()]),
    codes: Object.freeze([...byCode.keys()]),
    find: (code: string) => byCode.get(code as R['code']),
    has: (code: string): code is R['code'] => byCode.has(code as R['code']),
    parse(stored: string) {
      if (byCode.has(stored as R['code'])) return stored as R['code'];
      throw new TypeError(`a stored ${name} is "${stored}", which is none of the list`);
    },
  });
}

/** The value itself, with everything in it closed to changes. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
