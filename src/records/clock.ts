import type { Transaction } from '../graph/ctx.js';

/**
 * The time by the database's clock, read in a transaction for what must lie after what it has
 * locked. `sharedNow` of the kernel is the same clock as this node knows it, without a statement.
 */
export async function databaseNow(tx: Transaction): Promise<Date> {
  const [row] = await tx.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
  if (!row) throw new Error('the database did not tell the time');
  return row.now;
}
