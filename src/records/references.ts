import { frozen } from '../kernel/vocabulary.js';

/** One entry of a published list. Further members are published with it as they are. */
export interface ReferenceEntry {
  readonly code: string;
  readonly description?: string;
}

/** A list that rules decide by and that the reference endpoint publishes. */
export interface Reference {
  /** `<module>.<noun>`, such as `tools.verb`. */
  readonly name: string;
  readonly entries: readonly ReferenceEntry[];
}

const NAME = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9_]*$/;

/** The published lists of a schema. */
export class References {
  private readonly byName = new Map<string, Reference>();

  /**
   * Publishes a list under its name. The entries are frozen, so what is published cannot drift from
   * what decides.
   * @throws TypeError for a malformed or taken name, an empty list, or a code that stands twice
   */
  define<E extends ReferenceEntry>(name: string, entries: readonly E[]): Reference {
    if (!NAME.test(name)) throw new TypeError(`"${name}" is not <module>.<noun>`);
    if (this.byName.has(name)) throw new TypeError(`the reference ${name} is registered twice`);
    if (entries.length === 0) throw new TypeError(`the reference ${name} has no entry`);
    const codes = new Set<string>();
    for (const { code } of entries) {
      if (codes.has(code)) throw new TypeError(`${name} lists the code ${code} twice`);
      codes.add(code);
    }
    const reference = frozen({ name, entries: [...entries] });
    this.byName.set(name, reference);
    return reference;
  }

  /** The reference of this name, or undefined. */
  named(name: string): Reference | undefined {
    return this.byName.get(name);
  }

  /** Every reference, by name; of one module when its name is given. */
  all(module?: string): readonly Reference[] {
    return [...this.byName.values()]
      .filter((reference) => module === undefined || reference.name.startsWith(`${module}.`))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** The published lists of the product. */
export const REFERENCES = new References();

/** Publishes a list of the product. */
export function defineReference(name: string, entries: readonly ReferenceEntry[]): void {
  REFERENCES.define(name, entries);
}
