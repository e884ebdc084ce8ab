import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { Keyring } from '../../src/platform/keyring.js';
import { erase } from '../access/personal-data/samples.js';
import { type Customer, newCustomer } from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../support/gateway-process.js';
import { type Books, openBooks } from './books.js';
import { type Folder, newFolder } from './providers.js';
import { faultsOfSealing, readSealedRows } from './sealed-rows.js';
import {
  newSealedWorld,
  SEALED_WRITES,
  type SealedWorld,
  type SealedWrite,
  steadyWriters,
  writeSealed,
} from './sealed-writes.js';

const [OLD, NEW] = ['the old secret of the tests, long', 'the new secret of the tests, long'];
const BOTH = { secret: NEW, otherSecrets: [OLD] };
const ORGANIZATIONS = 4;
const TEST_MS_MAX = 60_000;
const PATIENT = { timeout: 20_000, interval: 20 };

let folder: Folder;
let database: TestDatabase;
let books: Books;
let gateway: GatewayProcess;
let worlds: readonly SealedWorld[];
const written = new Map<Customer, SealedWrite[]>();
const running = new Set<ChildProcess>();

/** Settings of a process whose secret in force is the new one, as the rewrap needs them. */
function settings(): NodeJS.ProcessEnv {
  return {
    GW_DATA_DIR: folder.path,
    DATABASE_URL: database.databaseUrl,
    GW_SECRET: NEW,
    GW_SECRET_PREVIOUS: OLD,
  };
}

beforeAll(async () => {
  folder = newFolder();
  database = await freshDatabase();
  books = openBooks(database.connection);
  gateway = await startGateway({ ...settings(), GW_SECRET: OLD, GW_SECRET_PREVIOUS: NEW });
  worlds = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, async () =>
      newSealedWorld(gateway, await newCustomer(gateway)),
    ),
  );
  for (const world of worlds) {
    const all = SEALED_WRITES.map((kind) => writeSealed(gateway, world, kind));
    written.set(world.customer, await Promise.all(all));
  }
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await killGateways();
  await books.close();
  await database.drop();
  folder.remove();
});

interface Rewrapping {
  readonly child: ChildProcess;
  /** @returns the exit code, null when a signal ended it, and what it said */
  ended(): Promise<{ readonly code: number | null; readonly output: string }>;
}

/** `npm run rewrap` as a process of its own. */
function startRewrap(): Rewrapping {
  const child = spawn(process.execPath, ['tools/command.mjs', 'rewrap'], {
    cwd: projectRoot(),
    env: { PATH: process.env.PATH, NODE_ENV: 'test', LOG_LEVEL: 'warn', ...settings() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part: Buffer) => {
      output += part.toString();
    });
  }
  const closed = once(child, 'close');
  return {
    child,
    async ended() {
      const [code] = (await closed) as [number | null];
      running.delete(child);
      return { code, output };
    },
  };
}

const KEYS = `SELECT encode(wrapping_key_id, 'hex') AS secret FROM tenant_data_key
  ORDER BY id::text`;
const NEXT = `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
  AND wait_event_type = 'Lock' AND query LIKE 'UPDATE%SET%'`;

/** Which secret each data key is wrapped under, in the order in which they are wrapped anew. */
async function secrets(): Promise<(string | null)[]> {
  const { rows } = await books.pool.query<{ secret: string | null }>(KEYS);
  const names = new Map([OLD, NEW].map((secret) => [new Keyring({ secret }).id, secret]));
  return rows.map(({ secret }) => (secret === null ? null : (names.get(secret) ?? secret)));
}

/** Starts the rewrap, and ends it in its way where it has come to a row that is held. */
async function interruptedAt(
  row: string,
  end: (rewrapping: Rewrapping, pid: number) => Promise<unknown>,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const held = await books.pool.connect();
  try {
    await held.query('BEGIN');
    expect((await held.query(row)).rowCount).toBe(1);
    const rewrapping = startRewrap();
    let pid = 0;
    await expect
      .poll(async () => {
        pid = (await books.pool.query<{ pid: number }>(NEXT)).rows[0]?.pid ?? 0;
        return pid;
      }, PATIENT)
      .toBeGreaterThan(0);
    await end(rewrapping, pid);
    return await rewrapping.ended();
  } finally {
    held.release(true);
  }
}

/** What nobody may lose: every value opens, and organizations go on by either secret. */
async function nothingIsLost(): Promise<void> {
  expect((await readSealedRows(books.pool, BOTH)).faults).toEqual([]);
  for (const world of worlds) {
    const before = written.get(world.customer) ?? [];
    const one = await writeSealed(gateway, world, 'tool call');
    const faults = await faultsOfSealing(
      books.pool,
      gateway,
      world.customer,
      [...before, one],
      BOTH,
    );
    expect([one.isDone, faults]).toEqual([true, []]);
  }
}

const keyAt = (place: number) => `SELECT FROM tenant_data_key WHERE id =
  (SELECT id FROM tenant_data_key ORDER BY id::text LIMIT 1 OFFSET ${place}) FOR UPDATE`;

/** How a rewrap ends before its time, and the code that its process ends with. */
const ENDS: Readonly<Record<string, (rewrapping: Rewrapping, pid: number) => Promise<unknown>>> = {
  killed: async ({ child }) => child.kill('SIGKILL'),
  'cut off from the database': (_rewrapping, pid) =>
    books.pool.query('SELECT pg_terminate_backend($1)', [pid]),
};

describe('a rewrap that is ended in the midst of its work', () => {
  it.each(Object.entries(ENDS).map(([how, end], index) => [how, index + 1, end] as const))(
    'as it is %s leaves each key under a secret that opens it',
    async (_how, place, end) => {
      const { code } = await interruptedAt(keyAt(place), end);
      expect(code).not.toBe(0);
      // Its last statement may still have been done by the server when nobody waited for it.
      const under = await secrets();
      expect([new Set(under.slice(0, place)), new Set(under.slice(place + 1))]).toEqual([
        new Set([NEW]),
        new Set([OLD]),
      ]);
      await nothingIsLost();
    },
    TEST_MS_MAX,
  );

  it(
    'at the signing keys has wrapped all data keys, and the nodes serve on',
    async () => {
      const row = 'SELECT FROM signing_key ORDER BY kid LIMIT 1 FOR UPDATE';
      const { code } = await interruptedAt(row, async ({ child }) => child.kill('SIGKILL'));
      expect([code, new Set(await secrets())]).toEqual([null, new Set([NEW])]);
      await nothingIsLost();
    },
    TEST_MS_MAX,
  );
});

describe('a rewrap beside writers and an erasure', () => {
  it(
    'ends at the first run, brings nothing back, and the new secret alone opens the rest',
    async () => {
      const [first, second] = worlds as [SealedWorld, SealedWorld];
      await erase({ url: gateway.url, owner: books }, first.customer);
      written.delete(first.customer);
      // Its next key, which is under the old secret, since that is in force on the gateway.
      expect(await writeSealed(gateway, first, 'tool call')).toMatchObject({ isDone: true });
      expect(new Set(await secrets())).toEqual(new Set([null, NEW, OLD]));
      await gateway.terminate();
      gateway = await startGateway(settings());
      const writers = [first, second].map((world) => steadyWriters(gateway, world));
      const rewrapping = startRewrap();
      const erasing = erase({ url: gateway.url, owner: books }, second.customer);
      const { code, output } = await rewrapping.ended();
      expect((await erasing).data.organizationPersonalDataErase?.keysErased).toBe(1);
      await Promise.all(writers.map((each) => each.end()));
      expect([code, output]).toEqual([0, expect.stringContaining('were sealed anew')]);
      expect(new Set(await secrets())).toEqual(new Set([null, NEW]));
      await gateway.terminate();
      gateway = await startGateway({ ...settings(), GW_SECRET_PREVIOUS: '' });
      written.delete(second.customer);
      expect((await readSealedRows(books.pool, { secret: NEW })).faults).toEqual([]);
      for (const [customer, all] of written) {
        const alone = { secret: NEW };
        expect(await faultsOfSealing(books.pool, gateway, customer, all, alone)).toEqual([]);
      }
    },
    TEST_MS_MAX,
  );
});
