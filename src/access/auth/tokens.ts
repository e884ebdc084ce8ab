import { randomBytes, type webcrypto } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from 'jose';
import { GatewayError } from '../../kernel/errors/fail.js';
import type { PrismaDatabase } from '../../platform/database/prisma.js';
import { openBytes, type SealedPlace, sealBytes } from '../../platform/secrets.js';
import { transactAcrossTenants } from '../../records/scope.js';

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

/** Issues and checks access tokens; the algorithm is pinned and the keys are published as JWKS. */
export interface TokenIssuer {
  issue(claims: Omit<AccessClaims, 'expiresAtMs'>): Promise<string>;
  /** @throws invalid_token */
  check(token: string): Promise<AccessClaims>;
  jwks(): { keys: JWK[] };
}

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
  prisma: PrismaDatabase,
  serverSecret: string,
  issuer: string,
): Promise<TokenIssuer> {
  const loaded = await loadKeys(prisma, serverSecret);
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
    jwks: () => ({ keys: loaded.map((key) => key.publicJwk) }),
  };
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

async function loadKeys(prisma: PrismaDatabase, serverSecret: string): Promise<LoadedKey[]> {
  const rows = await transactAcrossTenants({ prisma }, async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('gw signing key', 0))`;
    const present = await tx.signingKey.findMany({
      where: { retiredAt: null },
      orderBy: { createdAt: 'desc' },
    });
    if (present.length > 0) return present;
    return [await tx.signingKey.create({ data: await newSigningKey(serverSecret) })];
  });
  return Promise.all(
    rows.map(async (row) => {
      const publicJwk = row.publicJwk as JWK;
      return {
        kid: row.kid,
        publicJwk,
        publicKey: (await importJWK(publicJwk, ALGORITHM)) as webcrypto.CryptoKey,
        privateKey: (await importJWK(
          unseal(serverSecret, row.kid, row.privateSealed),
          ALGORITHM,
        )) as webcrypto.CryptoKey,
      };
    }),
  );
}

async function newSigningKey(serverSecret: string) {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, {
    crv: 'Ed25519',
    extractable: true,
  });
  const kid = randomBytes(8).toString('hex');
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: ALGORITHM, use: 'sig' };
  const body = Buffer.from(JSON.stringify(await exportJWK(privateKey)));
  const privateSealed = new Uint8Array(sealBytes(serverSecret, placeOf(kid), body));
  return { kid, publicJwk, privateSealed };
}

function placeOf(kid: string): SealedPlace {
  return { tenantId: null, table: 'signing_key', field: 'private_sealed', row: kid };
}

function unseal(serverSecret: string, kid: string, sealed: Uint8Array): JWK {
  const body = openBytes(serverSecret, placeOf(kid), sealed);
  return JSON.parse(body.toString('utf8')) as JWK;
}
