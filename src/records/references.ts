/** One entry of a published list. Further members are published with it as they are. */
export interface ReferenceEntry {
  readonly code: string;
  readonly description?: string;
}

/** A vocabulary that rules decide by and that the reference endpoint publishes: one object. */
export interface Reference<E extends ReferenceEntry = ReferenceEntry> {
  /** `<module>.<noun>`, such as `tools.verb`. */
  readonly name: string;
  readonly entries: readonly E[];
  readonly codes: readonly E['code'][];
  /** The entry of a code, or undefined. */
  find(code: string): E | undefined;
  has(code: string): code is E['code'];
}

const registered = new Map<string, Reference>();
const NAME = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9_]*$/;

/**
 * Registers a module's vocabulary under its name and returns the object that the module's rules
 * use. The entries are frozen, so what is published cannot drift from what decides.
 * @throws TypeError for a malformed or taken name, an empty list, or a code that stands twice
 */
export function defineReference<const E extends ReferenceEntry>(
  name: string,
  entries: readonly E[],
): Reference<E> {
  if (!NAME.test(name)) throw new TypeError(`"${name}" is not <module>.<noun>`);
  if (registered.has(name)) throw new TypeError(`the reference ${name} is registered twice`);
  if (entries.length === 0) throw new TypeError(`the reference ${name} has no entry`);
  const byCode = new Map<string, E>();
  for (const entry of entries) {
    if (byCode.has(entry.code)) throw new TypeError(`${name} lists the code ${entry.code} twice`);
    byCode.set(entry.code, freezeDeep(entry));
  }
  const reference: Reference<E> = Object.freeze({
    name,
    entries: Object.freeze([...byCode.values()]),
    codes: Object.freeze([...byCode.keys()]),
    find: (code: string) => byCode.get(code),
    has: (code: string): code is E['code'] => byCode.has(code),
  });
  registered.set(name, reference);
  return reference;
}

/** The registered reference of this name, or undefined. */
export function referenceNamed(name: string): Reference | undefined {
  return registered.get(name);
}

/** Every registered reference, by name; of one module when its name is given. */
export function allReferences(module?: string): readonly Reference[] {
  return [...registered.values()]
    .filter((reference) => module === undefined || reference.name.startsWith(`${module}.`))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freezeDeep(member);
  return Object.freeze(value);
}
