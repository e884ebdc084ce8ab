import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { EVERY_SCOPE, KILL_SWITCHES } from '../adaptive/records.js';

/** Switches of all scopes and of this one wait until the transaction ends, and so do its terms. */
export async function lockScopes(ctx: AuthorizedCtx, tx: Transaction, key: string): Promise<void> {
  await KILL_SWITCHES.lock(ctx, tx, EVERY_SCOPE);
  if (key !== EVERY_SCOPE) await KILL_SWITCHES.lock(ctx, tx, key);
}

/**
 * While terms are rolled back, the version before their latest holds: a new version would bring
 * the one back into force that they were rolled back from.
 * @param isKnown whether there is a version of the key already
 */
export async function rolledBackFaults(
  ctx: AuthorizedCtx,
  tx: Transaction,
  {
    path,
    key,
    isKnown,
  }: { readonly path: string; readonly key: string; readonly isKnown: boolean },
): Promise<Fault[]> {
  const [every, own] = await Promise.all([
    KILL_SWITCHES.latest(ctx, EVERY_SCOPE, undefined, { tx }),
    KILL_SWITCHES.latest(ctx, key, undefined, { tx }),
  ]);
  const isRolledBack = [every, own].some((each) => each?.body.state === 'ROLLED_BACK');
  const what = 'is rolled back: set its kill switch otherwise first';
  return fits(path, !(isRolledBack && isKnown), what);
}
