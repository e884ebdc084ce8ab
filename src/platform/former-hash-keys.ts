import type { Pool } from 'pg';
import type { FormerHashKeys, Keyring } from './keyring.js';
import type { SealedPlace } from './secrets.js';

interface Row {
  readonly id: string;
  readonly sealed: Buffer;
}

const READ = `SELECT encode(key_id, 'hex') AS id, sealed FROM former_hash_key ORDER BY created_at`;
const WRITE = `INSERT INTO former_hash_key (key_id, sealed) VALUES (decode($1, 'hex'), $2)
  ON CONFLICT (key_id) DO UPDATE SET sealed = EXCLUDED.sealed`;

/** Lets the keyring verify what was hashed under former secrets: the database has their keys. */
export async function loadFormerHashKeys(pool: Pool, keyring: Keyring): Promise<void> {
  const { rows } = await pool.query<Row>(READ);
  keyring.remember(rows.map(({ id, sealed }) => opened(keyring, id, sealed)));
}

/** Keeps the hash keys of the secrets that are to be dropped, and seals earlier ones anew. */
export async function keepFormerHashKeys(pool: Pool, keyring: Keyring): Promise<number> {
  const { rows } = await pool.query<Row>(READ);
  const known = new Map(rows.map(({ id, sealed }) => [id, opened(keyring, id, sealed)]));
  for (const id of keyring.otherIds) known.set(id, keyring.hashKeysOf(id));
  for (const [id, { keys }] of known) {
    const texts = Object.entries(keys).map(([purpose, key]) => [
      purpose,
      Buffer.from(key).toString('base64'),
    ]);
    const text = JSON.stringify(Object.fromEntries(texts));
    await pool.query(WRITE, [id, keyring.seal(placeOf(id), Buffer.from(text, 'utf8'))]);
  }
  return known.size;
}

function opened(keyring: Keyring, id: string, sealed: Buffer): FormerHashKeys {
  const texts = JSON.parse(keyring.open(placeOf(id), sealed).toString('utf8')) as object;
  const keys = Object.entries(texts).map(([purpose, key]) => [purpose, Buffer.from(key, 'base64')]);
  return { id, keys: Object.fromEntries(keys) };
}

function placeOf(row: string): SealedPlace {
  return { tenantId: null, table: 'former_hash_key', field: 'sealed', row };
}
