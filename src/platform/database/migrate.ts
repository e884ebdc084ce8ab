import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inUtc, onceConnected } from './connection.js';
import { actAsOwner } from './roles.js';

/** The advisory lock that Prisma Migrate takes too, so that the two never run at the same time. */
const PRISMA_MIGRATE_LOCK = 72_707_369;

/** The table of Prisma Migrate, column for column: its command line reads what is written here. */
const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

/** The database cannot be brought to the state that this version of the gateway needs. */
export class MigrationError extends Error {
  /** The name of the migration's folder. */

  constructor(
    readonly migration: string,
    message: string,
    cause?: unknown,
  ) {
    super(`migration ${migration} ${message}`, { cause });
    this.name = 'MigrationError';
  }
}

/** One file of changes to the database. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** sha256 of the file in hexadecimal, as Prisma computes it. */
  readonly checksum: string;
}

interface Row {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
  readonly rolled_back_at: Date | null;
  readonly logs: string | null;
}

/**
 * Applies what is new in `<folder>/<name>/migration.sql`, in the order of the names, and returns
 * the names that were applied. Each migration and its record are one transaction: a process that
 * dies half way leaves nothing of it behind. An index that is built while others write is made by
 * itself, and begun anew where it was not finished. Callers that come at the same time wait for the
 * first.
 * Whoever logs in, the owner role runs them and owns what they make.
 * @throws MigrationError when a file was edited after it landed, when its SQL fails, or when an
 *   earlier run outside of this function has left a migration unfinished
 */
export async function migrate(
  connection: pg.ClientConfig,
  folder: string,
): Promise<readonly string[]> {
  const migrations = readMigrations(folder);
  // The lock belongs to the session and goes with it.
  return onceConnected(inUtc(connection), async (client) => {
    await lock(client);
    await actAsOwner(client);
    await client.query(CREATE_TABLE);
    return applyNew(client, migrations);
  });
}

const LOCK_WAIT_MS = 100;

/**
 * Whoever waited inside of a statement would have a snapshot, and an index that is built while
 * others write waits for the end of all snapshots: the two would wait for each other.
 */
async function lock(client: pg.Client): Promise<void> {
  for (;;) {
    const asked = 'SELECT pg_try_advisory_lock($1) AS locked';
    const { rows } = await client.query<{ locked: boolean }>(asked, [PRISMA_MIGRATE_LOCK]);
    if (rows[0]?.locked) return;
    await sleep(LOCK_WAIT_MS);
  }
}

/** The migrations of a folder in their order. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

async function applyNew(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  const landed = await readLanded(client);
  const applied: string[] = [];
  const last = migrations.findLast(({ name }) => !landed.has(name));
  for (const migration of migrations) {
    const checksum = landed.get(migration.name);
    if (checksum === undefined) {
      await apply(client, migration, migration === last);
      applied.push(migration.name);
    } else if (checksum !== migration.checksum) {
      throw new MigrationError(
        migration.name,
        'was edited after it was applied; restore its file and put the change in a new migration',
      );
    }
  }
  return applied;
}

/** Checksums by name of what is in force. */
async function readLanded(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<Row>(
    `SELECT migration_name, checksum, finished_at, rolled_back_at, logs
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  const unfinished = rows.find((row) => row.finished_at === null);
  if (unfinished) {
    throw new MigrationError(
      unfinished.migration_name,
      'was begun and not finished; look at the database, then run ' +
        `"npx prisma migrate resolve" for it. ${unfinished.logs ?? ''}`.trimEnd(),
    );
  }
  return new Map(rows.map((row) => [row.migration_name, row.checksum]));
}

/**
 * The commit of the last one waits for the disk, and with it for all that came before: a machine
 * that stops half way loses migrations from the end, which the next start applies.
 */
const BEGIN_WITHOUT_WAIT = 'BEGIN; SET LOCAL synchronous_commit = off';

const RECORD = `INSERT INTO _prisma_migrations
    (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
  VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`;

/** A migration that is one index, built while the nodes of the former release go on writing. */
const CONCURRENTLY = /^(?:--.*\n)*CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?<index>\w+) /;

/** Ended by the server, since nodes at work had the locks of both in another order. */
const DEADLOCK = '40P01';
const TRIES_MAX = 5;

async function apply(client: pg.Client, migration: Migration, isLast: boolean): Promise<void> {
  const values = [randomUUID(), migration.checksum, migration.name];
  try {
    const index = CONCURRENTLY.exec(migration.sql)?.groups?.index;
    for (let tries = 1; ; tries += 1) {
      const failure =
        index === undefined
          ? await applyOnce(client, migration, isLast, values)
          : await buildOnce(client, migration, index, values);
      if (failure === undefined) return;
      if (failure.code !== DEADLOCK || tries === TRIES_MAX) throw failure;
      await client.query('ROLLBACK');
    }
  } catch (error) {
    const message = messageOf(error, migration.sql);
    await recordFailure(client, values, message).catch(() => {});
    throw new MigrationError(migration.name, `failed and was rolled back: ${message}`, error);
  }
}

/** @returns what the database has refused it for */
async function applyOnce(
  client: pg.Client,
  { sql }: Migration,
  isLast: boolean,
  values: readonly string[],
): Promise<pg.DatabaseError | undefined> {
  try {
    await client.query(isLast ? 'BEGIN' : BEGIN_WITHOUT_WAIT);
    await client.query(sql);
    await client.query(RECORD, [...values]);
    await client.query('COMMIT');
    return undefined;
  } catch (error) {
    return refusal(error);
  }
}

/** Such an index cannot be built in a transaction, and is left invalid where that failed. */
async function buildOnce(
  client: pg.Client,
  { sql }: Migration,
  index: string,
  values: readonly string[],
): Promise<pg.DatabaseError | undefined> {
  try {
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
    await client.query(sql);
    await client.query(RECORD, [...values]);
    return undefined;
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): pg.DatabaseError {
  if (error instanceof pg.DatabaseError) return error;
  throw error;
}

/** The failure stays in the table for whoever looks; the next start tries the migration again. */
async function recordFailure(client: pg.Client, values: string[], logs: string): Promise<void> {
  await client.query('ROLLBACK');
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs, rolled_back_at)
     VALUES ($1, $2, $3, $4, now())`,
    [...values, logs],
  );
}

function messageOf(error: unknown, sql: string): string {
  if (!(error instanceof pg.DatabaseError)) return String(error);
  const position = Number(error.position ?? 0);
  const place = position > 0 ? ` (line ${sql.slice(0, position).split('\n').length})` : '';
  const detail = error.detail ? ` ${error.detail}` : '';
  return `${error.message}${place}${detail}`;
}
