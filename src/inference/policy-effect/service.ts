import { mergePolicies, type PolicyInForce, readRules } from '../../access/policies/rules.js';
import {
  changedPolicy,
  ownProject,
  type PolicyChange,
  type PolicyDraft,
  requireValid,
} from '../../access/policies/service.js';
import { DRY_RUN_DAYS } from '../../access/policies/vocabulary.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { fail } from '../../kernel/errors/fail.js';
import type { DataClass } from '../../kernel/firewall/vocabulary.js';
import { tenantQuery } from '../../platform/database/tenant-query.js';
import { type EffectTotals, type PastRequest, replay } from './rules.js';

/** What a policy would have done to the traffic of the last days. */
export interface PolicyEffect extends EffectTotals {
  readonly from: Date;
  readonly to: Date;
  /** False where the window holds more requests than are replayed; the newest are. */
  readonly complete: boolean;
}

const REQUESTS_MAX = 200_000;
const DAY_MS = 86_400_000;
const CANDIDATE = 'candidate';

/**
 * The effect that a new policy would have had.
 * @throws invalid_request, not_found
 */
export async function effectOfNew(ctx: AuthorizedCtx, draft: PolicyDraft): Promise<PolicyEffect> {
  requireValid(ctx, draft.name, draft.rules);
  const projectId = await ownProject(ctx, draft.projectId);
  const others = await policiesOf(ctx, projectId, undefined);
  const { name, rules } = draft;
  const added = { id: CANDIDATE, version: 1, name, rules, budgetIds: [] };
  return effect(ctx, projectId, draft.enabled ? [...others, added] : others);
}

/**
 * The effect that a change of a policy would have had.
 * @throws invalid_request, not_found
 */
export async function effectOfChange(
  ctx: AuthorizedCtx,
  id: string,
  change: PolicyChange,
): Promise<PolicyEffect> {
  const before = await database(ctx).policy.findFirst({ where: { id } });
  if (!before) return fail('not_found', { values: { subject: 'policy', id }, param: 'id' });
  const { name, enabled, rules } = changedPolicy(before, change);
  requireValid(ctx, name, rules);
  const others = await policiesOf(ctx, before.projectId, id);
  const changed = { id, version: before.version + 1, name, rules, budgetIds: [] };
  return effect(ctx, before.projectId, enabled ? [...others, changed] : others);
}

async function policiesOf(
  ctx: AuthorizedCtx,
  projectId: string,
  except: string | undefined,
): Promise<PolicyInForce[]> {
  const rows = await database(ctx).policy.findMany({ where: { projectId, enabled: true } });
  return rows
    .filter((row) => row.id !== except)
    .map(({ id, version, name, rules }) => ({
      id,
      version,
      name,
      rules: readRules(rules),
      budgetIds: [],
    }));
}

async function effect(
  ctx: AuthorizedCtx,
  projectId: string,
  policies: readonly PolicyInForce[],
): Promise<PolicyEffect> {
  const to = new Date();
  const from = new Date(to.getTime() - DRY_RUN_DAYS * DAY_MS);
  const requests = await pastRequests(ctx, projectId, from);
  const caps = {
    dailyMicro: policies.flatMap((policy) => policy.rules.budgets.dailyMicro ?? []),
    monthlyMicro: policies.flatMap((policy) => policy.rules.budgets.monthlyMicro ?? []),
  };
  const totals = replay(requests.slice(-REQUESTS_MAX), mergePolicies(policies), caps);
  return { ...totals, from, to, complete: requests.length <= REQUESTS_MAX };
}

interface PastRow {
  readonly arrived_ms: number;
  readonly latency_ms: number;
  readonly requested_model: string;
  readonly model: string;
  readonly route: string;
  readonly tokens: number;
  readonly output_tokens: number;
  readonly amount_micro: bigint;
  readonly data_class: DataClass;
  readonly firewall_findings: PastRequest['findings'];
}

const PAST_SQL = `
  SELECT * FROM (
    SELECT seq, extract(epoch FROM created_at)::float8 * 1000 - latency_ms AS arrived_ms,
      latency_ms, requested_model, model, route,
      input_uncached + input_cached + cache_write + output_text + output_reasoning AS tokens,
      output_text + output_reasoning AS output_tokens,
      amount_micro, data_class, firewall_findings
    FROM usage_event
    WHERE tenant_id = $1 AND project_id = $2 AND created_at >= $3 AND status <> 'failed'
    ORDER BY seq DESC LIMIT ${REQUESTS_MAX + 1}
  ) newest ORDER BY arrived_ms, seq`;

async function pastRequests(
  ctx: AuthorizedCtx,
  projectId: string,
  from: Date,
): Promise<PastRequest[]> {
  const values = [ctx.who.tenantId, projectId, from];
  const { rows } = await tenantQuery<PastRow>(ctx.services.pool, ctx.who.tenantId, {
    text: PAST_SQL,
    values,
  });
  return rows.map((row) => ({
    arrivedMs: row.arrived_ms,
    latencyMs: row.latency_ms,
    requestedModel: row.requested_model,
    model: row.model,
    route: row.route,
    tokens: row.tokens,
    outputTokens: row.output_tokens,
    amountMicro: row.amount_micro,
    dataClass: row.data_class,
    findings: row.firewall_findings,
  }));
}
