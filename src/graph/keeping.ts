/**
 * How a mutation is made once under an Idempotency-Key. `one_commit`: everything that it does is
 * in one database, so its effect and the answer that the key gets are one transaction. `own_books`:
 * it calls outside or takes long, so it runs outside of such a transaction, under ids that follow
 * from the key, and finds by them what an earlier attempt has done.
 */
export type Keeping = 'one_commit' | 'own_books';

const keepings = new Map<string, Keeping>();

/** Every mutation of the schema; a test holds the table against it. */
export const KEYED_MUTATIONS: ReadonlyMap<string, Keeping> = keepings;

/**
 * Adds a mutation by the name of its field.
 * @throws TypeError for a mutation that is there already
 */
export function addMutation(field: string, keeping: Keeping): void {
  if (keepings.has(field)) throw new TypeError(`the mutation ${field} is registered twice`);
  keepings.set(field, keeping);
}

/**
 * How fields of a mutation are kept together: in one commit only when each of them can be. A field
 * that the table does not name is taken for one with books of its own, which assumes less.
 */
export function keepingOf(fields: readonly string[]): Keeping {
  const all = fields.every((field) => KEYED_MUTATIONS.get(field) === 'one_commit');
  return all ? 'one_commit' : 'own_books';
}

const urgent = new Set<string>();

/** Adds a mutation that ends what may be in the wrong hands. */
export function addUrgentMutation(field: string): void {
  urgent.add(field);
}

/**
 * True when each of these fields of a mutation ends what may be in the wrong hands, such as a
 * revocation: they go before the other changes of their organization that wait.
 */
export function isUrgent(fields: readonly string[]): boolean {
  return fields.length > 0 && fields.every((field) => urgent.has(field));
}

const everyTenant = new Set<string>();

/** Adds a mutation that finds or makes a tenant other than the caller's. */
export function addWideMutation(field: string): void {
  everyTenant.add(field);
}

/** True when some of these fields of a mutation are not about the caller's tenant alone. */
export function isOfEveryTenant(fields: readonly string[]): boolean {
  return fields.some((field) => everyTenant.has(field));
}
