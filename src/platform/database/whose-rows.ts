import { AsyncLocalStorage } from 'node:async_hooks';

/** Whose rows statements see: a tenant's by its id, or those of every tenant. */
export type WhoseRows = { readonly tenantId: string; readonly isReport?: boolean } | 'every_tenant';

const current = new AsyncLocalStorage<WhoseRows | undefined>();

/** How many have begun and not ended. */
let underWay = 0;

/**
 * Begins a statement or a transaction for these rows. Prisma's client hands its driver nothing but
 * SQL, so what belongs to a statement comes around it. Node pays for such a context with every
 * promise of the process, those of the chat path too, so it is there only while it is needed.
 */
export async function seeing<T>(whose: WhoseRows, begin: () => PromiseLike<T>): Promise<T> {
  underWay += 1;
  try {
    // Prisma's promises begin when somebody waits for them, which has to be in here.
    return await current.run(whose, async () => await begin());
  } finally {
    underWay -= 1;
    if (underWay === 0) current.disable();
  }
}

/**
 * Goes on inside of a transaction, which has its rows: what is begun beside it, and whatever
 * outlives it, has to say for itself whose rows it means.
 */
export function unsaid<T>(work: () => PromiseLike<T>): Promise<T> {
  return current.run(undefined, async () => await work());
}

/** Whose rows are meant here; undefined where nobody has said it, and then none are seen. */
export function whoseRows(): WhoseRows | undefined {
  return current.getStore();
}
