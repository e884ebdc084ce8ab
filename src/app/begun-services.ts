import type { Logger } from 'pino';
import { Fleet } from '../catalog/fleet/fleet.js';
import type { Config } from '../platform/config.js';
import type { EmbeddedPostgres } from '../platform/database/embedded.js';
import { beginEmbedded } from '../platform/database/pool.js';
import { createLog } from '../platform/log.js';
import { databaseOf } from './workers/database.js';
import type { WorkerSeat } from './workers/seat.js';

/** What a start has begun. */
export interface BegunServices {
  readonly given: Config;
  /** Of a worker; its primary has started the database and migrated it. */
  readonly seat: WorkerSeat | undefined;
  readonly log: Logger;
  readonly fleet: Fleet;
  /** The embedded server, which starts in processes of its own; undefined where there is none. */
  readonly embedded: Promise<EmbeddedPostgres> | undefined;
  /** Ends what was begun, for a start that fails elsewhere. */
  abandon(): Promise<void>;
}

/**
 * Reads the providers and lets the embedded server start. Nobody connects yet: what is built
 * meanwhile holds up this process for longer than an answer may take.
 * @throws ConfigError for wrong providers
 */
export function beginServices(given: Config, seat?: WorkerSeat): BegunServices {
  const log = createLog(given.LOG_LEVEL);
  const fleet = new Fleet({ config: given, log });
  const embedded = beginEmbedded({ ...databaseOf(given), prepared: seat?.connections });
  // Whoever connects is told; until then it must not end the process as a failure of nobody's.
  const started = embedded?.catch(() => undefined);
  const abandon = async () => {
    await (await started)?.stop();
  };
  return { given, seat, log, fleet, embedded, abandon };
}
