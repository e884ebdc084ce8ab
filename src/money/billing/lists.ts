import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { ValueFilter } from '../../graph/filters.js';
import { type ConnectionArgs, type KeysetPage, keysetPage } from '../../graph/keyset.js';
import type { ORIGIN_MEMBER, RequestOrigin } from '../../kernel/origin.js';
import { tenantQuery } from '../../platform/database/tenant-query.js';
import { addTraffic, Conditions, type TrafficFilter } from './filters.js';
import type { LedgerType, UsageStatus } from './vocabulary.js';

/** A line of the ledger with what its request was, where it came from one. */
export interface LedgerLine {
  readonly account_version: bigint;
  readonly type: LedgerType;
  readonly request_id: string;
  readonly contra: string;
  readonly amount_micro: bigint;
  readonly posted_delta: bigint;
  readonly held_delta: bigint;
  readonly posted_after: bigint;
  readonly held_after: bigint;
  readonly vat_rate_basis_points: number | null;
  readonly vat_micro: bigint;
  readonly description: string | null;
  readonly actor_id: string | null;
  readonly created_at: Date;
  readonly model: string | null;
  readonly feature: string | null;
  readonly client_id: string | null;
}

/** What the ledger may be narrowed by. */
export interface LedgerFilter extends TrafficFilter {
  readonly type?: ValueFilter<LedgerType> | null;
}

/** A page of the tenant's ledger, newest first unless asked otherwise. */
export function ledgerPage(
  ctx: AuthorizedCtx,
  args: ConnectionArgs,
  filter: LedgerFilter,
): Promise<KeysetPage<LedgerLine>> {
  return keysetPage(
    args,
    (line) => line.account_version,
    async (beyond, limit, grows) => {
      const where = new Conditions()
        .add('e.account_id = ?', ctx.who.accountId)
        .add(`e.account_version ${grows ? '>' : '<'} ?`, beyond)
        .among('e.type', filter.type)
        .among('e.request_id', filter.requestId)
        .within('e.amount_micro', filter.amountRub)
        .within('e.created_at', filter.createdAt);
      addTraffic(where, filter);
      const { rows } = await tenantQuery<LedgerLine>(ctx.services.pool, ctx.who.tenantId, {
        text: `SELECT e.*, u.model, u.feature, u.client_id
         FROM ledger_entry e
         LEFT JOIN usage_event u ON u.tenant_id = e.tenant_id AND u.id = e.request_id
         WHERE ${where.text}
         ORDER BY e.account_version ${grows ? 'ASC' : 'DESC'}
         LIMIT ${limit}`,
        values: where.values,
      });
      return rows;
    },
  );
}

/** A row of usage. Prompts and answers are never part of one. */
export interface UsageLine {
  readonly id: string;
  readonly seq: bigint;
  readonly tenant_id: string;
  readonly project_id: string;
  readonly key_id: string | null;
  readonly user_id: string | null;
  readonly operation: string;
  readonly requested_model: string;
  readonly model: string;
  readonly provider: string;
  readonly route: string;
  readonly simulated: boolean;
  readonly feature: string | null;
  readonly environment: string | null;
  readonly client_id: string | null;
  readonly input_uncached: number;
  readonly input_cached: number;
  readonly cache_write: number;
  readonly output_text: number;
  readonly output_reasoning: number;
  readonly usage_source: string;
  readonly amount_micro: bigint;
  readonly vat_rate_basis_points: number;
  readonly vat_micro: bigint;
  readonly status: UsageStatus;
  readonly error_code: string | null;
  readonly http_status: number;
  readonly finish_reason: string | null;
  readonly streamed: boolean;
  readonly latency_ms: number;
  readonly time_to_first_token_ms: number | null;
  readonly upstream_ms: number | null;
  readonly attempts: number;
  readonly data_class: string;
  readonly policy_versions: Readonly<Record<string, number>>;
  readonly metadata: { readonly [ORIGIN_MEMBER]?: RequestOrigin };
  readonly created_at: Date;
}

/** What usage may be narrowed by. */
export interface UsageFilter extends TrafficFilter {
  readonly status?: ValueFilter<UsageStatus> | null;
}

/** A page of the tenant's usage, newest first unless asked otherwise. */
export function usagePage(
  ctx: AuthorizedCtx,
  args: ConnectionArgs,
  filter: UsageFilter,
): Promise<KeysetPage<UsageLine>> {
  return keysetPage(
    args,
    (line) => line.seq,
    async (beyond, limit, grows) => {
      const where = new Conditions()
        .add('u.tenant_id = ?', ctx.who.tenantId)
        .add(`u.seq ${grows ? '>' : '<'} ?`, beyond)
        .among('u.id', filter.requestId)
        .among('u.status', filter.status)
        .within('u.amount_micro', filter.amountRub)
        .within('u.created_at', filter.createdAt);
      addTraffic(where, filter);
      const { rows } = await tenantQuery<UsageLine>(ctx.services.pool, ctx.who.tenantId, {
        text: `SELECT u.* FROM usage_event u
         WHERE ${where.text}
         ORDER BY u.seq ${grows ? 'ASC' : 'DESC'}
         LIMIT ${limit}`,
        values: where.values,
      });
      return rows;
    },
  );
}
