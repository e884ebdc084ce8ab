import type { TestDatabase } from '../support/database.js';
import { serviceDatabase, serviceRedisUrl } from '../support/database.js';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';
import { startUpstreamDouble, type UpstreamDouble } from '../support/upstream-double.mjs';
import { type Books, openBooks } from './books.js';
import { type Folder, newFolder, writeProviders } from './providers.js';

/** Two gateways of one installation on the services of the environment. */
export interface TwoNodes {
  readonly first: GatewayProcess;
  readonly second: GatewayProcess;
  readonly double: UpstreamDouble;
  readonly books: Books;
  close(): Promise<void>;
}

/** PostgreSQL and Redis of the environment; undefined without both, which fails on CI. */
export async function services(): Promise<
  { readonly database: TestDatabase; readonly redisUrl: string } | undefined
> {
  const redisUrl = await serviceRedisUrl();
  const database = redisUrl === undefined ? undefined : await serviceDatabase();
  return redisUrl !== undefined && database ? { database, redisUrl } : undefined;
}

/**
 * Starts both. The model `own/model` costs one ruble for each answer token and nothing for the
 * prompt; each answer has one token, so with max_tokens 1 a request holds and costs one ruble.
 */
export async function startTwoNodes({
  database,
  redisUrl,
}: {
  readonly database: TestDatabase;
  readonly redisUrl: string;
}): Promise<TwoNodes> {
  const double = await startUpstreamDouble();
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  double.script('own', { text: 'Да', usage });
  const folders = [newFolder(), newFolder()] as const;
  const lane = { lane: 'own', model: 'own/model', inputRub: 0, outputRub: 1_000_000 };
  const start = (folder: Folder) =>
    startGateway({
      GW_DATA_DIR: folder.path,
      DATABASE_URL: database.databaseUrl,
      REDIS_URL: redisUrl,
      GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [lane]),
    });
  const [first, second] = await Promise.all([start(folders[0]), start(folders[1])]);
  const books = openBooks(database.connection);
  return {
    first,
    second,
    double,
    books,
    async close() {
      await Promise.all([first.terminate(), second.terminate()]);
      await books.close();
      await double.close();
      await database.drop();
      for (const folder of folders) folder.remove();
    },
  };
}

/** A request that holds and costs one ruble. */
export const ONE_RUBLE = {
  model: 'own/model',
  max_tokens: 1,
  messages: [{ role: 'user', content: 'Да или нет?' }],
} as const;
