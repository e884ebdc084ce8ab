import pg from 'pg';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import type { AuthorizedCtx, Principal, Services } from '../../src/graph/ctx.js';
import { type KeyType, permissionsOf, type Role } from '../../src/graph/permissions.js';
import { newId } from '../../src/kernel/ids.js';
import { DataKeys } from '../../src/platform/data-keys.js';
import { createListener } from '../../src/platform/database/listen.js';
import { createPool } from '../../src/platform/database/pool.js';
import { createPrisma } from '../../src/platform/database/prisma.js';
import { Keyring } from '../../src/platform/keyring.js';
import { createFeedNotifier } from '../../src/records/feed-notifier.js';
import { freshDatabase } from '../support/database.js';

/** A database of the test file's own with the services that `records` uses. */
export interface World {
  readonly services: Services;
  readonly connection: pg.ClientConfig;
  /** A tenant with a member of each given role; the first one asks. */
  tenant(...roles: Role[]): Promise<TestTenant>;
  /** A connection outside of the pool, for transactions that stay open. */
  client(): Promise<pg.Client>;
}

/** A tenant of a test. */
export interface TestTenant {
  readonly id: string;
  /** Requests of the members, in the order of the roles. */
  readonly members: readonly AuthorizedCtx[];
  /** The request of the first member. */
  readonly ctx: AuthorizedCtx;
  /** A request by a new key of this type that the first member has created. */
  key(type: KeyType): Promise<AuthorizedCtx>;
}

/** The world of this test file; it ends with the file. `added` are more of its services. */
export async function createWorld(added: Partial<Services> = {}): Promise<World> {
  const database = await freshDatabase();
  const { connection } = database;
  const pool = createPool({ connection, max: 20, applicationName: 'test', queryTimeoutMs: 20_000 });
  // Hundreds race for these connections on a machine that others use too; production gives up.
  pool.options.connectionTimeoutMillis = 25_000;
  const prisma = createPrisma({ pool, platformPool: pool });
  const listener = await createListener(connection, { retryMsMin: 10 });
  const feedNotifier = await createFeedNotifier(listener);
  const log = pino({ level: 'silent' });
  const config = { secret: 'a secret of the tests, 32 characters', nodeId: 'node-a' };
  const keyring = new Keyring(config);
  const dataKeys = new DataKeys(pool, keyring);
  const sealing = { keyring, dataKeys };
  const parts = {
    pool,
    platformPool: pool,
    prisma,
    ...sealing,
    listener,
    feedNotifier,
    log,
    config,
  };
  const services = { ...(parts as unknown as Services), ...added };
  const clients: pg.Client[] = [];
  afterAll(async () => {
    feedNotifier.close();
    await listener.close();
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
    await prisma.$disconnect();
    await pool.end();
    await database.drop();
  });
  return {
    services,
    connection,
    tenant: (...roles) => createTenant(services, roles.length > 0 ? roles : ['owner']),
    async client() {
      const client = new pg.Client(connection);
      await client.connect();
      clients.push(client);
      return client;
    },
  };
}

async function createTenant(services: Services, roles: readonly Role[]): Promise<TestTenant> {
  const { prisma } = services;
  const id = newId('Tenant');
  const projectId = newId('Project');
  await prisma.tenant.create({ data: { id, name: 'A tenant' } });
  await prisma.project.create({ data: { id: projectId, tenantId: id, name: 'A project' } });
  const members: AuthorizedCtx[] = [];
  for (const role of roles) {
    const userId = newId('User');
    const email = `${userId}@example.com`;
    await prisma.user.create({
      data: { id: userId, tenantId: id, email, passwordHash: '-', role },
    });
    members.push(ctxOf(services, { kind: 'user', id: userId, tenantId: id, projectId, role }));
  }
  const [ctx] = members;
  if (!ctx) throw new Error('a tenant needs a member');
  const key = async (keyType: KeyType) => {
    const keyId = newId('ApiKey');
    const hash = new Uint8Array(Buffer.from(keyId));
    const shown = { name: 'A key', keyType, keyHash: hash, prefix: 'gw_sk_', lastFour: '0000' };
    const ids = { id: keyId, tenantId: id, projectId, createdBy: ctx.who.id, boundRole: 'owner' };
    await prisma.apiKey.create({ data: { ...shown, ...ids } });
    const who = { kind: 'api_key', id: keyId, tenantId: id, projectId, role: keyType } as const;
    return ctxOf(services, who);
  };
  return { id, members, ctx, key };
}

type Who = Pick<Principal, 'kind' | 'id' | 'tenantId' | 'projectId' | 'role'>;

function ctxOf(services: Services, who: Who): AuthorizedCtx {
  return {
    requestId: newId('Request'),
    startedMs: 0,
    who: {
      ...who,
      accountId: newId('Account'),
      permissions: permissionsOf(who.role),
      slaClass: 'standard',
      boundRole: 'owner',
      platformAdmin: false,
      makers: [],
    },
    services,
    transport: { kind: 'internal', address: '-', baseUrl: 'http://localhost', headers: {} },
    signal: new AbortController().signal,
  };
}

/** The code of the failure that a call ends with; undefined when it succeeds. */
export async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}
