import type { Transaction } from '../graph/ctx.js';
import { measured, type Sourced } from '../kernel/provenance.js';
import { requireUsageSince } from './kept-detail.js';
import { reportsOf, type TenantScope, type WriteOptions } from './scope.js';

/** How rows are read. */
interface ReadOptions extends WriteOptions {
  /** From when on rows of single requests are read: they may have been dropped. */
  readonly usageSince?: Date;
}

/**
 * A figure from the tenant's recorded rows. The rows come from the query that is given and from
 * nowhere else, so that nothing but this can say `live_measured`.
 * @throws report_timed_out where the database has to stop the query; detail_dropped
 */
export async function measuredFrom<R, T>(
  scope: TenantScope,
  read: (rows: Transaction) => Promise<readonly R[]>,
  compute: (rows: readonly R[]) => T,
  options: ReadOptions = {},
): Promise<Sourced<T, 'live_measured'>> {
  const { usageSince } = options;
  const rows = await read(reportsOf(scope, options));
  if (usageSince) await requireUsageSince(reportsOf(scope, options), usageSince);
  return measured(rows, compute);
}
