import { type Config, ConfigError } from '../../platform/config.js';
import { connectionOfUrl, inUtc, onceConnected } from '../../platform/database/connection.js';
import { connectDatabase } from '../../platform/database/pool.js';
import { actAsOwner } from '../../platform/database/roles.js';
import { MONTHS_KEPT_MIN, requireReadable } from '../../records/months.js';
import { retain, type Tell } from './retention.js';

/** The options of the command, as they are typed. */
export interface RetentionOptions {
  readonly before: string;
  readonly tables: string;
  readonly export?: string;
  readonly apply?: boolean;
  readonly keepUsage: string;
  readonly keepEvents: string;
  readonly withoutClose?: boolean;
}

const KEPT_MAX = 1_200;

function monthsOf(word: keyof typeof MONTHS_KEPT_MIN, typed: string): number {
  const months = Number(typed);
  const min = MONTHS_KEPT_MIN[word];
  if (Number.isInteger(months) && months >= min && months <= KEPT_MAX) return months;
  throw new ConfigError(
    `--keep-${word} ${typed} is no number of months from ${min} to ${KEPT_MAX}`,
  );
}

/**
 * Exports and drops months as the role that owns the tables, or says what would be done.
 * @returns true where nothing that was asked for must stay
 */
export async function runRetention(
  { DATABASE_URL, DATABASE_MIGRATION_URL, dataDir, secret, otherSecrets }: Config,
  options: RetentionOptions,
  tell: Tell,
): Promise<boolean> {
  const { keepUsage, keepEvents, before, tables, apply = false, withoutClose = false } = options;
  const monthsKept = {
    usage: monthsOf('usage', keepUsage),
    events: monthsOf('events', keepEvents),
  };
  const at = { databaseUrl: DATABASE_URL, migrationUrl: DATABASE_MIGRATION_URL };
  const database = await connectDatabase({ ...at, dataDir, secret, otherSecrets });
  try {
    const url = DATABASE_MIGRATION_URL ?? DATABASE_URL ?? '';
    const connection = database.embedded?.connection ?? connectionOfUrl(url);
    return await onceConnected(inUtc(connection), async (owner) => {
      await actAsOwner(owner);
      await requireReadable(owner);
      const { rows } = await owner.query<{ month: string }>(
        `SELECT to_char(month_of(clock_timestamp()), 'YYYY-MM') AS month`,
      );
      const thisMonth = rows[0]?.month ?? before;
      const asked = { before, tables: tables.split(','), folder: options.export, apply };
      const terms = { monthsKept, withoutClose, thisMonth };
      return retain(owner, { ...asked, ...terms }, tell);
    });
  } finally {
    await database.stop();
  }
}
