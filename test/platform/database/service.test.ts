import { afterEach, describe, expect, it, vi } from 'vitest';
import { migrate } from '../../../src/platform/database/migrate.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { freshDatabase, serviceDatabase, serviceRedisUrl } from '../../support/database.js';

afterEach(() => vi.unstubAllEnvs());

const migrations = `${projectRoot()}/prisma/migrations`;

describe('the databases of tests', () => {
  it('are migrated copies, each of its own', async () => {
    const both = await Promise.all([freshDatabase(), freshDatabase()]);
    const applied = await Promise.all(both.map((one) => migrate(one.connection, migrations)));
    for (const one of both) await one.drop();
    expect(applied).toEqual([[], []]);
    expect(both[0]?.databaseUrl).not.toBe(both[1]?.databaseUrl);
  });

  it('are migrated on a server of the environment when there is one', async (context) => {
    const database = await serviceDatabase();
    if (!database) return context.skip('no PostgreSQL server can be reached');
    const applied = await migrate(database.connection, migrations);
    await database.drop();
    expect(applied).toEqual([]);
  });

  it('are left out without a server, and fail for the lack of one on CI', async () => {
    vi.stubEnv('TEST_DATABASE_URL', 'postgresql://postgres@127.0.0.1:1/postgres');
    vi.stubEnv('TEST_REDIS_URL', 'redis://127.0.0.1:1');
    vi.stubEnv('CI', '');
    expect([await serviceDatabase(), await serviceRedisUrl()]).toEqual([undefined, undefined]);
    vi.stubEnv('CI', 'true');
    await expect(serviceDatabase()).rejects.toThrow('PostgreSQL at 127.0.0.1:1 cannot be reached');
    await expect(serviceRedisUrl()).rejects.toThrow('Redis at 127.0.0.1:1 cannot be reached');
  });
});
