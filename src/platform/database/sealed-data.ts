import pg from 'pg';
import { ConfigError } from '../config.js';
import type { GivenSecrets } from '../keyring.js';
import { keyIdOf } from '../secrets.js';
import { onceConnected } from './connection.js';

const HAS_KEYS = "SELECT to_regclass('public.signing_key') IS NOT NULL AS yes";
const HAS_DATA_KEYS = "SELECT to_regclass('public.tenant_data_key') IS NOT NULL AS yes";

const SIGNING_KEYS = `SELECT encode(substr(private_sealed, 2, 4), 'hex') AS id,
  max(created_at) AS at FROM signing_key GROUP BY 1 ORDER BY 2 DESC`;
const DATA_KEYS = `SELECT DISTINCT encode(wrapping_key_id, 'hex') AS id FROM tenant_data_key
  WHERE wrapping_key_id IS NOT NULL`;

/** What PostgreSQL says to a login that may not read a table. */
const MAY_NOT = '42501';

const FOREIGN =
  'the secret is not the one that this database was filled under; set GW_SECRET to that one, ' +
  'or put its file "secret" into GW_DATA_DIR (OPERATIONS.md, "Backup and restore")';

const DROPPED_TOO_EARLY =
  'keys of this database are still sealed under another secret than GW_SECRET; set that one as ' +
  'GW_SECRET_PREVIOUS and let "npm run rewrap" seal them anew (OPERATIONS.md, ' +
  '"To replace the secret")';

/**
 * Refuses a database that was filled under a secret which is not known, or of which not all was
 * sealed anew, before anything of it is changed: the logins of the gateways that serve it have
 * passwords that follow from theirs.
 * @throws ConfigError with what helps
 */
export async function requireSecretOf(
  connection: pg.ClientConfig,
  { secret, otherSecrets = [] }: GivenSecrets,
): Promise<void> {
  const [newest, ...others] = await onceConnected(connection, secretsInUse);
  const known = [secret, ...otherSecrets].map((each) => keyIdOf(each).toString('hex'));
  if (newest === undefined) return;
  if (!known.includes(newest)) throw new ConfigError(FOREIGN);
  if (others.some((id) => !known.includes(id))) throw new ConfigError(DROPPED_TOO_EARLY);
}

/** The secrets of the keys that stand here, that of the newest first; none for a new database. */
async function secretsInUse(client: pg.Client): Promise<readonly string[]> {
  const read = async (has: string, sql: string) => {
    const { rows } = await client.query<{ yes: boolean }>(has);
    if (!rows[0]?.yes) return [];
    return (await client.query<{ id: string }>(sql)).rows.map(({ id }) => id);
  };
  try {
    return [...(await read(HAS_KEYS, SIGNING_KEYS)), ...(await read(HAS_DATA_KEYS, DATA_KEYS))];
  } catch (error) {
    // A plain login beside one for migrations, which is asked instead.
    if (error instanceof pg.DatabaseError && error.code === MAY_NOT) return [];
    throw error;
  }
}
