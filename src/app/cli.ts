import { Command } from 'commander';
import { loadRegistry } from '../catalog/providers/registry.js';
import { ConfigError, describeConfig, readConfig } from '../platform/config.js';
import { documents } from './description.js';
import { loadRestTable } from './rest.js';
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
  .description('Prints the effective configuration with secrets masked, and every fault of it.')
  .action(() => {
    try {
      const config = readConfig();
      console.log(describeConfig(config).join('\n'));
      const { providers } = loadRegistry(config);
      console.log('\nProviders:');
      for (const { id, status, statusReason } of providers) {
        console.log(`  ${id}: ${status}${statusReason ? ` (${statusReason})` : ''}`);
      }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      console.error(error.message);
      process.exitCode = 1;
    }
  });
