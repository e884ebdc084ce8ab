import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  randomBytes,
  type webcrypto,
} from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from 'jose';
import { GatewayError } from '../../kernel/errors/fail.js';
import type { PrismaDatabase } from '../../platform/database/prisma.js';

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
  const sealingKey = Buffer.from(hkdfSync('sha256', serverSecret, '', 'gw signing key', 32));
  const loaded = await loadKeys(prisma, sealingKey);
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

async function loadKeys(prisma: PrismaDatabase, sealingKey: Buffer): Promise<LoadedKey[]> {
  const rows = await prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('gw signing key', 0))`;
    const present = await tx.signingKey.findMany({
      where: { retiredAt: null },
      orderBy: { createdAt: 'desc' },
    });
    if (present.length > 0) return present;
    return [await tx.signingKey.create({ data: await newSigningKey(sealingKey) })];
  });
  return Promise.all(
    rows.map(async (row) => {
      const publicJwk = row.publicJwk as JWK;
      return {
        kid: row.kid,
        publicJwk,
        publicKey: (await importJWK(publicJwk, ALGORITHM)) as webcrypto.CryptoKey,
        privateKey: (await importJWK(
          unseal(sealingKey, row.kid, Buffer.from(row.privateSealed)),
          ALGORITHM,
        )) as webcrypto.CryptoKey,
      };
    }),
  );
}

async function newSigningKey(sealingKey: Buffer) {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, {
    crv: 'Ed25519',
    extractable: true,
  });
  const kid = randomBytes(8).toString('hex');
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: ALGORITHM, use: 'sig' };
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce).setAAD(Buffer.from(kid));
  const body = JSON.stringify(await exportJWK(privateKey));
  const sealed = Buffer.concat([cipher.update(body), cipher.final()]);
  return { kid, publicJwk, privateSealed: Buffer.concat([nonce, cipher.getAuthTag(), sealed]) };
}

function unseal(sealingKey: Buffer, kid: string, sealed: Buffer): JWK {
  const decipher = createDecipheriv('aes-256-gcm', sealingKey, sealed.subarray(0, 12))
    .setAAD(Buffer.from(kid))
    .setAuthTag(sealed.subarray(12, 28));
  const body = Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
  return JSON.parse(body.toString('utf8')) as JWK;
}
