import type { Transaction } from '../graph/ctx.js';

/** The time by the database's clock, which orders what happens on any node. */
export async function databaseNow(tx: Transaction): Promise<Date> {
  const [row] = await tx.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
  if (!row) throw new Error('the database did not tell the time');
  return row.now;
}
