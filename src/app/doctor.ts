import { randomUUID } from 'node:crypto';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type Config, ConfigError } from '../platform/config.js';
import { redisRefusal } from '../platform/counters/redis-refusal.js';
import { connectionOfUrl, onceConnected } from '../platform/database/connection.js';
import { startEmbedded } from '../platform/database/embedded.js';
import { requireSecretOf } from '../platform/database/sealed-data.js';
import { databaseStartFailure } from '../platform/database/start-failure.js';
import { makeFolder } from '../platform/folders.js';
import type { GivenSecrets } from '../platform/keyring.js';
import { requireReadable } from '../records/months.js';
import { lookAtProviders } from './doctor-providers.js';
import { listeningFailure } from './listening-failure.js';

/** What one thing that a gateway needs is found to be. */
export interface Finding {
  readonly name: string;
  readonly isWell: boolean;
  /** What was found, or what is wrong and what helps; one line without secrets. */
  readonly words: string;
}

type Look = (config: Config) => Promise<string>;

const ANSWER_MS_MAX = 5_000;
const MEBIBYTE = 1_048_576;
const FREE_MEBIBYTES_MIN = 512;

const LOOKS: Readonly<Record<string, Look>> = {
  'data folder': lookAtDataFolder,
  database: lookAtDatabase,
  'migrating login': lookAtMigratingLogin,
  months: lookAtMonths,
  redis: lookAtRedis,
  port: lookAtPort,
  witnesses: lookAtWitnesses,
};

/**
 * Tries everything that a start with this configuration needs, and changes nothing but an empty
 * data folder, in which the embedded database is made. Each look is bounded in time.
 */
export async function examine(config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, look] of Object.entries(LOOKS)) {
    const isAway = findings.some((each) => each.name === 'database' && !each.isWell);
    if (name === 'months' && isAway) continue;
    findings.push(await finding(name, () => look(config)));
  }
  const looks = lookAtProviders(config).map(({ name, look }) => finding(name, look));
  return [...findings, ...(await Promise.all(looks))];
}

/** A finding as a line. */
export function findingLine({ name, isWell, words }: Finding): string {
  return `  ${isWell ? 'ok  ' : 'FAIL'}  ${name}: ${words}`;
}

async function finding(name: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { name, isWell: true, words: await look() };
  } catch (error) {
    return { name, isWell: false, words: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  const known = error instanceof ConfigError ? error.message : databaseStartFailure(error);
  const [line = ''] = (known ?? (error as Error).message).split('\n');
  return line;
}

async function lookAtDataFolder({ dataDir }: Config): Promise<string> {
  makeFolder(dataDir);
  const trial = join(dataDir, `doctor.${randomUUID()}`);
  try {
    writeFileSync(trial, 'written by the doctor', { flush: true });
  } finally {
    rmSync(trial, { force: true });
  }
  const { bavail, bsize } = statfsSync(dataDir);
  const free = Math.floor((bavail * bsize) / MEBIBYTE);
  if (free < FREE_MEBIBYTES_MIN) {
    throw new ConfigError(`${dataDir} has ${free} MiB left; make room for ${FREE_MEBIBYTES_MIN}`);
  }
  return `${dataDir} is written to; ${free} MiB are free`;
}

async function lookAtDatabase(config: Config): Promise<string> {
  const { DATABASE_URL: url, dataDir } = config;
  if (url) return `${await serverOf(url, config)}, of DATABASE_URL`;
  const embedded = await startEmbedded(join(dataDir, 'postgres'));
  try {
    const shared = embedded.owner ? '' : ', which a gateway runs at the moment';
    return `${await versionAt(embedded.connection, config)}, embedded in the data folder${shared}`;
  } finally {
    await embedded.stop();
  }
}

const MONTHS = `SELECT to_regclass('public.month_partition') IS NOT NULL AS made`;
const MADE_UNTIL = `SELECT min(until)::text AS until, min(until) > current_date AS "isAhead"
  FROM (SELECT max(until_month) AS until FROM month_partition GROUP BY of_table) each`;

/** Whether the months of usage and events are made for today; a start makes the next ones. */
async function lookAtMonths({ DATABASE_URL: url, dataDir }: Config): Promise<string> {
  const embedded = url ? undefined : await startEmbedded(join(dataDir, 'postgres'));
  const connection = embedded?.connection ?? {
    ...connectionOfUrl(url ?? ''),
    connectionTimeoutMillis: ANSWER_MS_MAX,
  };
  try {
    return await onceConnected({ ...connection, query_timeout: ANSWER_MS_MAX }, async (client) => {
      const { rows: known } = await client.query<{ made: boolean }>(MONTHS);
      if (known[0]?.made !== true) return 'are made by the first start';
      await requireReadable(client);
      type Made = { readonly until: string; readonly isAhead: boolean };
      const { rows } = await client.query<Made>(MADE_UNTIL);
      const [{ until, isAhead } = { until: 'never', isAhead: false }] = rows;
      if (isAhead) return `of usage and events are made until ${until}`;
      throw new ConfigError(`of usage and events end on ${until}; a start makes the next ones`);
    });
  } finally {
    await embedded?.stop();
  }
}

async function lookAtMigratingLogin(config: Config): Promise<string> {
  const { DATABASE_MIGRATION_URL: url } = config;
  if (!url) return 'is that of the database';
  try {
    return `${await serverOf(url, config)}, of DATABASE_MIGRATION_URL`;
  } catch (error) {
    // Of this one the words must name the setting that is to be corrected.
    throw new ConfigError(reasonOf(error).replaceAll('DATABASE_URL', 'DATABASE_MIGRATION_URL'));
  }
}

function serverOf(url: string, secrets: GivenSecrets): Promise<string> {
  return versionAt({ ...connectionOfUrl(url), connectionTimeoutMillis: ANSWER_MS_MAX }, secrets);
}

type Connection = Parameters<typeof onceConnected>[0];

/** Which server answers, and that what it holds was sealed under this secret. */
async function versionAt(connection: Connection, secrets: GivenSecrets): Promise<string> {
  await requireSecretOf(connection, secrets);
  return onceConnected({ ...connection, query_timeout: ANSWER_MS_MAX }, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return `PostgreSQL ${rows[0]?.server_version} answers`;
  });
}

async function lookAtRedis({ REDIS_URL: url }: Config): Promise<string> {
  if (!url) return 'is not used; each node counts limits for itself, which is right for one node';
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: ANSWER_MS_MAX,
    commandTimeout: ANSWER_MS_MAX,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let said: Error | undefined;
  redis.on('error', (error) => {
    said = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    return 'answers';
  } catch (thrown) {
    const error = said ?? thrown;
    const reason = (error as { code?: string }).code ?? (error as Error).message;
    const away = `the Redis of REDIS_URL cannot be reached (${reason})`;
    throw new ConfigError(redisRefusal(error) ?? `${away}; start it or correct REDIS_URL`);
  } finally {
    redis.disconnect();
  }
}

/** Who cosigns published logs. Nobody is called: a witness answers only what a log has signed. */
async function lookAtWitnesses({ witnesses }: Config): Promise<string> {
  if (witnesses.length === 0) return 'none are listed; nobody outside cosigns published logs';
  const said = witnesses.map(({ name, url }) =>
    url === undefined ? `${name}, which brings its cosignatures` : `${name}, asked at ${url}`,
  );
  return said.join('; ');
}

/** A port on which a gateway answers is that of the very gateway that is examined. */
async function lookAtPort({ PORT, HOST }: Config): Promise<string> {
  const failure = await failureToListen(PORT, HOST);
  if (failure === undefined) return `${PORT} is free`;
  const isAlive = failure.code === 'EADDRINUSE' && (await isGateway(PORT));
  if (isAlive) return `${PORT} is served by a gateway already`;
  throw listeningFailure(failure, { PORT, HOST }) ?? failure;
}

function failureToListen(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

async function isGateway(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const answer = await fetch(`http://127.0.0.1:${port}/livez`, { signal });
    return ((await answer.json()) as { status?: unknown }).status === 'alive';
  } catch {
    return false;
  }
}
