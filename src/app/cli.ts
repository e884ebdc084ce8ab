import { Command } from 'commander';
import { keysOfAllTimes } from '../access/auth/signing-keys.js';
import { requireLastStep, rewrap } from '../access/personal-data/rewrap.js';
import { logFindings } from '../assurance/transparency/verify.js';
import { loadRegistry } from '../catalog/providers/registry.js';
import { checkFully } from '../money/books/full.js';
import { ConfigError, describeConfig, readConfig } from '../platform/config.js';
import { connectDatabase } from '../platform/database/pool.js';
import { databaseStartFailure } from '../platform/database/start-failure.js';
import { Keyring } from '../platform/keyring.js';
import { MONTHS_KEPT } from '../records/months.js';
import { documents } from './description.js';
import { examine, findingLine } from './doctor.js';
import { loadRestTable } from './rest.js';
import { type RetentionOptions, runRetention } from './retention/command.js';
import { openSchema, printedSchema } from './schema.js';

/** Where the gateway of these settings is reached. */
function publishedAddress(): string {
  const { GW_PUBLIC_URL, PORT } = readConfig();
  return GW_PUBLIC_URL ?? `http://localhost:${PORT}`;
}

/** What an operator and the tools ask of the gateway besides to serve. */
export const program = new Command('gw').description('Commands of the gateway.');

program
  .command('schema')
  .description('Prints the GraphQL schema.')
  .action(async () => {
    process.stdout.write(printedSchema(await openSchema()));
  });

program
  .command('openapi')
  .description('Prints the OpenAPI description.')
  .action(async () => {
    process.stdout.write(
      `${documents(await loadRestTable())
        .get('/openapi.json')
        ?.text(publishedAddress())}\n`,
    );
  });

program
  .command('doctor')
  .description('Tries all that a start needs, and prints the configuration with secrets masked.')
  .action(async () => {
    try {
      const config = readConfig();
      console.log(describeConfig(config).join('\n'));
      const { providers } = loadRegistry(config);
      console.log('\nProviders:');
      for (const { id, status, statusReason } of providers) {
        console.log(`  ${id}: ${status}${statusReason ? ` (${statusReason})` : ''}`);
      }
      console.log('\nTried:');
      const findings = await examine(config);
      for (const each of findings) console.log(findingLine(each));
      if (findings.some(({ isWell }) => !isWell)) process.exitCode = 1;
    } catch (error) {
      const known = error instanceof ConfigError ? error.message : databaseStartFailure(error);
      if (known === undefined) throw error;
      console.error(known);
      process.exitCode = 1;
    }
  });

program
  .command('rewrap')
  .description('Seals all anew under GW_SECRET that is sealed under GW_SECRET_PREVIOUS.')
  .action(async () => {
    const config = readConfig();
    requireLastStep(config);
    const { DATABASE_URL, DATABASE_MIGRATION_URL, dataDir, secret, otherSecrets } = config;
    const at = { databaseUrl: DATABASE_URL, migrationUrl: DATABASE_MIGRATION_URL };
    const database = await connectDatabase({ ...at, dataDir, secret, otherSecrets });
    try {
      const keyring = new Keyring({ secret, otherSecrets });
      const left = await rewrap(database.platformPool, keyring, (line) => console.log(line));
      if (left.sealed > 0) process.exitCode = 1;
    } finally {
      await database.stop();
    }
  });

program
  .command('books')
  .description('Reads the books of all organizations whole, and names each place that is wrong.')
  .action(async () => {
    const { DATABASE_URL, DATABASE_MIGRATION_URL, dataDir, secret, otherSecrets } = readConfig();
    const at = { databaseUrl: DATABASE_URL, migrationUrl: DATABASE_MIGRATION_URL };
    const database = await connectDatabase({ ...at, dataDir, secret, otherSecrets });
    try {
      const { platformPool } = database;
      const keys = await keysOfAllTimes(platformPool);
      const found = await checkFully(platformPool, () => logFindings(platformPool, keys));
      for (const { tenantId, invariant, subject, detail } of found) {
        console.error(`${invariant}: ${subject} of ${tenantId}: ${detail}`);
      }
      console.log(found.length === 0 ? 'The books hold.' : `${found.length} places are wrong.`);
      if (found.length > 0) process.exitCode = 1;
    } finally {
      await database.stop();
    }
  });

program
  .command('retention')
  .description(
    'Exports and drops months of usage and events; says what it would do without --apply.',
  )
  .requiredOption('--before <month>', 'months that end before this one begins, as 2025-01')
  .option('--tables <list>', 'of usage, events and ledger', 'usage,events')
  .option('--export <folder>', 'where each month is written to before it is dropped')
  .option('--apply', 'do it')
  .option('--keep-usage <months>', 'whole months of usage that stay', String(MONTHS_KEPT.usage))
  .option('--keep-events <months>', 'whole months of events that stay', String(MONTHS_KEPT.events))
  .option('--without-close', 'also months that organizations have not closed, and then never can')
  .action(async (options: RetentionOptions) => {
    try {
      const isWhole = await runRetention(readConfig(), options, (line) => console.log(line));
      if (!options.apply) console.log('Nothing was changed; --apply does it.');
      if (!isWhole) process.exitCode = 1;
    } catch (error) {
      console.error((error as Error).message);
      process.exitCode = 1;
    }
  });
