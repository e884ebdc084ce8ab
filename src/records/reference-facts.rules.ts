/** A fact of a published entry: of its values one is not null, and none where it has no value. */
export interface ReferenceFact {
  /** Its name on the wire; of an item of a list its place, from 0. */
  readonly name: string;
  readonly text: string | null;
  readonly number: number | null;
  readonly flag: boolean | null;
  readonly texts: readonly string[] | null;
  readonly facts: readonly ReferenceFact[] | null;
}

/** The members of an object, or the items of a list, as facts. */
export function factsOf(value: object): readonly ReferenceFact[] {
  return Object.entries(value).map(([name, member]: [string, unknown]) => factOf(name, member));
}

function factOf(name: string, value: unknown): ReferenceFact {
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return {
    name,
    text: typeof value === 'string' ? value : null,
    number: typeof value === 'number' ? value : null,
    flag: typeof value === 'boolean' ? value : null,
    texts: isTexts ? value : null,
    facts: typeof value === 'object' && value !== null && !isTexts ? factsOf(value) : null,
  };
}
