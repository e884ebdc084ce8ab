import { builtIns } from '../delivery/blueprints/catalogue.js';
import { type Config, readConfig } from '../platform/config.js';
import { packCluster } from '../platform/database/prepared-cluster.js';
import { causeOf } from './failure.js';
import { greeting } from './greeting.js';
import { type LoopWatch, watchLoop } from './hangs/loop-watch.js';
import { type StopLimits, stopLimits } from './hangs/stop-limits.rules.js';
import { checkRestRows, loadRestTable } from './rest.js';
import { startServer } from './server.js';
import type { Serving } from './serving.js';

const FATAL = 1;

/**
 * Builds all that depends on no setting and no database, as each start does, and the built-in
 * blueprints, which are otherwise read when somebody asks for them. Checks what starts take for
 * proven.
 * @throws Error that names what is wrong with a row, a manifest or a module
 */
export async function rehearse(): Promise<void> {
  await checkRestRows();
  await loadRestTable();
  builtIns();
}

/**
 * Packs a cluster that is set up and migrated, which starts on empty folders lay. Where it cannot
 * be made they set up their own.
 */
export async function packDatabase(): Promise<void> {
  try {
    await packCluster();
  } catch (error) {
    console.error(`First starts will set up their database: ${causeOf(error) ?? error}`);
  }
}

/** Runs a command of the operator: its name and its arguments. */
export async function runCommand(words: readonly string[]): Promise<void> {
  const { program } = await import('./cli.js');
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    console.error(causeOf(error) ?? error);
    process.exitCode = FATAL;
  }
}

/** Begins to serve; undefined in a worker, which hears from its primary when to end. */
async function begin(config: Config): Promise<Serving | undefined> {
  if (config.workerCount === 1) {
    const server = await startServer(config);
    return { url: server.url, log: server.services.log, stop: () => server.stop() };
  }
  const { serveWithOthers } = await import('./workers/several.js');
  return serveWithOthers(config);
}

/** Serves until a signal stops it. What is wrong with the configuration ends the process. */
export async function serve(): Promise<void> {
  let config: Config;
  let serving: Serving | undefined;
  try {
    config = readConfig();
    serving = await begin(config);
  } catch (error) {
    console.error(causeOf(error) ?? error);
    process.exit(FATAL);
  }
  if (!serving) return;
  const watch = watchLoop(config.GW_HANG_TIMEOUT_MS, serving.log);
  untilStopped(serving, watch, stopLimits(config.GW_DRAIN_TIMEOUT_MS));
}

function untilStopped(
  { url, log, stop: end }: Serving,
  watch: LoopWatch,
  limits: StopLimits,
): void {
  console.log(greeting(url));
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    watch.endWithin(limits.hardMs);
    setTimeout(() => cut(limits.processMs), limits.processMs).unref();
    end().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(FATAL);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Ends a stop that does not come to its end; the next start recovers what it has left. */
function cut(afterMs: number): void {
  console.error(
    `the stop has not ended within ${afterMs} ms; what is left is recovered at the start`,
  );
  process.exit(FATAL);
}
