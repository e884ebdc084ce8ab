import pino from 'pino';
import { UsageRollup } from '../../../src/finops/reports/rollup.js';
import { createPool } from '../../../src/platform/database/pool.js';

/** What the process is given as its one argument: how to connect. */
export type RollupOrders = object;

// A node that does nothing but bring the sums forward, until it is killed.
const connection = JSON.parse(process.argv[2] ?? '{}') as RollupOrders;
const pool = createPool({ connection, max: 2, applicationName: 'rollup', queryTimeoutMs: 20_000 });
const rollup = new UsageRollup({ platformPool: pool, log: pino({ level: 'fatal' }) });
process.stdout.write('ready\n');
for (;;) {
  await rollup.bringForward();
  await new Promise((resolve) => setTimeout(resolve, 1));
}
