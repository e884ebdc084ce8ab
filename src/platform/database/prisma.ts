import { PrismaPg } from '@prisma/adapter-pg';
import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQueryable,
} from '@prisma/driver-adapter-utils';
import type { Pool, QueryConfig } from 'pg';
import { PrismaClient } from '../../generated/prisma/client.js';
import type { DataKeys } from '../data-keys.js';
import { sealing } from './sealed-columns.js';
import { beginAs, tenantQuery, tenantReport } from './tenant-query.js';
import { whoseRows } from './whose-rows.js';

/** The management side's way to the database. The chat path does not use it. */
export type PrismaDatabase = PrismaClient;

/** The pools of the application by what their sessions see. */
export interface WorkingPools {
  /** Sees the rows of the tenant that a statement names, and none without one. */
  readonly pool: Pool;
  /** Sees the rows of all tenants. */
  readonly platformPool: Pool;
}

const STATEMENT_NAMES_MAX = 2_000;

/**
 * A client on the shared pools; statements are named so that the server plans each once. By itself
 * it sees no row of any tenant: `tenantDatabase` and `everyTenant` say whose rows are meant.
 * Without data keys it sees sealed columns as they stand.
 */
export function createPrisma(
  { pool, platformPool }: WorkingPools,
  keys?: DataKeys,
): PrismaDatabase {
  const names = new Map<string, string>();
  const statementNameGenerator = ({ sql }: { sql: string }): string | undefined => {
    const known = names.get(sql);
    if (known !== undefined || names.size >= STATEMENT_NAMES_MAX) return known;
    const name = `prisma_${names.size}`;
    names.set(sql, name);
    return name;
  };
  const options = { statementNameGenerator } as object;
  const tenants = new PrismaPg(namingTenants(pool), options);
  const platform = new PrismaPg(platformPool, options);
  const client = new PrismaClient({ adapter: chosenByRows(tenants, platform) });
  return keys ? sealing(client, keys) : client;
}

/** The pool as Prisma's adapter uses it, whose statements name the tenant that is meant. */
function namingTenants(pool: Pool): Pool {
  const query = (config: QueryConfig) => {
    const tenant = tenantMeant();
    if (tenant === undefined) return pool.query(config);
    return (tenant.isReport ? tenantReport : tenantQuery)(pool, tenant.tenantId, config);
  };
  const connect = async () => {
    const tenant = tenantMeant();
    const client = await pool.connect();
    if (tenant === undefined) return client;
    return new Proxy(client, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        if (property !== 'query') return value.bind(target);
        return (config: QueryConfig) =>
          config.text === 'BEGIN' ? beginAs(target, tenant.tenantId) : target.query(config);
      },
    });
  };
  return new Proxy(pool, {
    get(target, property) {
      if (property === 'query') return query;
      if (property === 'connect') return connect;
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function tenantMeant() {
  const whose = whoseRows();
  return typeof whose === 'object' ? whose : undefined;
}

/** One adapter out of two: what is for every tenant goes to the sessions that see them all. */
function chosenByRows(
  tenants: SqlDriverAdapterFactory,
  platform: SqlDriverAdapterFactory,
): SqlDriverAdapterFactory {
  const { provider, adapterName } = tenants;
  const connect = async (): Promise<SqlDriverAdapter> => {
    const both = await Promise.all([tenants.connect(), platform.connect()]);
    const [ofTenant, ofPlatform] = both;
    const meant = () => (whoseRows() === 'every_tenant' ? ofPlatform : ofTenant);
    const queryRaw: SqlQueryable['queryRaw'] = (query) => meant().queryRaw(query);
    const executeRaw: SqlQueryable['executeRaw'] = (query) => meant().executeRaw(query);
    return {
      provider,
      adapterName,
      queryRaw,
      executeRaw,
      executeScript: (script) => meant().executeScript(script),
      startTransaction: (level) => meant().startTransaction(level),
      getConnectionInfo: () => ofTenant.getConnectionInfo?.() ?? { supportsRelationJoins: true },
      dispose: async () => {
        await Promise.all(both.map((adapter) => adapter.dispose()));
      },
    };
  };
  return { provider, adapterName, connect };
}
