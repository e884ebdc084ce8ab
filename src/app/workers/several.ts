import type { Config } from '../../platform/config.js';
import type { Serving } from '../serving.js';
import { servePrimary } from './primary.js';
import { serveAsWorker } from './worker.js';

/** Serves with other processes on one port: as their primary, or as one of its workers. */
export async function serveWithOthers(config: Config): Promise<Serving | undefined> {
  // Named at the top it would be loaded by every start, since the product is one script.
  const { default: cluster } = await import('node:cluster');
  if (cluster.isPrimary) return servePrimary(config, cluster);
  await serveAsWorker(config);
  return undefined;
}
