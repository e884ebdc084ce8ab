import { LIVE_USAGE_SQL, SIMULATED_USAGE_SQL } from '../../money/ledger/live-usage.js';
import type { ReadinessItem } from './vocabulary.js';

/** The rows of a tenant that show something, as SQL. */
export interface Evidence {
  readonly table: string;
  readonly condition: string;
  /** The column that says when; `created_at` unless stated. */
  readonly at?: string;
  /** True for use of models, which only live answers show. */
  readonly isUse?: boolean;
}

const used = (condition: string): Evidence => ({ table: 'usage_event', condition, isUse: true });

/** What one statement tells; whether tools call an endpoint stands in their contracts. */
type InRows = Exclude<ReadinessItem['code'], 'webhook'>;

/** What shows each item of the readiness list. */
export const EVIDENCE: Readonly<Record<InRows, Evidence>> = {
  first_request: used("operation = 'chat'"),
  streaming: used('streamed'),
  embeddings: used("operation = 'embeddings'"),
  budget_limit: { table: 'budget', condition: 'active' },
  policy: { table: 'policy', condition: 'enabled' },
  service_account: {
    table: 'api_key',
    condition: "key_type = 'service' AND revoked_at IS NULL AND expires_at IS NULL",
  },
};

/** Whether a row of the tenant `$1` shows it. */
export function existsSql(evidence: Evidence): string {
  return `EXISTS (SELECT 1 ${rowsSql(evidence, LIVE_USAGE_SQL)})`;
}

/** When the first of the rows that show it was made; null without one. */
export function firstSql(evidence: Evidence): string {
  return `(SELECT min(${evidence.at ?? 'created_at'}) ${rowsSql(evidence, LIVE_USAGE_SQL)})`;
}

/** Whether answers of simulated models show it, which are no evidence. */
export function simulatedSql(evidence: Evidence): string {
  return evidence.isUse ? `EXISTS (SELECT 1 ${rowsSql(evidence, SIMULATED_USAGE_SQL)})` : 'false';
}

function rowsSql({ table, condition, isUse }: Evidence, ofUse: string): string {
  const kind = isUse ? ` AND ${ofUse}` : '';
  return `FROM ${table} WHERE tenant_id = $1 AND ${condition}${kind}`;
}

/** The conditions on rows of usage that show something, live or simulated. */
export const USE_CONDITIONS: readonly string[] = Object.values(EVIDENCE)
  .filter(({ isUse }) => isUse)
  .flatMap(({ condition }) =>
    [LIVE_USAGE_SQL, SIMULATED_USAGE_SQL].map((ofUse) => `${condition} AND ${ofUse}`),
  );
