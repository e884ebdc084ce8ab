import type { PoolClient } from 'pg';
import { ORIGIN_MEMBER } from '../../kernel/origin.js';
import { ERRED_SQL } from '../../money/ledger/erred-usage.js';
import type { Batch } from '../../records/brought-forward.js';
import { EACH_REF, EVERY_REF, SCOPE_REF_MAX } from '../budgets/vocabulary.js';
import type { SeenRequest } from './window.rules.js';

const ROWS_SQL = `
  SELECT tenant_id AS "tenantId", id, floor(extract(epoch FROM created_at) / 60)::int AS minute,
    feature, client_id AS "clientId", requested_model AS "requestedModel", model,
    COALESCE(metadata ->> 'session_id', metadata ->> 'agent_session') AS session,
    input_uncached + input_cached + cache_write AS "inputTokens",
    output_text + output_reasoning AS "outputTokens", amount_micro::float8 AS micro,
    ${ERRED_SQL} AS failed, attempts > 0 OR ${ERRED_SQL} AS "isAsked", attempts,
    requested_model <> model AND requested_model NOT LIKE 'gw:%'
      AND NOT metadata ?| array['gw_alias', 'gw_degraded'] AS "fellBack",
    metadata -> '${ORIGIN_MEMBER}' IS NULL AS "isOfClient"
  FROM usage_event
  WHERE (txid, seq) > ($1, $2) AND (txid, seq) <= ($3, $4)
  ORDER BY txid, seq LIMIT $5`;

interface UsageRow extends SeenRequest {
  readonly tenantId: string;
  readonly feature: string | null;
  readonly clientId: string | null;
  readonly session: string | null;
  readonly requestedModel: string;
  /** False for what the gateway has asked by itself. */
  readonly isOfClient: boolean;
}

/** A reference of a scope with the requests of a batch that name it, in their order. */
export interface WatchedScope {
  readonly tenantId: string;
  readonly scope: 'use_case' | 'route' | 'partner_client' | 'agent_session';
  readonly ref: string;
  readonly requests: SeenRequest[];
}

/** What a batch of usage is about. */
export interface WatchedUsage {
  /** Whoever has spent, also by what the gateway has asked by itself. */
  readonly tenantIds: readonly string[];
  /** The scopes that requests of clients name, by the members that budgets go by too. */
  readonly scopes: readonly WatchedScope[];
}

/** Reads the rows of a batch. */
export async function watchedUsage(
  client: PoolClient,
  { after, until, limit }: Batch,
): Promise<WatchedUsage> {
  const values = [after.txid, after.seq, until.txid, until.seq, limit];
  const { rows } = await client.query<UsageRow>(ROWS_SQL, values);
  const scopes = new Map<string, WatchedScope>();
  for (const row of rows.filter(({ isOfClient }) => isOfClient)) {
    for (const [scope, ref] of refsOf(row)) {
      const key = `${row.tenantId} ${scope} ${ref}`;
      const known = scopes.get(key) ?? { tenantId: row.tenantId, scope, ref, requests: [] };
      known.requests.push(row);
      scopes.set(key, known);
    }
  }
  return {
    tenantIds: [...new Set(rows.map(({ tenantId }) => tenantId))],
    scopes: [...scopes.values()],
  };
}

/** What stands for several references is the name of none. */
const TOGETHER: ReadonlySet<string> = new Set([EVERY_REF, EACH_REF]);

/** The references that a row names, and `*` once for each scope that it names any of. */
function refsOf(row: UsageRow): [WatchedScope['scope'], string][] {
  const all: readonly (readonly [WatchedScope['scope'], string | null])[] = [
    ['use_case', row.feature],
    ['partner_client', row.clientId],
    ['agent_session', row.session],
    ['route', row.requestedModel],
    ['route', row.model === row.requestedModel ? null : row.model],
  ];
  const named = all.filter(([, ref]) => ref !== null && ref !== '');
  const every = new Set(named.map(([scope]) => scope));
  return [
    ...[...every].map((scope): [WatchedScope['scope'], string] => [scope, EVERY_REF]),
    ...named.flatMap(([scope, ref]): [WatchedScope['scope'], string][] =>
      ref === null || TOGETHER.has(ref) || ref.length > SCOPE_REF_MAX ? [] : [[scope, ref]],
    ),
  ];
}
