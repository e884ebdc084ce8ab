import { ConfigError, readConfig } from '../platform/config.js';
import { MigrationError } from '../platform/database/migrate.js';
import { greeting } from './greeting.js';
import { type RunningServer, startServer } from './server.js';

const FATAL = 1;

async function main(): Promise<void> {
  let server: RunningServer;
  try {
    server = await startServer(readConfig());
  } catch (error) {
    const expected = error instanceof ConfigError || error instanceof MigrationError;
    const message = expected ? error.message : error;
    console.error(message);
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

await main();
