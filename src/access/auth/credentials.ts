import type { Pool } from 'pg';
import type { Principal } from '../../graph/ctx.js';
import { permissionsOf, permissionsOfKey } from '../../graph/permissions.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import { termsJoin } from '../../money/billing/terms-sql.js';
import type { Listener } from '../../platform/database/listen.js';
import { TenantMemory } from '../../platform/tenant-memory.js';
import { boundsOf, TOKEN_PERMISSIONS, TOKEN_SQL, type TokenColumns } from '../abuse/credential.js';
import { isWellFormedKey, KEY_PREFIX, TOKEN_PREFIX } from '../keys/format.js';
import type { TokenIssuer } from './tokens.js';

const KEY_SQL = {
  name: 'principal_by_key',
  text: `SELECT k.id, k.tenant_id, k.project_id, a.id AS account_id, k.key_type AS role,
                k.bound_role,
                k.revoked_at IS NOT NULL OR COALESCE(k.expires_at <= clock_timestamp(), false)
                  AS closed, t.status AS tenant_status, terms.sla_class,
                LEAST(terms.left_ms, extract(epoch FROM k.expires_at - clock_timestamp()) * 1000)
                  ::float8 AS left_ms,
                (extract(epoch FROM k.expires_at) * 1000)::float8 AS expires_at_ms
         FROM api_key k
         JOIN tenant t ON t.id = k.tenant_id
         JOIN account a ON a.tenant_id = k.tenant_id
         ${termsJoin('k.tenant_id')}
         WHERE k.key_hash = $1 AND k.key_type <> 'ephemeral'`,
};

const USER_SQL = {
  name: 'principal_by_user',
  text: `SELECT u.id, u.tenant_id, a.id AS account_id, u.role, u.role AS bound_role,
                (SELECT p.id FROM project p WHERE p.tenant_id = u.tenant_id ORDER BY p.id LIMIT 1)
                  AS project_id,
                u.status <> 'active' OR EXISTS (
                  SELECT 1 FROM session s
                  WHERE s.family_id = $3 AND s.revoked_at IS NOT NULL) AS closed,
                t.status AS tenant_status, terms.sla_class, terms.left_ms
         FROM app_user u
         JOIN tenant t ON t.id = u.tenant_id
         JOIN account a ON a.tenant_id = u.tenant_id
         ${termsJoin('u.tenant_id')}
         WHERE u.id = $1 AND u.tenant_id = $2`,
};

interface PrincipalRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly project_id: string;
  readonly account_id: string;
  readonly role: string;
  readonly bound_role: string;
  readonly closed: boolean;
  readonly tenant_status: string;
  readonly sla_class: string;
  /** How long class and key stay as they are, in milliseconds; null without an end. */
  readonly left_ms: number | null;
}

/** The row of a key, or of a token with its bounds. */
interface KeyRow extends PrincipalRow, Partial<TokenColumns> {
  /** Set for a token. */
  readonly expired?: boolean;
  /** When the key ends by itself, in milliseconds since 1970; null for one without an end. */
  readonly expires_at_ms: number | null;
}

/** Who a bearer credential stands for, or why it stands for nobody. */
export interface Identified {
  readonly who?: Principal;
  readonly whoFailure?: GatewayError;
  /** When the credential ends by itself; sockets are closed then. */
  readonly expiresAtMs?: number;
  /** Until when the terms of the caller stay as they are, by performance.now(). */
  readonly termsEndMs?: number;
}

/** A key that was seen, and until when what is known of it can hold. */
interface Remembered {
  readonly who: Principal;
  readonly termsEndMs: number;
}

/**
 * Turns bearer credentials into principals. `fresh` asks the database; otherwise a key that was
 * seen before is answered from memory, which is only for callers whose next step checks the key
 * again inside its transaction, as the hold of the ledger does.
 */
export class Authenticator {
  private readonly memory = new TenantMemory<Remembered>();

  constructor(
    private readonly pool: Pool,
    private readonly tokens: TokenIssuer,
    private readonly hashKey: (key: string) => Buffer,
    private readonly platformAdmins: ReadonlySet<string>,
  ) {}

  /** Keeps the memory true: a change of a tenant drops what is known of it. */
  follow(listener: Listener): Promise<void> {
    return this.memory.follow(listener);
  }

  /** The caller behind an Authorization header. */
  identify(header: string | undefined, fresh: boolean): Identified | Promise<Identified> {
    if (header === undefined || header === '') return NOBODY;
    const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
    if (token === undefined) return NOBODY;
    if (!KEY_PREFIXES.some((prefix) => token.startsWith(prefix))) return this.identifyToken(token);
    if (fresh) return this.identifyKey(token);
    const known = this.memory.known(token);
    // Terms that begin by the clock are no change that the database could tell.
    if (known && performance.now() < known.termsEndMs) return { who: known.who };
    return this.memory.read(
      token,
      () => this.identifyKey(token),
      ({ who, termsEndMs = 0 }) => who && { tenantId: who.tenantId, value: { who, termsEndMs } },
    );
  }

  private async identifyKey(key: string): Promise<Identified> {
    if (!isWellFormedKey(key)) return INVALID_KEY();
    const statement = key.startsWith(TOKEN_PREFIX) ? TOKEN_SQL : KEY_SQL;
    const { rows } = await this.pool.query<KeyRow>({ ...statement, values: [this.hashKey(key)] });
    const row = rows[0];
    if (!row) return INVALID_KEY();
    if (row.closed) return { whoFailure: new GatewayError('api_key_revoked') };
    if (row.expired) return { whoFailure: new GatewayError('ephemeral_token_expired') };
    if (row.tenant_status !== 'active') return { whoFailure: new GatewayError('tenant_suspended') };
    const termsEndMs = performance.now() + (row.left_ms ?? Number.POSITIVE_INFINITY);
    const who = principal('api_key', row, this.platformAdmins);
    const ends = row.expires_at_ms === null ? {} : { expiresAtMs: row.expires_at_ms };
    return { who: row.scope === undefined ? who : bounded(who, row), termsEndMs, ...ends };
  }

  private async identifyToken(token: string): Promise<Identified> {
    try {
      const claims = await this.tokens.check(token);
      const values = [claims.userId, claims.tenantId, claims.sessionFamilyId];
      const { rows } = await this.pool.query<PrincipalRow>({ ...USER_SQL, values });
      const row = rows[0];
      if (!row || row.closed) {
        const reason = 'its login was closed';
        return { whoFailure: new GatewayError('invalid_token', { values: { reason } }) };
      }
      if (row.tenant_status !== 'active') {
        return { whoFailure: new GatewayError('tenant_suspended') };
      }
      const who = principal('user', row, this.platformAdmins);
      return { who, expiresAtMs: claims.expiresAtMs };
    } catch (error) {
      if (error instanceof GatewayError) return { whoFailure: error };
      throw error;
    }
  }
}

const NOBODY: Identified = {};
const KEY_PREFIXES: readonly string[] = [KEY_PREFIX, TOKEN_PREFIX];

function INVALID_KEY(): Identified {
  return { whoFailure: new GatewayError('invalid_api_key') };
}

function principal(
  kind: Principal['kind'],
  row: PrincipalRow,
  platformAdmins: ReadonlySet<string>,
): Principal {
  return {
    kind,
    id: row.id,
    tenantId: row.tenant_id,
    projectId: row.project_id,
    accountId: row.account_id,
    role: row.role,
    boundRole: row.bound_role,
    permissions:
      kind === 'user' ? permissionsOf(row.role) : permissionsOfKey(row.role, row.bound_role),
    slaClass: row.sla_class,
    platformAdmin: kind === 'user' && platformAdmins.has(row.id),
  };
}

/** A token has the few rights of tokens, as far as whoever issued it has them. */
function bounded(who: Principal, row: KeyRow): Principal {
  const rights = permissionsOf(row.bound_role) as ReadonlySet<string>;
  const permissions = new Set(TOKEN_PERMISSIONS.filter((each) => rights.has(each)));
  return { ...who, permissions, token: boundsOf(row as KeyRow & TokenColumns) };
}
