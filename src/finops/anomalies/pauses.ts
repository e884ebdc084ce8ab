import type { Pool } from 'pg';
import type { Approval } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Services, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { kindOfId, newId } from '../../kernel/ids.js';
import { named } from '../../platform/database/pool.js';
import { ANOMALY_FEED } from '../../records/anomaly-feed.js';
import { defineApprovalKind } from '../../records/approvals/kinds.js';
import { type AskingScope, approvalById, requestApproval } from '../../records/approvals/queue.js';
import { change } from '../../records/change.js';
import { publish } from '../../records/feed.js';
import { lockOwn } from '../../records/own.js';
import { inTransaction } from '../../records/scope.js';
import { BUDGET_SCOPES } from '../budgets/vocabulary.js';
import { PAUSE_TOLD } from './feed-payload.js';
import { afterDecision } from './pause.rules.js';

/** How long a decision about a scope may wait. A scope that is paused stays so afterwards. */
const WAIT_SECONDS_MAX = 30 * 24 * 60 * 60;

defineApprovalKind({
  kind: 'spend_pause',
  // Nodes are notified by the row, and the hold confirms it: the next request is judged by it.
  async onDecided(tx, { tenantId, subjectId, status, decidedAt }) {
    const pause = await tx.spendPause.findFirst({ where: { id: subjectId, tenantId } });
    const next = pause && afterDecision(pause.status, status);
    if (!next) return;
    await tx.spendPause.update({
      where: { id: subjectId, tenantId },
      data: { status: next, decidedAt },
    });
    await tell(tx, next, pause);
  },
});

interface Told {
  readonly id: string;
  readonly tenantId: string;
  readonly anomalyId: string;
  readonly scopeKind: string;
  readonly scopeRef: string;
  readonly reason: string;
  readonly approvalId: string | null;
}

async function tell(tx: Transaction, type: string, pause: Told): Promise<void> {
  const { id, tenantId, anomalyId, scopeKind, scopeRef, reason, approvalId } = pause;
  const payload = sealedContent(PAUSE_TOLD.fields, {
    pauseId: id,
    anomalyId,
    scope: BUDGET_SCOPES.parse(scopeKind),
    scopeRef,
    reason,
    approvalId,
  });
  await publish(tx, { tenantId, feed: ANOMALY_FEED.name, type, subjectId: id, payload });
}

interface ActingRow {
  readonly id: string;
  readonly tenantId: string;
  readonly ruleBy: string;
  readonly action: string;
  readonly type: string;
  readonly scopeKind: string;
  readonly scopeRef: string;
  readonly metric: string;
  readonly observed: number;
  readonly expected: number;
  readonly threshold: number;
}

/** Anomalies whose rule says that something is done, and nothing is yet. */
export const ANOMALIES_TO_ACT_ON = `FROM anomaly a
  WHERE a.action <> 'alert' AND a.created_at > clock_timestamp() - interval '1 day'
    AND NOT EXISTS (SELECT FROM spend_pause p WHERE p.anomaly_id = a.id)`;

const ACTING_SQL = `
  SELECT a.id, a.tenant_id AS "tenantId", a.rule_by AS "ruleBy", a.action, a.type,
    a.scope_kind AS "scopeKind", a.scope_ref AS "scopeRef", a.metric, a.observed, a.expected,
    a.threshold
  ${ANOMALIES_TO_ACT_ON}
  ORDER BY a.created_at LIMIT 50`;

/**
 * Does what the rules of anomalies say: pauses their scopes, or puts them under review. Each
 * anomaly acts once; what a crash has left undone is done by the next call, on any node.
 * @param pool sees the rows of all tenants
 */
export async function actOnAnomalies(services: Services, pool: Pool): Promise<void> {
  const { rows } = await named<ActingRow>(pool, 'anomalies_acting', ACTING_SQL, []);
  for (const row of rows) {
    const kind = kindOfId(row.ruleBy) === 'ApiKey' ? ('api_key' as const) : ('user' as const);
    const scope = { services, who: { tenantId: row.tenantId, id: row.ruleBy, kind } };
    await inTransaction(scope, {}, (tx) => act(scope, tx, row));
  }
}

async function act(scope: AskingScope, tx: Transaction, row: ActingRow): Promise<void> {
  const { id: anomalyId, tenantId, scopeKind, scopeRef } = row;
  // Nodes that come to it at the same time wait here.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(
    concat_ws(E'\n', 'spend_pause', ${tenantId}::uuid), 0))`;
  if (await tx.spendPause.findFirst({ where: { anomalyId, tenantId } })) return;
  const open = { in: ['paused', 'under_review'] };
  const standing = await tx.spendPause.findFirst({
    where: { tenantId, scopeKind, scopeRef, status: open },
  });
  const id = newId('SpendPause');
  const reason = reasonOf(row);
  const data = { id, tenantId, anomalyId, scopeKind, scopeRef, reason };
  if (standing) {
    await tx.spendPause.create({ data: { ...data, status: 'joined' } });
    return;
  }
  const status = row.action === 'pause' ? 'paused' : 'under_review';
  const approval = await ask(scope, tx, { ...data, status });
  const pause = { ...data, status, approvalId: approval.id };
  await tx.spendPause.create({ data: pause });
  await tell(tx, status, pause);
}

function reasonOf({ type, metric, observed, expected, threshold }: ActingRow): string {
  const of = expected > 0 ? `, ${expected} expected` : '';
  return `${type}: ${metric} ${observed} observed${of}, limit ${threshold}`;
}

interface Asked {
  readonly id: string;
  readonly anomalyId: string;
  readonly scopeKind: string;
  readonly scopeRef: string;
  readonly reason: string;
  readonly status: string;
}

function ask(scope: AskingScope, tx: Transaction, pause: Asked): Promise<Approval> {
  const { id, anomalyId, scopeKind, scopeRef, reason, status } = pause;
  const shown = { anomaly_id: anomalyId, scope: scopeKind, scope_ref: scopeRef, reason, status };
  const verb = status === 'paused' ? 'Resume' : 'Keep running';
  const summary = `${verb} ${scopeKind} "${scopeRef}": ${reason}`;
  const wish = { kind: 'spend_pause' as const, subjectId: id, summary, shown };
  return requestApproval(scope, { ...wish, expiresInSeconds: WAIT_SECONDS_MAX }, { tx });
}

/**
 * Asks again that a paused scope goes on, after a member has rejected it or nobody decided.
 * @throws not_found, spend_not_paused
 */
export function requestResume(ctx: AuthorizedCtx, id: string) {
  return change(ctx, { action: 'spendResumeRequest', subject: 'SpendPause' }, async (tx) => {
    const pause = await lockOwn(ctx, tx, 'SpendPause', id);
    if (pause.status !== 'paused') fail('spend_not_paused', { values: { status: pause.status } });
    const { tenantId } = ctx.who;
    const { approvalId } = pause;
    const asked = approvalId === null ? null : await approvalById(ctx, approvalId, { tx });
    if (asked?.status === 'pending') return { result: pause };
    const approval = await ask(ctx, tx, pause);
    const result = await tx.spendPause.update({
      where: { id, tenantId },
      data: { approvalId: approval.id },
    });
    return { result, id, after: { approvalId: approval.id } };
  });
}
