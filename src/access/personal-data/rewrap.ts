import type { Pool } from 'pg';
import { type Config, ConfigError } from '../../platform/config.js';
import { placeOf as placeOfDataKey } from '../../platform/data-keys.js';
import { keepFormerHashKeys } from '../../platform/former-hash-keys.js';
import type { Keyring } from '../../platform/keyring.js';
import type { SealedPlace } from '../../platform/secrets.js';
import { placeOfLogKey } from '../auth/log-keys.js';
import { placeOfSecret } from '../auth/second-factor.js';
import { placeOf as placeOfSigningKey } from '../auth/signing-keys.js';

const ROWS_AT_ONCE = 500;

interface Row {
  readonly tenant: string | null;
  readonly id: string;
  readonly sealed: Buffer;
}

/** Something that is sealed under the secret of the installation, and has to be sealed anew. */
interface Wrapped {
  readonly what: string;
  readonly table: string;
  readonly id: string;
  readonly idType: 'uuid' | 'text';
  readonly tenant: string;
  readonly column: string;
  readonly placeOf: (row: Row) => SealedPlace;
}

const ALL_WRAPPED: readonly Wrapped[] = [
  {
    what: 'data keys of organizations',
    table: 'tenant_data_key',
    id: 'id',
    idType: 'uuid',
    tenant: 'tenant_id::text',
    column: 'wrapped',
    placeOf: ({ tenant, id }) => placeOfDataKey(tenant ?? '', id),
  },
  {
    what: 'second factors',
    table: 'second_factor',
    id: 'user_id',
    idType: 'uuid',
    tenant: 'tenant_id::text',
    column: 'secret_sealed',
    placeOf: ({ tenant, id }) => placeOfSecret({ id, tenantId: tenant ?? '' }),
  },
  {
    what: 'signing keys',
    table: 'signing_key',
    id: 'kid',
    idType: 'text',
    tenant: 'NULL',
    column: 'private_sealed',
    placeOf: ({ id }) => placeOfSigningKey(id),
  },
  {
    what: 'keys of published logs',
    table: 'log_publication',
    id: 'id',
    idType: 'uuid',
    tenant: 'tenant_id::text',
    column: 'private_sealed',
    placeOf: ({ tenant, id }) => placeOfLogKey(tenant ?? '', id),
  },
];

/** Answers for repeated requests: they are not sealed anew, since they end after a day. */
const ANSWERS = ['idempotency_record', 'keyed_outcome', 'kept_answer'] as const;

/** What is still under another secret than that in force. */
export interface LeftUnderOthers {
  /** What would be lost with it. */
  readonly sealed: number;
  /** Kept answers, which nobody can be given again then. */
  readonly answers: number;
}

/**
 * With the settings of the first step everything would be sealed under the old secret again.
 * @throws ConfigError while the secret is yet to be replaced
 */
export function requireLastStep({ GW_SECRET_NEXT }: Pick<Config, 'GW_SECRET_NEXT'>): void {
  if (!GW_SECRET_NEXT) return;
  throw new ConfigError(
    'GW_SECRET_NEXT is set, so GW_SECRET is still the old secret; run this with the new one as ' +
      'GW_SECRET and the old one as GW_SECRET_PREVIOUS (OPERATIONS.md, "To replace the secret")',
  );
}

/**
 * Seals all anew under the secret in force what is sealed under another one that is known, while
 * nodes serve. It can be ended at any moment and run again: each value is changed by one statement,
 * unless somebody has changed it meanwhile.
 * @param tell takes a line of progress
 * @throws SealError for a value that is sealed under a secret which is not given
 */
export async function rewrap(
  pool: Pool,
  keyring: Keyring,
  tell: (line: string) => void,
): Promise<LeftUnderOthers> {
  const kept = await keepFormerHashKeys(pool, keyring);
  tell(`Hash keys of ${kept} former secrets are kept under ${keyring.id}.`);
  let sealed = 0;
  for (const wrapped of ALL_WRAPPED) {
    const count = await rewrapAll(pool, keyring, wrapped);
    sealed += await countLeft(pool, keyring, wrapped.table, wrapped.column);
    tell(`${count} ${wrapped.what} were sealed anew.`);
  }
  let answers = 0;
  for (const table of ANSWERS) answers += await countLeft(pool, keyring, table, 'answer');
  tell(verdict({ sealed, answers }));
  return { sealed, answers };
}

function verdict({ sealed, answers }: LeftUnderOthers): string {
  if (sealed > 0) return `${sealed} values are still under another secret: run this again.`;
  if (answers > 0) {
    return (
      `GW_SECRET_PREVIOUS can be dropped in a day: ${answers} answers for repeated requests are ` +
      'under it, which end by then. Dropped at once, those requests are refused.'
    );
  }
  return 'Nothing is under another secret: GW_SECRET_PREVIOUS can be dropped on every node.';
}

async function rewrapAll(pool: Pool, keyring: Keyring, wrapped: Wrapped): Promise<number> {
  const { table, id, idType, tenant, column, placeOf } = wrapped;
  let count = 0;
  let after = '';
  for (;;) {
    const { rows } = await pool.query<Row>(
      `SELECT ${tenant} AS tenant, ${id}::text AS id, ${column} AS sealed FROM ${table}
       WHERE ${column} IS NOT NULL AND ${isOther(column)} AND ${id}::text > $2
       ORDER BY ${id}::text LIMIT ${ROWS_AT_ONCE}`,
      [keyring.id, after],
    );
    for (const row of rows) {
      const place = placeOf(row);
      const sealed = keyring.seal(place, keyring.open(place, row.sealed));
      const sql = `UPDATE ${table} SET ${column} = $1
        WHERE ${id} = $2::${idType} AND ${column} = $3`;
      count += (await pool.query(sql, [sealed, row.id, row.sealed])).rowCount ?? 0;
    }
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) return count;
    after = last.id;
  }
}

async function countLeft(pool: Pool, keyring: Keyring, table: string, column: string) {
  const sql = `SELECT count(*)::int AS remaining FROM ${table}
    WHERE ${column} IS NOT NULL AND ${isOther(column)}`;
  const { rows } = await pool.query<{ remaining: number }>(sql, [keyring.id]);
  return rows[0]?.remaining ?? 0;
}

function isOther(column: string): string {
  return `substr(${column}, 2, 4) <> decode($1, 'hex')`;
}
