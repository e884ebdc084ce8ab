import {
  checkConnection,
  createDatabase,
  dropDatabase,
  prismaError,
  requiredUrl,
} from './connection.mjs';

/** What `schema-engine cli <command>` can do; each answers with the line that is logged. */
const COMMANDS = {
  'can-connect-to-database': async (url) => {
    await checkConnection(url);
    return 'Connection successful';
  },
  'create-database': async (url) => `Successfully created database ${await createDatabase(url)}`,
  'drop-database': async (url) => {
    await dropDatabase(url);
    return 'The database was successfully dropped.';
  },
};

/** Runs one command and returns the exit code. */
export async function runCommand({ command, datasource }) {
  try {
    const work = COMMANDS[command];
    if (!work) throw new Error(`unknown command ${command}`);
    log('INFO', await work(requiredUrl(datasource)));
    return 0;
  } catch (error) {
    const { code, message } = prismaError(error, datasource.url);
    // Prisma drops the first line of what a failed engine writes.
    process.stderr.write('\n');
    log('ERROR', message, { error_code: code, is_panic: false });
    return 1;
  }
}

function log(level, message, more = {}) {
  const timestamp = new Date().toISOString();
  const line = { timestamp, level, fields: { message, ...more }, target: 'schema_engine::logger' };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
