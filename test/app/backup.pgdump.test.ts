import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectionOfUrl, onceConnected } from '../../src/platform/database/connection.js';
import { openBooks } from '../faults/books.js';
import { type Folder, newFolder } from '../faults/providers.js';
import { newCustomer, rest } from '../support/app.js';
import { serviceDatabase } from '../support/database.js';
import { killGateways, startGateway } from '../support/gateway-process.js';

const TEST_MS_MAX = 120_000;
const BODY = { model: 'sandbox/gw-mini', messages: [{ role: 'user', content: 'Hello' }] };

const database = await serviceDatabase();
let folder: Folder;
let restoredUrl: string;
let restoredName: string;

/** Runs statements on the database that the other one was made beside. */
async function beside(...statements: readonly string[]): Promise<void> {
  await onceConnected(connectionOfUrl(database?.databaseUrl ?? ''), async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

describe.skipIf(database === undefined)('a backup by pg_dump', () => {
  beforeAll(async () => {
    folder = newFolder();
    const url = new URL(database?.databaseUrl ?? '');
    restoredName = `${url.pathname.slice(1)}_restored`;
    url.pathname = `/${restoredName}`;
    restoredUrl = url.toString();
    await beside(`CREATE DATABASE ${restoredName}`);
  });
  afterAll(async () => {
    await killGateways();
    await onceConnected(connectionOfUrl(database?.databaseUrl ?? ''), async (client) => {
      const sql = 'SELECT oid FROM pg_database WHERE datname = $1';
      const { rows } = await client.query<{ oid: number }>(sql, [restoredName]);
      await client.query(`DROP DATABASE ${restoredName} WITH (FORCE)`);
      for (const { oid } of rows) {
        await client.query(`DROP ROLE IF EXISTS gw_app_${oid}, gw_platform_${oid}`);
      }
    });
    await database?.drop();
    folder.remove();
  });

  it(
    'is restored with books that agree, keys that work and the very rows of the ledger',
    async () => {
      const url = database?.databaseUrl ?? '';
      const gateway = await startGateway({
        GW_DATA_DIR: join(folder.path, 'first'),
        DATABASE_URL: url,
      });
      const { key } = await newCustomer(gateway, 100);
      const ask = (to: { readonly url: string }) =>
        rest(to, 'POST', '/v1/chat/completions', { credential: key, body: BODY });
      expect((await ask(gateway)).status).toBe(200);
      const ledger = (await rest(gateway, 'GET', '/billing/ledger', { credential: key })).body;
      expect(await gateway.terminate()).toBe(0);

      const dump = join(folder.path, 'gw.dump');
      execFileSync('pg_dump', ['--format=custom', `--file=${dump}`, url]);
      execFileSync('pg_restore', ['--exit-on-error', `--dbname=${restoredUrl}`, dump]);

      const restored = await startGateway({
        GW_DATA_DIR: join(folder.path, 'second'),
        DATABASE_URL: restoredUrl,
      });
      const same = await rest(restored, 'GET', '/billing/ledger', { credential: key });
      expect(same.body).toEqual(ledger);
      expect((await ask(restored)).status).toBe(200);
      expect(await restored.terminate()).toBe(0);
      const books = openBooks(connectionOfUrl(restoredUrl));
      expect(await books.violations()).toEqual([]);
      const { ledgerMicro, usageMicro } = await books.sums();
      expect(ledgerMicro).toBe(usageMicro);
      expect(ledgerMicro).toBeGreaterThan(0n);
      await books.close();
    },
    TEST_MS_MAX,
  );
});
