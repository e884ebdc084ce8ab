import { type JWK, jwtVerify, SignJWT } from 'jose';
import type { Pool } from 'pg';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import type { Listener } from '../../platform/database/listen.js';
import type { Keyring } from '../../platform/keyring.js';
import { isKid, type LoadedKey, loadKeys, SIGNING_ALGORITHM } from './signing-keys.js';

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
  /** Null for what stays true for ever. */
  readonly expiresAt: Date | null;
}

/** How long a statement may be good, in seconds: as long as a key that was rotated is published. */
const STATEMENT_SECONDS_MAX = 30 * 24 * 3_600;

/** How long a node may go on signing by a key that was rotated on another one, in seconds. */
const LATE_SECONDS_MAX = 5 * 60;

/** An access token that was checked by the published keys. */
export interface CheckedToken extends AccessClaims {
  /** The key that has signed it. */
  readonly kid: string;
}

/** Issues and checks access tokens; the algorithm is pinned and the keys are published as JWKS. */
export interface TokenIssuer {
  issue(claims: Omit<AccessClaims, 'expiresAtMs'>): Promise<string>;
  /** @throws invalid_token */
  check(token: string): Promise<CheckedToken>;
  /** Signs what others may check by the published keys; it never passes for an access token. */
  signStatement(statement: Statement): Promise<string>;
  /** The public keys by which something that has not expired may be signed, the newest first. */
  jwks(): { keys: JWK[] };
  /** Reads the keys anew. */
  reload(): Promise<void>;
  /** Reads them anew whenever any node has changed them. */
  follow(listener: Listener): Promise<void>;
}

/**
 * Loads the signing keys from the database, making the first one under a lock so that all nodes
 * share it. The newest key signs. One that was rotated verifies access tokens for as long as any of
 * its own can last, and is published for as long as any statement of it can.
 */
export async function createTokenIssuer(
  pool: Pool,
  keyring: Keyring,
  issuer: string,
): Promise<TokenIssuer> {
  const keys = new KeyRing(pool, keyring);
  await keys.reload();
  return {
    issue: (claims) => {
      const { kid, privateKey } = keys.current;
      const now = sharedNow();
      return new SignJWT({ tenant: claims.tenantId, family: claims.sessionFamilyId })
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid, typ: ACCESS_TOKEN_TYPE })
        .setSubject(claims.userId)
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(new Date(now.getTime() + ACCESS_TOKEN_SECONDS * 1_000))
        .sign(privateKey);
    },
    check: (token) => checkToken(token, keys, issuer),
    signStatement: (statement) => signStatement(statement, keys.current, issuer),
    jwks: () => ({ keys: keys.published() }),
    reload: () => keys.reload(),
    follow: (listener) => keys.follow(listener),
  };
}

/** The keys as this node knows them. */
class KeyRing {
  private loaded: readonly LoadedKey[] = [];
  private reloading: Promise<void> | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly keyring: Keyring,
  ) {}

  /** The key that signs. */
  get current(): LoadedKey {
    const current = this.loaded.find(({ rotatedAtMs }) => rotatedAtMs === undefined);
    if (!current) throw new Error('no signing key could be loaded');
    return current;
  }

  published(): JWK[] {
    return this.loaded
      .filter((key) => isWithin(key, STATEMENT_SECONDS_MAX))
      .map(({ publicJwk }) => publicJwk);
  }

  /** The key that an access token names. One that is not known may have been made elsewhere. */
  async verifying(kid: string | undefined): Promise<LoadedKey> {
    const known = () => this.loaded.find((key) => key.kid === kid);
    // Whoever sends what he likes costs one statement, as with keys of the API.
    if (kid !== undefined && isKid(kid) && !known()) await this.reload();
    const key = known();
    if (!key || !isWithin(key, ACCESS_TOKEN_SECONDS)) throw new Error('unknown key');
    return key;
  }

  /** Reads the keys; many who ask at once share one read. */
  reload(): Promise<void> {
    this.reloading ??= loadKeys(this.pool, this.keyring, this.loaded)
      .then((loaded) => {
        this.loaded = loaded;
      })
      .finally(() => {
        this.reloading = undefined;
      });
    return this.reloading;
  }

  async follow(listener: Listener): Promise<void> {
    // What could not be read is read again by the clock, and by whoever meets an unknown key.
    const reload = () => void this.readAgain().catch(() => {});
    await listener.listen('gw_signing_keys', reload);
    listener.onConnected(reload);
  }

  /** A read that is under way may have begun before the change. */
  private async readAgain(): Promise<void> {
    await this.reloading?.catch(() => {});
    await this.reload();
  }
}

/** True while something that lasts so long can have been signed by a key. */
function isWithin({ rotatedAtMs }: LoadedKey, lastsSeconds: number): boolean {
  if (rotatedAtMs === undefined) return true;
  return sharedNowMs() < rotatedAtMs + (lastsSeconds + LATE_SECONDS_MAX) * 1_000;
}

function signStatement(
  { type, audience, subject, claims, expiresAt }: Statement,
  { kid, privateKey }: LoadedKey,
  issuer: string,
): Promise<string> {
  if (type === ACCESS_TOKEN_TYPE || audience === AUDIENCE) {
    throw new TypeError('a statement must not look like an access token');
  }
  if (expiresAt && expiresAt.getTime() > sharedNowMs() + STATEMENT_SECONDS_MAX * 1_000) {
    throw new TypeError('a statement must not outlast the publishing of its key');
  }
  const token = new SignJWT({ ...claims })
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid, typ: type })
    .setSubject(subject)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(sharedNow());
  if (expiresAt) token.setExpirationTime(expiresAt);
  return token.sign(privateKey);
}

async function checkToken(token: string, keys: KeyRing, issuer: string): Promise<CheckedToken> {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      async ({ kid }) => (await keys.verifying(kid)).publicKey,
      {
        algorithms: [SIGNING_ALGORITHM],
        issuer,
        audience: AUDIENCE,
        typ: ACCESS_TOKEN_TYPE,
        requiredClaims: ['sub', 'exp', 'tenant', 'family'],
        currentDate: sharedNow(),
      },
    );
    return {
      userId: String(payload.sub),
      tenantId: String(payload.tenant),
      sessionFamilyId: String(payload.family),
      expiresAtMs: Number(payload.exp) * 1_000,
      kid: String(protectedHeader.kid),
    };
  } catch (cause) {
    const expired = (cause as { code?: string }).code === 'ERR_JWT_EXPIRED';
    const reason = expired ? 'it has expired' : 'it was not issued here';
    throw new GatewayError('invalid_token', { values: { reason }, cause });
  }
}
