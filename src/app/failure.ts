import { ConfigError } from '../platform/config.js';
import { MigrationError } from '../platform/database/migrate.js';
import { databaseStartFailure } from '../platform/database/start-failure.js';

/** A start that failed in another process, which has said why. */
export class StartFailure extends Error {}

const EXPECTED = [ConfigError, MigrationError, StartFailure];

/** What is wrong with settings, database or data, with what helps; undefined for faults of ours. */
export function causeOf(error: unknown): string | undefined {
  const isExpected = EXPECTED.some((kind) => error instanceof kind);
  return isExpected ? (error as Error).message : databaseStartFailure(error);
}
