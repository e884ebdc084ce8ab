import { randomBytes, type webcrypto } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from 'jose';
import pg, { type Pool } from 'pg';
import { GatewayError } from '../../kernel/errors/fail.js';
import { openBytes, type SealedPlace, sealBytes } from '../../platform/secrets.js';

const ALGORITHM = 'EdDSA';
const AUDIENCE = 'gw';
const ACCESS_TOKEN_TYPE = 'at+jwt';

/** How long an access token is valid, in seconds. */
export const ACCESS_TOKEN_SECONDS = 15 * 60;

/** What an access token says: the user and its tenant. Rights are read anew at each request. */
export interface AccessClaims {
  readonly userId: string;
  readonly tenantId: string;
  /** The login that the token belongs to; closing it closes the token. */
  readonly sessionFamilyId: string;
  readonly expiresAtMs: number;
}

/** What the gateway says to others in its own name. Type and audience keep it from other uses. */
export interface Statement {
  readonly type: string;
  readonly audience: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date;
}

/** Issues and checks access tokens; the algorithm is pinned and the keys are published as JWKS. */
export interface TokenIssuer {
  issue(claims: Omit<AccessClaims, 'expiresAtMs'>): Promise<string>;
  /** @throws invalid_token */
  check(token: string): Promise<AccessClaims>;
  /** Signs what others may check by the published keys; it never passes for an access token. */
  signStatement(statement: Statement): Promise<string>;
  jwks(): { keys: JWK[] };
}

/** A row of the keys, the private part sealed. */
interface StoredKey {
  readonly kid: string;
  readonly publicJwk: unknown;
  readonly privateSealed: Uint8Array;
}

const STORED_KEYS = `SELECT kid, public_jwk AS "publicJwk", private_sealed AS "privateSealed"
  FROM signing_key WHERE retired_at IS NULL ORDER BY created_at DESC`;

interface LoadedKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly publicKey: webcrypto.CryptoKey;
  readonly privateKey: webcrypto.CryptoKey;
}

/**
 * Loads the signing keys from the database, making the first one under a lock so that all nodes
 * share it. The newest key signs; every key that is not retired verifies.
 */
export async function createTokenIssuer(
  pool: Pool,
  serverSecret: string,
  issuer: string,
): Promise<TokenIssuer> {
  const loaded = await loadKeys(pool, serverSecret);
  const current = loaded[0];
  if (!current) throw new Error('no signing key could be loaded');
  const byKid = new Map(loaded.map((key) => [key.kid, key]));
  return {
    issue: (claims) =>
      new SignJWT({ tenant: claims.tenantId, family: claims.sessionFamilyId })
        .setProtectedHeader({ alg: ALGORITHM, kid: current.kid, typ: ACCESS_TOKEN_TYPE })
        .setSubject(claims.userId)
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setIssuedAt()
        .setExpirationTime(`${ACCESS_TOKEN_SECONDS}s`)
        .sign(current.privateKey),
    check: (token) => checkToken(token, byKid, issuer),
    signStatement: (statement) => signStatement(statement, current, issuer),
    jwks: () => ({ keys: loaded.map((key) => key.publicJwk) }),
  };
}

function signStatement(
  { type, audience, subject, claims, expiresAt }: Statement,
  { kid, privateKey }: LoadedKey,
  issuer: string,
): Promise<string> {
  if (type === ACCESS_TOKEN_TYPE || audience === AUDIENCE) {
    throw new TypeError('a statement must not look like an access token');
  }
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: ALGORITHM, kid, typ: type })
    .setSubject(subject)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(expiresAt)
    .sign(privateKey);
}

async function checkToken(
  token: string,
  keys: ReadonlyMap<string, LoadedKey>,
  issuer: string,
): Promise<AccessClaims> {
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = keys.get(kid ?? '');
        if (!key) throw new Error('unknown key');
        return key.publicKey;
      },
      {
        algorithms: [ALGORITHM],
        issuer,
        audience: AUDIENCE,
        typ: ACCESS_TOKEN_TYPE,
        requiredClaims: ['sub', 'exp', 'tenant', 'family'],
      },
    );
    return {
      userId: String(payload.sub),
      tenantId: String(payload.tenant),
      sessionFamilyId: String(payload.family),
      expiresAtMs: Number(payload.exp) * 1_000,
    };
  } catch (cause) {
    const expired = (cause as { code?: string }).code === 'ERR_JWT_EXPIRED';
    const reason = expired ? 'it has expired' : 'it was not issued here';
    throw new GatewayError('invalid_token', { values: { reason }, cause });
  }
}

/** Makes the first key, unless another node makes it at the same time. */
async function makeFirstKey(pool: Pool, serverSecret: string): Promise<void> {
  const { kid, publicJwk, privateSealed } = await newSigningKey(serverSecret);
  const values = [kid, JSON.stringify(publicJwk), `\\x${privateSealed.toString('hex')}`];
  // Statements of one text are one transaction, which the lock lasts for.
  await pool.query(`
    SELECT pg_advisory_xact_lock(hashtextextended('gw signing key', 0));
    INSERT INTO signing_key (kid, public_jwk, private_sealed)
    SELECT ${values.map(pg.escapeLiteral).join(', ')}
    WHERE NOT EXISTS (SELECT FROM signing_key WHERE retired_at IS NULL)`);
}

async function loadKeys(pool: Pool, serverSecret: string): Promise<LoadedKey[]> {
  // As plain SQL: Prisma is slow to load, and a start needs nothing else of it.
  const read = async () => (await pool.query<StoredKey>(STORED_KEYS)).rows;
  let rows = await read();
  if (rows.length === 0) {
    await makeFirstKey(pool, serverSecret);
    rows = await read();
  }
  return Promise.all(rows.map((row) => openKey(row, serverSecret)));
}

async function openKey(row: StoredKey, serverSecret: string): Promise<LoadedKey> {
  const publicJwk = row.publicJwk as JWK;
  const privateJwk = unseal(serverSecret, row.kid, row.privateSealed);
  return {
    kid: row.kid,
    publicJwk,
    publicKey: (await importJWK(publicJwk, ALGORITHM)) as webcrypto.CryptoKey,
    privateKey: (await importJWK(privateJwk, ALGORITHM)) as webcrypto.CryptoKey,
  };
}

async function newSigningKey(serverSecret: string) {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, {
    crv: 'Ed25519',
    extractable: true,
  });
  const kid = randomBytes(8).toString('hex');
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: ALGORITHM, use: 'sig' };
  const body = Buffer.from(JSON.stringify(await exportJWK(privateKey)));
  const privateSealed = sealBytes(serverSecret, placeOf(kid), body);
  return { kid, publicJwk, privateSealed };
}

function placeOf(kid: string): SealedPlace {
  return { tenantId: null, table: 'signing_key', field: 'private_sealed', row: kid };
}

function unseal(serverSecret: string, kid: string, sealed: Uint8Array): JWK {
  const body = openBytes(serverSecret, placeOf(kid), sealed);
  return JSON.parse(body.toString('utf8')) as JWK;
}
