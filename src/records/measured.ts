import type { Transaction } from '../graph/ctx.js';
import { measured, type Sourced } from '../kernel/provenance.js';
import { reportsOf, type TenantScope, type WriteOptions } from './scope.js';

/**
 * A figure from the tenant's recorded rows. The rows come from the query that is given and from
 * nowhere else, so that nothing but this can say `live_measured`.
 * @throws report_timed_out where the database has to stop the query
 */
export async function measuredFrom<R, T>(
  scope: TenantScope,
  read: (rows: Transaction) => Promise<readonly R[]>,
  compute: (rows: readonly R[]) => T,
  options: WriteOptions = {},
): Promise<Sourced<T, 'live_measured'>> {
  return measured(await read(reportsOf(scope, options)), compute);
}
