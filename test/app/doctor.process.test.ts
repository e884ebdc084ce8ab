import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTokenIssuer } from '../../src/access/auth/tokens.js';
import { examine, findingLine } from '../../src/app/doctor.js';
import { runRetention } from '../../src/app/retention/command.js';
import { readConfig } from '../../src/platform/config.js';
import { onceConnected } from '../../src/platform/database/connection.js';
import { connectDatabase } from '../../src/platform/database/pool.js';
import { Keyring } from '../../src/platform/keyring.js';
import { newWitness } from '../assurance/transparency/witness.js';
import { writeProviders } from '../faults/providers.js';
import { writeConnection } from '../inference/upstream/connected.js';
import { selfSignedCertificate } from '../support/certificate.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { startTlsFront } from '../support/tls-front.js';

const FREE = '127.0.0.1';
let folder: string;
let database: TestDatabase;
let taken: Server;
let port: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gw-doctor-'));
  database = await freshDatabase();
  taken = createServer((socket) => socket.end());
  await once(taken.listen(0, FREE), 'listening');
  port = (taken.address() as AddressInfo).port;
});
afterAll(async () => {
  taken.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function linesFor(settings: NodeJS.ProcessEnv): Promise<string[]> {
  const environment = { GW_SECRET: 'x'.repeat(32), GW_DATA_DIR: folder, HOST: FREE, ...settings };
  const findings = await examine(readConfig(environment));
  return findings.map((each) => findingLine(each).replaceAll(/\d+ MiB/g, 'N MiB'));
}

describe('the doctor', () => {
  it('tries everything, and leaves nothing behind', async () => {
    const lines = await linesFor({ DATABASE_URL: database.databaseUrl, PORT: '0' });
    expect(lines).toEqual([
      `  ok    data folder: ${folder} is written to; N MiB are free`,
      expect.stringMatching(
        /^ {2}ok {4}database: PostgreSQL 18[\w. ()-]* answers, of DATABASE_URL$/,
      ),
      '  ok    migrating login: is that of the database',
      expect.stringMatching(/^ {2}ok {4}months: of usage and events are made until \d{4}-\d\d-01$/),
      '  ok    redis: is not used; each node counts limits for itself, which is right for one node',
      '  ok    port: 0 is free',
      '  ok    witnesses: none are listed; nobody outside cosigns published logs',
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says which witnesses are listed, and where they are asked', async () => {
    const [silent, asked] = [newWitness('silent.example'), newWitness('asked.example')];
    const lines = await linesFor({
      DATABASE_URL: database.databaseUrl,
      PORT: '0',
      GW_LOG_WITNESSES: `${silent.key} ${asked.key}@https://asked.example/log`,
    });
    expect(lines.at(-1)).toBe(
      '  ok    witnesses: silent.example, which brings its cosignatures; asked.example, asked at ' +
        'https://asked.example/log',
    );
  });

  it('finds that the secret is not that of the database', async () => {
    const own = await connectDatabase({
      databaseUrl: database.databaseUrl,
      dataDir: folder,
      secret: 'x'.repeat(32),
    });
    await createTokenIssuer(own.platformPool, new Keyring({ secret: 'x'.repeat(32) }), 'gw');
    await own.stop();
    const settings = { DATABASE_URL: database.databaseUrl, PORT: '0' };
    expect((await linesFor(settings))[1]).toMatch(/^ {2}ok {4}database: /);
    expect((await linesFor({ ...settings, GW_SECRET: 'y'.repeat(32) }))[1]).toBe(
      '  FAIL  database: the secret is not the one that this database was filled under; set ' +
        'GW_SECRET to that one, or put its file "secret" into GW_DATA_DIR (OPERATIONS.md, ' +
        '"Backup and restore")',
    );
  });

  it('finds a restored database that a start refuses, and so does retention', async () => {
    const [settings, own] = [
      { DATABASE_URL: database.databaseUrl, PORT: '0' },
      database.connection,
    ];
    const set = (sql: string) => onceConnected(own, (client) => client.query(sql));
    await set(`UPDATE month_partition SET dropped_at = now(), rows = 0, bytes = 0,
      sha256 = decode(repeat('00', 32), 'hex') WHERE of_table = 'usage_event'
      AND until_month = (SELECT min(until_month) FROM month_partition)`);
    await set(`INSERT INTO reader_mark (name, txid, seq) VALUES ('usage_rollup', 9e17, 1)
      ON CONFLICT (name) DO UPDATE SET txid = EXCLUDED.txid`);
    expect((await linesFor(settings))[3]).toMatch(/^ {2}FAIL {2}months: .*pg_resetwal/);
    const config = readConfig({ ...settings, GW_SECRET: 'x'.repeat(32), GW_DATA_DIR: folder });
    const asked = { before: '2020-01', tables: 'usage', keepUsage: '13', keepEvents: '3' };
    await expect(runRetention(config, asked, () => {})).rejects.toThrow('pg_resetwal');
    await set(`UPDATE reader_mark SET txid = 0`);
    expect((await linesFor(settings))[3]).toMatch(/^ {2}ok {4}months: /);
    await set(
      'UPDATE month_partition SET dropped_at = NULL, rows = NULL, bytes = NULL, sha256 = NULL',
    );
  });

  it('names each fault with what helps, and goes on to the next', async () => {
    const lines = await linesFor({
      DATABASE_URL: 'postgresql://gw:word@127.0.0.1:1/gw',
      DATABASE_MIGRATION_URL: 'postgresql://gw:word@127.0.0.1:1/gw',
      REDIS_URL: 'redis://:word@127.0.0.1:1',
      PORT: String(port),
    });
    const noDatabase =
      'the database of DATABASE_URL cannot be reached (ECONNREFUSED 127.0.0.1:1); start it, ' +
      'correct DATABASE_URL, or leave it out to use the embedded database';
    expect(lines.slice(1)).toEqual([
      `  FAIL  database: ${noDatabase}`,
      `  FAIL  migrating login: ${noDatabase.replaceAll('DATABASE_URL', 'DATABASE_MIGRATION_URL')}`,
      '  FAIL  redis: the Redis of REDIS_URL cannot be reached (ECONNREFUSED); start it ' +
        'or correct REDIS_URL',
      `  FAIL  port: port ${port} is in use by another process; end it, or set PORT`,
      expect.stringMatching(/^ {2}ok {4}witnesses: /),
    ]);
    expect(lines.join()).not.toContain('word');
  });

  it('opens a connection to each provider that would be called', async () => {
    const place = { path: folder, remove: () => {} };
    const fileFor = (origin: string) =>
      writeProviders(place, origin, [{ lane: 'own', model: 'own/model' }]);
    const wordsFor = async (origin: string) =>
      (
        await linesFor({ DATABASE_URL: database.databaseUrl, GW_PROVIDERS_FILE: fileFor(origin) })
      ).at(-1);
    const origin = `http://127.0.0.1:${port}`;
    expect(await wordsFor(origin)).toBe(`  ok    provider own: ${origin} is reached`);
    expect(await wordsFor('http://127.0.0.1:1')).toBe(
      '  FAIL  provider own: http://127.0.0.1:1 cannot be reached (ECONNREFUSED); correct its ' +
        'address, or let this machine call it',
    );
  });

  it('makes the TLS handshake and the login of a provider, and names the cause', async () => {
    const [own, other] = [selfSignedCertificate('localhost'), selfSignedCertificate('localhost')];
    const front = await startTlsFront(`http://${FREE}:${port}`, own);
    writeFileSync(join(folder, 'own.pem'), own.cert);
    writeFileSync(join(folder, 'other.pem'), other.cert);
    const looked = async (connection: Readonly<Record<string, unknown>>) => {
      const { file, remove } = writeConnection(front.origin, connection);
      try {
        const lines = await linesFor({
          DATABASE_URL: database.databaseUrl,
          GW_PROVIDERS_FILE: file,
        });
        return lines.slice(7);
      } finally {
        remove();
      }
    };
    const [known, stranger] = ['own.pem', 'other.pem'].map((name) => ({
      ca_file: join(folder, name),
    }));
    vi.stubEnv('LOGIN', 'aWQ6cw==');
    const login = { token_url: `${front.origin}/token`, credentials_env: 'LOGIN' };
    const untrusted =
      `  FAIL  provider in: ${front.origin} is not connected to: an authority that this server ` +
      'does not trust has signed its certificate (DEPTH_ZERO_SELF_SIGNED_CERT); ';
    try {
      expect([
        await looked(known ?? {}),
        await looked({}),
        await looked(stranger ?? {}),
        await looked({ ...known, login }),
      ]).toEqual([
        [`  ok    provider in: ${front.origin} is reached over TLSv1.3`],
        [`${untrusted}name the authority's certificate in its ca_file`],
        [`${untrusted}ca_file holds another authority`],
        [
          `  ok    provider in: ${front.origin} is reached over TLSv1.3`,
          `  FAIL  login of in: ${front.origin}/token: the provider closed the connection ` +
            '(UND_ERR_SOCKET); correct address or credentials',
        ],
      ]);
    } finally {
      vi.unstubAllEnvs();
      await front.close();
    }
  });
});
