import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningServer } from '../../src/app/server.js';
import { freshDatabase } from './database.js';
import type { OwnerDatabase } from './owner.js';

/** The whole gateway in this process, on a database and a data folder of its own. */
export interface TestApp {
  readonly server: RunningServer;
  readonly url: string;
  /** The environment it was started with; start another one with it to have two nodes. */
  readonly environment: NodeJS.ProcessEnv;
  /** Its database past the walls that the gateway itself is kept by. */
  readonly owner: OwnerDatabase;
  stop(): Promise<void>;
}

/** A machine that others use too may take its time; in production the pool gives up earlier. */
const PATIENT = { connectionTimeoutMillis: 25_000, query_timeout: 20_000 };

/**
 * Starts a gateway. `environment` adds to the settings of tests. The product is loaded here, so
 * that a test of gateways in processes of their own does not load it too.
 */
export async function startApp(environment: NodeJS.ProcessEnv = {}): Promise<TestApp> {
  const { startServer } = await import('../../src/app/server.js');
  const { readConfig } = await import('../../src/platform/config.js');
  const { openAsOwner } = await import('./owner.js');
  const dataDir = await mkdtemp(join(tmpdir(), 'gw-test-'));
  const database = environment.DATABASE_URL ? undefined : await freshDatabase();
  const settings: NodeJS.ProcessEnv = {
    NODE_ENV: 'test',
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    GW_DATA_DIR: dataDir,
    GW_SECRET: 'a secret for tests that is long enough',
    // Every customer of a test comes from one address.
    GW_REGISTRATIONS_PER_MINUTE: '10000',
    // No test asks the name servers of the machine.
    GW_DNS_SERVERS: 'off',
    DATABASE_URL: database?.databaseUrl,
    ...environment,
  };
  const server = await startServer(readConfig(settings));
  Object.assign(server.services.pool.options, PATIENT);
  const owner = openAsOwner(settings.DATABASE_URL ?? '');
  return {
    server,
    url: `http://127.0.0.1:${server.port}`,
    environment: settings,
    owner,
    async stop() {
      const lost = await lostHolds(server);
      await server.stop();
      await owner.close();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
      if (lost.length > 0) throw new Error(`holds without a request: ${lost.join(', ')}`);
    },
  };
}

/** In every test: no hold stands open whose request is gone. */
async function lostHolds({ services }: RunningServer): Promise<readonly string[]> {
  const { releaseLostHolds } = await import('../../src/app/timers.js');
  try {
    const found = await releaseLostHolds(services, 0);
    const counted = services.ledger.gauges().lostHolds;
    return counted === found.length ? found : [`${counted} since start`];
  } catch {
    // Where a test has taken the database away, there is nothing to ask.
    return [];
  }
}

/** The answer to a request of a test. */
export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** Calls a REST path. Bodies that are no JSON come as text. */
export async function rest<T = Record<string, unknown>>(
  app: Pick<TestApp, 'url'>,
  method: string,
  path: string,
  options: {
    readonly credential?: string;
    readonly body?: unknown;
    readonly headers?: Record<string, string>;
  } = {},
): Promise<Answer<T>> {
  const { credential, body, headers } = options;
  const response = await fetch(app.url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : text) as T,
  };
}

/** An error of GraphQL as clients see it. */
export interface ShownError {
  readonly message: string;
  readonly extensions: { readonly code: string; readonly [key: string]: unknown };
}

/** Runs a GraphQL operation over HTTP. */
export async function graphql<T = Record<string, unknown>>(
  app: Pick<TestApp, 'url'>,
  query: string,
  variables: Record<string, unknown> = {},
  credential?: string,
): Promise<{ readonly data: T; readonly errors?: readonly ShownError[] }> {
  const { body } = await rest<{ data: T; errors?: ShownError[] }>(app, 'POST', '/graphql', {
    credential,
    body: { query, variables },
  });
  return body;
}

/** A registered customer with a service key and funds. */
export interface Customer {
  readonly tenantId: string;
  readonly projectId: string;
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly key: string;
  readonly keyId: string;
}

let customers = 0;

/** Registers a customer; `fundsRub` is topped up, nothing by default. */
export async function newCustomer(
  app: Pick<TestApp, 'url'>,
  fundsRub = 0,
  keyType = 'service',
): Promise<Customer> {
  customers += 1;
  const email = `owner-${process.pid}-${customers}@example.test`;
  const registered = await rest<{
    tenant: { id: string };
    project: { id: string };
    account: { id: string };
    user: { id: string };
    accessToken: string;
    refreshToken: string;
  }>(app, 'POST', '/auth/register', {
    body: { email, password: 'correct horse battery', organization: `Customer ${customers}` },
  });
  const { tenant, project, account, user, accessToken: token, refreshToken } = registered.body;
  const created = await rest<{ id: string; key: string }>(app, 'POST', '/api-keys', {
    credential: token,
    body: { keyType, name: 'test' },
  });
  if (fundsRub > 0) {
    const body = { amount_rub: fundsRub };
    await rest(app, 'POST', '/billing/top-up/manual', { credential: token, body });
  }
  return {
    tenantId: tenant.id,
    projectId: project.id,
    accountId: account.id,
    userId: user.id,
    email,
    token,
    refreshToken,
    key: created.body.key,
    keyId: created.body.id,
  };
}
