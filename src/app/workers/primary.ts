import type { Cluster } from 'node:cluster';
import type { Config } from '../../platform/config.js';
import { connectDatabase } from '../../platform/database/pool.js';
import { createLog } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics.js';
import { claimNodeName } from '../../platform/node-name.js';
import { stopLimits } from '../hangs/stop-limits.rules.js';
import type { Serving } from '../serving.js';
import { Crew } from './crew.js';
import { connectionsMax, databaseOf } from './database.js';
import { takeUpLeftFiles } from './left-files.js';
import { workerName } from './seat.js';

/**
 * Opens and migrates the database, and lets workers serve. This process answers no request: what it
 * does is little and cannot fail with one, so that the database and the port outlive each worker.
 * @throws ConfigError, MigrationError or StartFailure
 */
export async function servePrimary(config: Config, cluster: Cluster): Promise<Serving> {
  const log = createLog(config.LOG_LEVEL);
  const { dataDir, workerCount: count } = config;
  const serverSettings = { max_connections: String(connectionsMax(config)) };
  const database = await connectDatabase({ ...databaseOf(config), serverSettings });
  const { connection, connections, platformPool: pool } = database;
  let crew: Crew | undefined;
  try {
    const node = await claimNodeName(connection, config.GW_NODE_ID);
    const names = Array.from({ length: count }, (_, index) => workerName(node.name, index + 1));
    await takeUpLeftFiles({ pool, connection, dataDir, log }, node.name, names);
    const seatOf = (number: number) => {
      return { name: workerName(node.name, number), names, connections };
    };
    const { GW_HANG_TIMEOUT_MS: hangTimeoutMs, GW_DRAIN_TIMEOUT_MS } = config;
    const limits = { hangTimeoutMs, stopMsMax: stopLimits(GW_DRAIN_TIMEOUT_MS).workersMs };
    crew = new Crew({ cluster, count, seatOf, log, metrics: new Metrics(), ...limits });
    const serving = crew;
    const url = await serving.start();
    const stop = async () => {
      const areAllWell = await serving.stop();
      await node.release();
      await database.stop();
      if (!areAllWell) throw new Error('a worker did not end well');
    };
    return { url, log, stop };
  } catch (error) {
    await crew?.stop();
    await database.stop();
    throw error;
  }
}
