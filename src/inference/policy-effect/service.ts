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
import { sharedNow } from '../../kernel/clock.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { tenantReport } from '../../platform/database/tenant-query.js';
import { requireOwn } from '../../records/own.js';
import { DATA_CLASS_MEMBER } from '../stated-classes.rules.js';
import { type EffectTotals, type PastRequest, replay } from './rules.js';
import type { WINDOW_FIELDS } from './tables.js';

/** What a policy would have done to the traffic of the last days, or to the newest part of it. */
export type PolicyEffect = EffectTotals & ValuesOf<typeof WINDOW_FIELDS>;

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
  const others = await policiesOf(ctx, projectId);
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
  const before = await requireOwn(ctx, 'Policy', id);
  const { name, enabled, rules } = changedPolicy(before, change);
  requireValid(ctx, name, rules);
  const others = await policiesOf(ctx, before.projectId, id);
  const changed = { id, version: before.version + 1, name, rules, budgetIds: [] };
  return effect(ctx, before.projectId, enabled ? [...others, changed] : others);
}

async function policiesOf(ctx: AuthorizedCtx, projectId: string, except?: string) {
  const rows = await database(ctx).policy.findMany({ where: { projectId, enabled: true } });
  const others = rows.filter((row) => row.id !== except);
  return others.map((row) => ({ ...row, rules: readRules(row.rules), budgetIds: [] }));
}

async function effect(
  ctx: AuthorizedCtx,
  projectId: string,
  policies: readonly PolicyInForce[],
): Promise<PolicyEffect> {
  const to = sharedNow();
  const from = new Date(to.getTime() - DRY_RUN_DAYS * DAY_MS);
  const requests = await pastRequests(ctx, projectId, from);
  const caps = {
    dailyMicro: policies.flatMap((policy) => policy.rules.budgets.dailyMicro ?? []),
    monthlyMicro: policies.flatMap((policy) => policy.rules.budgets.monthlyMicro ?? []),
  };
  const totals = replay(requests.slice(-REQUESTS_MAX), mergePolicies(policies), caps);
  return { ...totals, from, to, complete: requests.length <= REQUESTS_MAX };
}

const PAST_SQL = `
  SELECT * FROM (
    SELECT seq, extract(epoch FROM created_at)::float8 * 1000 - latency_ms AS "arrivedMs",
      latency_ms AS "latencyMs",
      coalesce(metadata -> 'gw_alias' ->> 'target', requested_model) AS "requestedModel",
      model, route,
      input_uncached + input_cached + cache_write + output_text + output_reasoning AS tokens,
      output_text + output_reasoning AS "outputTokens",
      amount_micro AS "amountMicro", data_class AS "dataClass",
      metadata -> '${DATA_CLASS_MEMBER}' AS sources, firewall_findings AS findings,
      metadata -> 'gw_unread' AS unread
    FROM usage_event
    WHERE tenant_id = $1 AND project_id = $2 AND created_at >= $3 AND status <> 'failed'
    ORDER BY seq DESC LIMIT ${REQUESTS_MAX + 1}
  ) newest ORDER BY "arrivedMs", seq`;

async function pastRequests({ who, services }: AuthorizedCtx, projectId: string, from: Date) {
  const values = [who.tenantId, projectId, from];
  const query = { text: PAST_SQL, values };
  return (await tenantReport<PastRequest>(services.pool, who.tenantId, query)).rows;
}
