import cluster from 'node:cluster';
import type { Config } from '../../platform/config.js';
import type { Serving } from '../serving.js';
import { servePrimary } from './primary.js';
import { serveAsWorker } from './worker.js';

/** Serves with other processes on one port: as their primary, or as one of its workers. */
export async function serveWithOthers(config: Config): Promise<Serving | undefined> {
  if (cluster.isPrimary) return servePrimary(config);
  await serveAsWorker(config);
  return undefined;
}
