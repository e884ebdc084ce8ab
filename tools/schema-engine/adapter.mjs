import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import { connectionOf, createDatabase, dropDatabase, requiredUrl } from './connection.mjs';

/** PostgreSQL's internal one-byte type "char", which fills pg_catalog, and ordinary bpchar. */
const CHAR_OID = 18;
const BPCHAR_OID = 1042;

/** How the engine reaches the database and the throw-away database that it replays history in. */
export class AdapterFactory {
  provider = 'postgres';
  adapterName = '@prisma/adapter-pg';

  constructor(datasource) {
    this.datasource = datasource;
  }

  connect() {
    return open(requiredUrl(this.datasource));
  }

  /**
   * Not the adapter's own method: that one passes a connection string and a database name, and the
   * driver lets the string win, so the "shadow" would be the main database itself.
   */
  async connectToShadowDb() {
    if (this.datasource.shadowDatabaseUrl) return open(this.datasource.shadowDatabaseUrl);
    const url = new URL(requiredUrl(this.datasource));
    url.pathname = `/prisma_migrate_shadow_db_${randomUUID()}`;
    const shadowUrl = url.toString();
    await createDatabase(shadowUrl);
    const adapter = await open(shadowUrl);
    const dispose = adapter.dispose.bind(adapter);
    adapter.dispose = async () => {
      await dispose();
      await dropDatabase(shadowUrl);
    };
    return adapter;
  }
}

async function open(databaseUrl) {
  const { connectionString, schema } = connectionOf(databaseUrl);
  const options = { connectionString, max: 1, options: '-c TimeZone=UTC' };
  return completed(await new PrismaPg(options, { schema }).connect());
}

/** Adds what the engine needs and the adapter lacks: "char" columns and whole scripts. */
function completed(queryable) {
  readCharColumns(queryable);
  if (queryable.executeScript) runScriptsWhole(queryable);
  if (queryable.startTransaction) {
    const start = queryable.startTransaction.bind(queryable);
    queryable.startTransaction = async (level) => completed(await start(level));
  }
  return queryable;
}

function readCharColumns(queryable) {
  const performIO = queryable.performIO.bind(queryable);
  const queryRaw = queryable.queryRaw.bind(queryable);
  let charColumns = [];
  queryable.performIO = async (query) => {
    const result = await performIO(query);
    const fields = result.fields ?? [];
    charColumns = [...fields.keys()].filter((at) => fields[at].dataTypeID === CHAR_OID);
    for (const at of charColumns) fields[at].dataTypeID = BPCHAR_OID;
    return result;
  };
  queryable.queryRaw = async (query) => {
    const result = await queryRaw(query);
    for (const at of charColumns) result.columnTypes[at] = ColumnTypeEnum.Character;
    return result;
  };
}

/** The adapter splits scripts at every semicolon, which breaks function bodies and literals. */
function runScriptsWhole(queryable) {
  queryable.executeScript = async (script) => {
    try {
      await queryable.underlyingDriver().query(script);
    } catch (error) {
      queryable.onError(error);
    }
  };
}
