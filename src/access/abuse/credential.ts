import type { Pool } from 'pg';
import type { TokenBounds } from '../../graph/ctx.js';
import { termsJoin } from '../../money/billing/terms-sql.js';
import { LINE_JOIN } from '../keys/line-sql.js';
import { claimsJoin } from '../workspaces/claims-sql.js';
import { EPHEMERAL_SCOPES } from './vocabulary.js';

/** The permissions that a token may carry, as far as the role that bounds it does. */
export const TOKEN_PERMISSIONS: readonly string[] = ['inference.run', 'models.read'];

/** What identifies an ephemeral token by any of its hashes: a key with the bounds of the token. */
export const TOKEN_SQL = {
  name: 'principal_by_ephemeral_token',
  text: `SELECT k.id, k.tenant_id, k.project_id, a.id AS account_id, k.key_type AS role,
                k.bound_role, o.role AS owner_role,
                k.revoked_at IS NOT NULL OR COALESCE(o.status, 'active') <> 'active' AS closed,
                k.expires_at <= clock_timestamp() AS expired,
                t.status AS tenant_status, terms.sla_class,
                LEAST(terms.left_ms,
                  extract(epoch FROM k.expires_at - clock_timestamp()) * 1000)::float8 AS left_ms,
                (extract(epoch FROM k.expires_at) * 1000)::float8 AS expires_at_ms,
                e.scope, e.allowed_models, e.models_limited, e.budget_id, k.created_by AS issued_by,
                k.name AS token_name, e.requests_max, line.makers, line.bounds,
                t.control_version::text AS controls, belonging.claims, t.workspace_required
         FROM api_key k
         JOIN ephemeral_token e ON e.id = k.id
         JOIN tenant t ON t.id = k.tenant_id
         JOIN account a ON a.tenant_id = k.tenant_id
         ${termsJoin('k.tenant_id')}
         ${LINE_JOIN}
         ${claimsJoin('k.created_by')}
         WHERE k.key_hash IN ($hashes)`,
};

/** What the row of a token has beside that of a key. */
export interface TokenColumns {
  readonly scope: string;
  readonly allowed_models: readonly string[];
  readonly models_limited: boolean;
  readonly budget_id: string;
  readonly issued_by: string;
  readonly token_name: string;
  readonly requests_max: number;
}

/** What a token is bounded by. */
export function boundsOf(row: TokenColumns): TokenBounds {
  const scope = EPHEMERAL_SCOPES.parse(row.scope);
  return {
    scope,
    name: row.token_name,
    operations: EPHEMERAL_SCOPES.find(scope)?.operations ?? [],
    allowedModels: row.models_limited ? new Set(row.allowed_models) : undefined,
    budgetId: row.budget_id,
    issuedBy: row.issued_by,
    requestsMax: row.requests_max,
  };
}

const TAKE_SQL = {
  name: 'ephemeral_token_take',
  text: `UPDATE ephemeral_token e SET requests_used = e.requests_used + 1
         FROM api_key k
         WHERE e.id = $1 AND k.id = e.id AND k.revoked_at IS NULL
           AND k.expires_at > clock_timestamp() AND e.requests_used < e.requests_max`,
};
const STATE_SQL = {
  name: 'ephemeral_token_refused',
  text: `SELECT revoked_at IS NOT NULL AS revoked, expires_at <= clock_timestamp() AS expired
         FROM api_key WHERE id = $1`,
};
const GIVE_BACK_SQL = {
  name: 'ephemeral_token_give_back',
  text: 'UPDATE ephemeral_token SET requests_used = requests_used - 1 WHERE id = $1',
};

/** Why a token was not let through. */
export type TokenRefused = 'revoked' | 'expired' | 'spent';

/** Counts the requests of ephemeral tokens. No other request asks it. */
export class TokenQuota {
  constructor(private readonly pool: Pool) {}

  /**
   * Counts a request of a token where one is left, in one conditional statement: the database
   * counts for all nodes, and what a crash cuts off stays counted.
   * @returns why it was refused; undefined where it was counted
   */
  async take(tokenId: string): Promise<TokenRefused | undefined> {
    const values = [tokenId];
    const { rowCount } = await this.pool.query({ ...TAKE_SQL, values });
    if (rowCount === 1) return undefined;
    const { rows } = await this.pool.query<{ revoked: boolean; expired: boolean }>({
      ...STATE_SQL,
      values,
    });
    if (rows[0]?.revoked) return 'revoked';
    return rows[0]?.expired ? 'expired' : 'spent';
  }

  /** Gives a counted request back that the gateway itself has refused before it called anybody. */
  async giveBack(tokenId: string): Promise<void> {
    await this.pool.query({ ...GIVE_BACK_SQL, values: [tokenId] });
  }
}
