import { BriefContext } from '../brief-context.js';

/** Whose rows statements see: a tenant's by its id, or those of every tenant. */
export type WhoseRows = { readonly tenantId: string; readonly isReport?: boolean } | 'every_tenant';

const current = new BriefContext<WhoseRows | undefined>();

/**
 * Begins a statement or a transaction for these rows. Prisma's client hands its driver nothing but
 * SQL, so what belongs to a statement comes around it.
 */
export function seeing<T>(whose: WhoseRows, begin: () => PromiseLike<T>): Promise<T> {
  return current.run(whose, begin);
}

/**
 * Goes on inside of a transaction, which has its rows: what is begun beside it, and whatever
 * outlives it, has to say for itself whose rows it means.
 */
export function unsaid<T>(work: () => PromiseLike<T>): Promise<T> {
  return current.run(undefined, work);
}

/** Whose rows are meant here; undefined where nobody has said it, and then none are seen. */
export function whoseRows(): WhoseRows | undefined {
  return current.get();
}
