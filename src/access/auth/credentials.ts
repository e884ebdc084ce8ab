import type { Pool } from 'pg';
import type { Principal } from '../../graph/ctx.js';
import { type Permission, permissionsOf, permissionsOfKey } from '../../graph/permissions.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import { termsJoin } from '../../money/billing/terms-sql.js';
import type { Listener } from '../../platform/database/listen.js';
import { TenantMemory } from '../../platform/tenant-memory.js';
import { boundsOf, TOKEN_PERMISSIONS, TOKEN_SQL, type TokenColumns } from '../abuse/credential.js';
import { isWellFormedKey, KEY_PREFIX, TOKEN_PREFIX } from '../keys/format.js';
import { boundsOfLine, LINE_JOIN, type LineColumns } from '../keys/line-sql.js';
import { type ClaimColumns, claimsJoin } from '../workspaces/claims-sql.js';
import { confined } from '../workspaces/confinement.rules.js';
import type { TokenIssuer } from './tokens.js';
import { whyUnusable } from './unusable.rules.js';

const KEY_SQL = {
  name: 'principal_by_key',
  text: `SELECT k.id, k.tenant_id, k.project_id, a.id AS account_id, k.key_type AS role,
                k.bound_role, o.role AS owner_role, h.role AS holder_role,
                k.revoked_at IS NOT NULL OR COALESCE(o.status, 'active') <> 'active'
                  OR COALESCE(h.status, 'active') <> 'active'
                  OR COALESCE(LEAST(k.expires_at, shown.ends_at) <= clock_timestamp(), false)
                  AS closed, t.status AS tenant_status, terms.sla_class,
                LEAST(terms.left_ms,
                  extract(epoch FROM LEAST(k.expires_at, shown.ends_at) - clock_timestamp()) * 1000)
                  ::float8 AS left_ms,
                (extract(epoch FROM LEAST(k.expires_at, shown.ends_at)) * 1000)::float8
                  AS expires_at_ms,
                shown.secret_id, shown.made_by, shown.ends_at IS NOT NULL AS is_former,
                line.makers, line.bounds, t.control_version::text AS controls,
                t.limits_by_members, belonging.claims, t.workspace_required
         FROM (
           SELECT p.id AS key_id, COALESCE(p.secret_id, p.id) AS secret_id,
                  COALESCE(p.rotated_by, p.created_by) AS made_by, NULL::timestamptz AS ends_at
           FROM api_key p WHERE p.key_hash IN ($hashes)
           UNION ALL
           SELECT s.key_id, s.id, s.made_by, s.ends_at FROM key_secret s
           WHERE s.key_hash IN ($hashes)
         ) shown
         JOIN api_key k ON k.id = shown.key_id
         JOIN tenant t ON t.id = k.tenant_id
         JOIN account a ON a.tenant_id = k.tenant_id
         ${termsJoin('k.tenant_id')}
         ${LINE_JOIN}
         ${claimsJoin('shown.made_by')}
         LEFT JOIN app_user h ON h.id = shown.made_by AND h.tenant_id = k.tenant_id
           AND k.key_type <> 'service'
         WHERE k.key_type <> 'ephemeral'`,
};

interface Statement {
  readonly name: string;
  readonly text: string;
}

const statements = new Map<string, Statement>();

/**
 * A statement with a place for each hash. PostgreSQL takes an array for ten values where it plans
 * for any: it would then plan this statement anew for each request, which costs ten times what
 * running it does.
 */
function byHashes({ name, text }: Statement, count: number): Statement {
  const full = `${name}_${count}`;
  const known = statements.get(full);
  if (known) return known;
  const places = Array.from({ length: count }, (_each, index) => `$${index + 1}`).join(', ');
  const made = { name: full, text: text.replaceAll('$hashes', places) };
  statements.set(full, made);
  return made;
}

const USER_SQL = {
  name: 'principal_by_user',
  text: `SELECT u.id, u.tenant_id, a.id AS account_id, u.role, u.role AS bound_role,
                p.id AS project_id,
                u.status <> 'active' OR EXISTS (
                  SELECT 1 FROM auth_session s
                  WHERE s.id = $3 AND s.ended_at IS NOT NULL) AS closed,
                EXISTS (SELECT 1 FROM signing_key k
                        WHERE k.kid = $4 AND k.retired_at IS NOT NULL) AS forged,
                t.second_factor_required AND NOT EXISTS (
                  SELECT 1 FROM second_factor f
                  WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL) AS must_enrol,
                t.status AS tenant_status, terms.sla_class, terms.left_ms,
                t.control_version::text AS controls, t.workspace_required,
                jsonb_path_query_array(jsonb_build_array(
                  jsonb_build_object('kind', 'member', 'id', u.id, 'name', u.id,
                    'workspaceId', u.workspace_id),
                  jsonb_build_object('kind', 'project', 'id', p.id, 'name', p.name,
                    'workspaceId', p.workspace_id)), '$[*] ? (@.workspaceId != null)') AS claims
         FROM app_user u
         JOIN tenant t ON t.id = u.tenant_id
         LEFT JOIN LATERAL (
           SELECT * FROM project WHERE tenant_id = u.tenant_id ORDER BY id LIMIT 1) p ON true
         JOIN account a ON a.tenant_id = u.tenant_id
         ${termsJoin('u.tenant_id')}
         WHERE u.id = $1 AND u.tenant_id = $2`,
};

interface PrincipalRow extends ClaimColumns {
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
  /** The version of the tenant's controls at this moment. */
  readonly controls: string;
  readonly workspace_required: boolean;
  /** True where the key that signed the token was retired. Absent for keys, like the next one. */
  readonly forged?: boolean;
  readonly must_enrol?: boolean;
}

/** The row of a key, or of a token with its bounds. */
interface KeyRow extends PrincipalRow, LineColumns, Partial<TokenColumns> {
  /** Set for a token. */
  readonly expired?: boolean;
  /** When the key ends by itself, in milliseconds since 1970; null for one without an end. */
  readonly expires_at_ms: number | null;
  /** The role of the member who made the secret; null for keys of the organization. */
  readonly holder_role?: string | null;
  /** Absent for a token. */
  readonly secret_id?: string;
  readonly made_by?: string;
  readonly limits_by_members?: boolean;
  /** True for a secret that another one has followed. */
  readonly is_former?: boolean;
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
    private readonly hashesOf: (key: string) => readonly Buffer[],
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
    if (token === undefined || !KEY_PREFIXES.some((prefix) => token.startsWith(prefix))) {
      const sent = whyUnusable(header);
      if (sent !== undefined || token === undefined)
        return UNUSABLE(sent ?? 'the key holds spaces');
      return this.identifyToken(token);
    }
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
    const hashes = this.hashesOf(key);
    const statement = byHashes(key.startsWith(TOKEN_PREFIX) ? TOKEN_SQL : KEY_SQL, hashes.length);
    const { rows } = await this.pool.query<KeyRow>({ ...statement, values: [...hashes] });
    const row = rows[0];
    if (!row) return INVALID_KEY();
    if (row.closed) return { whoFailure: new GatewayError('api_key_revoked') };
    if (row.expired) return { whoFailure: new GatewayError('ephemeral_token_expired') };
    if (row.tenant_status !== 'active') return { whoFailure: new GatewayError('tenant_suspended') };
    const termsEndMs = performance.now() + (row.left_ms ?? Number.POSITIVE_INFINITY);
    const who = keyPrincipal(row, this.platformAdmins);
    const ends = row.expires_at_ms === null ? {} : { expiresAtMs: row.expires_at_ms };
    const whole = row.scope === undefined ? who : bounded(who, row);
    return { who: confined(whole), termsEndMs, ...ends };
  }

  private async identifyToken(token: string): Promise<Identified> {
    try {
      const claims = await this.tokens.check(token);
      const values = [claims.userId, claims.tenantId, claims.sessionFamilyId, claims.kid];
      const { rows } = await this.pool.query<PrincipalRow>({ ...USER_SQL, values });
      const row = rows[0];
      if (!row || row.closed || row.forged) {
        const reason = row?.forged ? 'it was not issued here' : 'its session has ended';
        return { whoFailure: new GatewayError('invalid_token', { values: { reason } }) };
      }
      if (row.tenant_status !== 'active') {
        return { whoFailure: new GatewayError('tenant_suspended') };
      }
      const who = confined(principal('user', row, this.platformAdmins));
      const { sessionFamilyId: sessionId, expiresAtMs } = claims;
      const member = { ...who, sessionId };
      return { who: row.must_enrol ? enrolling(member) : member, expiresAtMs };
    } catch (error) {
      if (error instanceof GatewayError) return { whoFailure: error };
      throw error;
    }
  }
}

const NOBODY: Identified = {};
const KEY_PREFIXES: readonly string[] = [KEY_PREFIX, TOKEN_PREFIX];

function UNUSABLE(sent: string): Identified {
  return { whoFailure: new GatewayError('unusable_credential', { values: { sent } }) };
}

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
    permissions: permissionsOf(row.role),
    slaClass: row.sla_class,
    platformAdmin: kind === 'user' && platformAdmins.has(row.id),
    makers: [],
    controls: row.controls,
    ...(row.claims?.length && { workspaces: row.claims }),
    ...(row.workspace_required && { workspaceRequired: true }),
  };
}

const TO_ENROL: ReadonlySet<Permission> = new Set<Permission>(['credentials.own']);

/** A member without the second factor that their tenant requires can do nothing but enrol one. */
function enrolling(who: Principal): Principal {
  return { ...who, permissions: TO_ENROL, platformAdmin: false, mustEnrol: true };
}

/** A key with its line, and what bounds all of it. */
function keyPrincipal(row: KeyRow, platformAdmins: ReadonlySet<string>): Principal {
  const { makers } = row;
  const bounds = boundsOfLine(row.bounds);
  const who = principal('api_key', row, platformAdmins);
  const permissions = permissionsOfKey(row.role, ...rolesOf(row));
  const secret = secretOf(row);
  const more = {
    ...(bounds && { bounds }),
    ...(secret && { secret }),
    ...(row.limits_by_members && { limitsByMembers: true }),
  };
  return { ...who, permissions, makers: makers ?? [], ...more };
}

/** The roles that bound a key: that of its making, and those of owner and holder now. */
function rolesOf({ bound_role, owner_role, holder_role }: KeyRow): string[] {
  return [...new Set([bound_role, owner_role ?? bound_role, holder_role ?? bound_role])];
}

function secretOf({ secret_id: id, made_by: madeBy, is_former, expires_at_ms }: KeyRow) {
  if (id === undefined || madeBy === undefined) return undefined;
  return { id, madeBy, formerUntilMs: is_former ? (expires_at_ms ?? 0) : undefined };
}

/** A token has the few rights of tokens, as far as whoever issued it has them. */
function bounded(who: Principal, row: KeyRow): Principal {
  const rights: ReadonlySet<string>[] = rolesOf(row).map((role) => permissionsOf(role));
  const permissions = new Set(
    TOKEN_PERMISSIONS.filter((each) => rights.every((right) => right.has(each))),
  );
  return { ...who, permissions, token: boundsOf(row as KeyRow & TokenColumns) };
}
