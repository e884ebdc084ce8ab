import { builtIns } from '../delivery/blueprints/catalogue.js';
import { ConfigError, readConfig } from '../platform/config.js';
import { MigrationError } from '../platform/database/migrate.js';
import { databaseStartFailure } from '../platform/database/start-failure.js';
import { greeting } from './greeting.js';
import { checkRestRows, loadRestTable } from './rest.js';
import { type RunningServer, startServer } from './server.js';

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

/** What is wrong with settings, database or data, with what helps; undefined for faults of ours. */
function causeOf(error: unknown): string | undefined {
  const expected = error instanceof ConfigError || error instanceof MigrationError;
  return expected ? error.message : databaseStartFailure(error);
}

/** Serves until a signal stops it. What is wrong with the configuration ends the process. */
export async function serve(): Promise<void> {
  let server: RunningServer;
  try {
    server = await startServer(readConfig());
  } catch (error) {
    console.error(causeOf(error) ?? error);
    process.exit(FATAL);
  }
  console.log(greeting(server.url));
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    server.services.log.info({ signal }, 'stopping');
    server.stop().then(
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
