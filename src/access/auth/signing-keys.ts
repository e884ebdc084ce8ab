import { randomBytes, type webcrypto } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import pg, { type Pool } from 'pg';
import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import type { Keyring } from '../../platform/keyring.js';
import type { SealedPlace } from '../../platform/secrets.js';
import { audit } from '../../records/audit-trail.js';
import { afterCommit, transactAcrossTenants } from '../../records/scope.js';

/** The one algorithm of everything that the gateway signs. */
export const SIGNING_ALGORITHM = 'EdDSA';

const KID_BYTES = 8;

/** A row of the keys, the private part sealed. */
interface StoredKey {
  readonly kid: string;
  readonly publicJwk: unknown;
  readonly privateSealed: Uint8Array;
  readonly rotatedAt: Date | null;
}

/** A key that may verify, ready for use. */
export interface LoadedKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly publicKey: webcrypto.CryptoKey;
  readonly privateKey: webcrypto.CryptoKey;
  /** Since when a newer key signs, in milliseconds since 1970; undefined for the one that signs. */
  readonly rotatedAtMs: number | undefined;
}

const STORED_KEYS = `SELECT kid, public_jwk AS "publicJwk", private_sealed AS "privateSealed",
    rotated_at AS "rotatedAt"
  FROM signing_key WHERE retired_at IS NULL ORDER BY created_at DESC, kid`;

/** True for what can be the name of a key. */
export function isKid(text: string): boolean {
  return new RegExp(`^[0-9a-f]{${2 * KID_BYTES}}$`).test(text);
}

/**
 * Reads the keys that are not retired, the newest first, and makes the first one where there is
 * none. Those that are known already are not opened again.
 */
export async function loadKeys(
  pool: Pool,
  keyring: Keyring,
  known: readonly LoadedKey[],
): Promise<readonly LoadedKey[]> {
  // As plain SQL: Prisma is slow to load, and a start needs nothing else of it.
  const read = async () => (await pool.query<StoredKey>(STORED_KEYS)).rows;
  let rows = await read();
  if (!rows.some(({ rotatedAt }) => rotatedAt === null)) {
    await makeFirstKey(pool, keyring);
    rows = await read();
  }
  const opened = new Map(known.map((key) => [key.kid, key]));
  return Promise.all(
    rows.map(async (row) => ({
      ...(opened.get(row.kid) ?? (await openKey(row, keyring))),
      rotatedAtMs: row.rotatedAt?.getTime(),
    })),
  );
}

/**
 * The public keys of all times, also of those that were retired: by them the house knows again what
 * it has signed. Nobody is let in by them.
 */
export async function keysOfAllTimes(pool: Pool): Promise<{ keys: JWK[] }> {
  const { rows } = await pool.query<{ jwk: JWK }>('SELECT public_jwk AS jwk FROM signing_key');
  return { keys: rows.map(({ jwk }) => jwk) };
}

/** Held by whoever makes a key, until the end of the transaction. */
const LOCK = "pg_advisory_xact_lock(hashtextextended('gw signing key', 0))";

/** Makes the first key, unless another node makes it at the same time. */
async function makeFirstKey(pool: Pool, keyring: Keyring): Promise<void> {
  const { kid, publicJwk, privateSealed } = await newSigningKey(keyring);
  const values = [kid, JSON.stringify(publicJwk), `\\x${privateSealed.toString('hex')}`];
  // Statements of one text are one transaction, which the lock lasts for.
  await pool.query(`
    SELECT ${LOCK};
    INSERT INTO signing_key (kid, public_jwk, private_sealed)
    SELECT ${values.map(pg.escapeLiteral).join(', ')}
    WHERE NOT EXISTS (SELECT FROM signing_key WHERE retired_at IS NULL AND rotated_at IS NULL)`);
}

/** What a rotation has made. */
export interface Rotation {
  /** The key that signs from now on. */
  readonly kid: string;
  /** Keys before that still verify what they have signed. */
  readonly verifying: readonly string[];
}

/**
 * Makes a new signing key, while every node serves. Keys before it verify what they have signed
 * until it has expired. Where they are compromised they verify nothing from the commit on, on every
 * node: members take new access tokens by their refresh tokens, which no key has signed.
 * @throws platform_admin_required
 */
export async function rotateSigningKey(
  ctx: AuthorizedCtx,
  compromised: boolean,
): Promise<Rotation> {
  const { services, who } = ctx;
  if (!who.platformAdmin) fail('platform_admin_required');
  const made = await newSigningKey(services.keyring);
  const { kid } = made;
  const rotation = await transactAcrossTenants(services, async (tx) => {
    const verifying = await putInPlace(tx, made, compromised);
    await audit(ctx, tx, {
      action: 'signingKeyRotate',
      subject: 'Tenant',
      subjectId: who.tenantId,
      after: { kid, compromised },
    });
    return { kid, verifying };
  });
  const { tokens, log } = services;
  afterCommit(ctx, () => {
    tokens.reload().catch((err: unknown) => log.warn({ err }, 'the keys could not be read'));
  });
  return rotation;
}

async function putInPlace(
  tx: Transaction,
  { kid, publicJwk, privateSealed }: Awaited<ReturnType<typeof newSigningKey>>,
  compromised: boolean,
): Promise<readonly string[]> {
  await tx.$executeRaw`SELECT ${Prisma.raw(LOCK)}`;
  const at = sharedNow();
  await tx.signingKey.updateMany({
    where: { rotatedAt: null, retiredAt: null },
    data: { rotatedAt: at },
  });
  if (compromised) {
    await tx.signingKey.updateMany({ where: { retiredAt: null }, data: { retiredAt: at } });
  }
  await tx.signingKey.create({
    data: { kid, publicJwk: publicJwk as object, privateSealed: new Uint8Array(privateSealed) },
  });
  const left = await tx.signingKey.findMany({
    where: { retiredAt: null, rotatedAt: { not: null } },
    select: { kid: true },
    orderBy: { createdAt: 'desc' },
  });
  return left.map((key) => key.kid);
}

async function openKey(row: StoredKey, keyring: Keyring): Promise<LoadedKey> {
  const publicJwk = row.publicJwk as JWK;
  const privateJwk = unseal(keyring, row.kid, row.privateSealed);
  return {
    kid: row.kid,
    publicJwk,
    publicKey: (await importJWK(publicJwk, SIGNING_ALGORITHM)) as webcrypto.CryptoKey,
    privateKey: (await importJWK(privateJwk, SIGNING_ALGORITHM)) as webcrypto.CryptoKey,
    rotatedAtMs: row.rotatedAt?.getTime(),
  };
}

async function newSigningKey(keyring: Keyring) {
  const { publicKey, privateKey } = await generateKeyPair(SIGNING_ALGORITHM, {
    crv: 'Ed25519',
    extractable: true,
  });
  const kid = randomBytes(KID_BYTES).toString('hex');
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: SIGNING_ALGORITHM, use: 'sig' };
  const body = Buffer.from(JSON.stringify(await exportJWK(privateKey)));
  const privateSealed = keyring.seal(placeOf(kid), body);
  return { kid, publicJwk, privateSealed };
}

/** Where a private key is sealed for. */
export function placeOf(kid: string): SealedPlace {
  return { tenantId: null, table: 'signing_key', field: 'private_sealed', row: kid };
}

function unseal(keyring: Keyring, kid: string, sealed: Uint8Array): JWK {
  const body = keyring.open(placeOf(kid), sealed);
  return JSON.parse(body.toString('utf8')) as JWK;
}
