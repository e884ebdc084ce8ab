import type pg from 'pg';
import { newId } from '../../../src/kernel/ids.js';

/** A usage row of a test: what is left out is a chat of no feature that cost nothing. */
export interface PlantedRow {
  readonly tenantId: string;
  readonly id?: string;
  readonly createdAt?: Date;
  readonly operation?: 'chat' | 'embeddings';
  readonly model?: string;
  readonly provider?: string;
  readonly route?: string;
  readonly keyId?: string | null;
  readonly projectId?: string;
  readonly simulated?: boolean;
  readonly feature?: string | null;
  readonly environment?: string | null;
  readonly clientId?: string | null;
  readonly inputUncached?: number;
  readonly inputCached?: number;
  readonly outputText?: number;
  readonly costMicro?: bigint;
  readonly amountMicro?: bigint;
  readonly vatMicro?: bigint;
  readonly status?: 'complete' | 'partial' | 'failed';
  readonly errorCode?: string | null;
  readonly finishReason?: string | null;
  readonly latencyMs?: number;
  readonly timeToFirstTokenMs?: number | null;
  readonly prices?: unknown;
  readonly metadata?: unknown;
}

const PROJECT = newId('Project');

/** Prices as the chat path writes them. */
const PRICES = {
  effective_from: '2026-01-01',
  input_uncached: '1000000',
  input_cached: '500000',
  cache_write: '1000000',
  output_text: '1000000',
  output_reasoning: '1000000',
};

const INSERT_SQL = `INSERT INTO usage_event (
    tenant_id, id, account_id, project_id, key_id, operation, requested_model, model, provider,
    route, simulated, feature, environment, client_id, input_uncached, input_cached, cache_write,
    output_text, output_reasoning, usage_source, prices, cost_micro, amount_micro,
    vat_rate_basis_points, vat_micro, status, error_code, http_status, finish_reason, streamed,
    latency_ms, time_to_first_token_ms, overhead_us, attempts, policy_versions, data_class,
    firewall_findings, metadata, created_at)
  SELECT r.tenant_id, r.id, r.tenant_id, r.project_id, r.key_id, r.operation, r.model, r.model,
    r.provider, r.route, r.simulated, r.feature, r.environment, r.client_id, r.input_uncached,
    r.input_cached, 0, r.output_text, 0, 'upstream', r.prices, r.cost_micro, r.amount_micro, 2200,
    r.vat_micro, r.status, r.error_code, CASE r.status WHEN 'failed' THEN 502 ELSE 200 END,
    r.finish_reason, false, r.latency_ms, r.time_to_first_token_ms, 300, 1, '{}', 'C0', '{}',
    r.metadata, r.created_at
  FROM jsonb_to_recordset($1) AS r(
    tenant_id uuid, id uuid, project_id uuid, key_id uuid, operation text, model text,
    provider text, route text, simulated boolean, feature text, environment text, client_id text,
    input_uncached int, input_cached int, output_text int, prices jsonb, cost_micro bigint,
    amount_micro bigint, vat_micro bigint, status text, error_code text, finish_reason text,
    latency_ms int, time_to_first_token_ms int, metadata jsonb, created_at timestamptz)`;

/** Writes usage rows as the ledger would, past it. */
export async function plantUsage(
  client: pg.Pool | pg.ClientBase,
  rows: readonly PlantedRow[],
): Promise<void> {
  const planted = rows.map((row) => ({
    tenant_id: row.tenantId,
    id: row.id ?? newId('Request'),
    project_id: row.projectId ?? PROJECT,
    key_id: row.keyId ?? null,
    operation: row.operation ?? 'chat',
    model: row.model ?? 'sandbox/echo',
    provider: row.provider ?? 'sandbox',
    route: row.route ?? 'RU',
    simulated: row.simulated ?? false,
    feature: row.feature ?? null,
    environment: row.environment ?? null,
    client_id: row.clientId ?? null,
    input_uncached: row.inputUncached ?? 0,
    input_cached: row.inputCached ?? 0,
    output_text: row.outputText ?? 0,
    prices: row.prices ?? PRICES,
    cost_micro: String(row.costMicro ?? row.amountMicro ?? 0n),
    amount_micro: String(row.amountMicro ?? 0n),
    vat_micro: String(row.vatMicro ?? 0n),
    status: row.status ?? 'complete',
    error_code: row.errorCode ?? null,
    finish_reason: row.finishReason ?? 'stop',
    latency_ms: row.latencyMs ?? 0,
    time_to_first_token_ms: row.timeToFirstTokenMs ?? null,
    metadata: row.metadata ?? {},
    created_at: (row.createdAt ?? new Date()).toISOString(),
  }));
  await client.query(INSERT_SQL, [JSON.stringify(planted)]);
}

/**
 * Gives a third of every so many requests of a tenant back, a day and a half later, as lines of the
 * ledger.
 */
export async function plantRefunds(
  pool: pg.Pool | pg.ClientBase,
  tenantId: string,
  everyOf: number,
): Promise<void> {
  await pool.query(
    `INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id,
       charged_request_id, contra, amount_micro, posted_delta, held_delta, posted_after, held_after,
       vat_rate_basis_points, vat_micro, created_at)
     SELECT $1, nextval('ledger_entry_seq_seq'), $1, 'refund', gen_random_uuid(), id, 'refunds',
       amount_micro / 3, amount_micro / 3, 0, 0, 0, vat_rate_basis_points,
       vat_inside(amount_micro / 3, vat_rate_basis_points), created_at + interval '36 hours'
     FROM usage_event WHERE tenant_id = $1 AND seq % $2 = 0 AND amount_micro >= 3`,
    [tenantId, everyOf],
  );
}
