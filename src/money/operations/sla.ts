import type { AuthorizedCtx, Services } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { derivedId } from '../../kernel/ids.js';
import { ORIGIN_MEMBER } from '../../kernel/origin.js';
import { tenantSnapshot } from '../../platform/database/tenant-snapshot.js';
import { databaseNow } from '../../records/clock.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import { databaseOf } from '../../records/scope.js';
import { SLA_CLASSES } from '../billing/vocabulary.js';
import { monthFaults, monthWindow } from '../integrity/period.rules.js';
import { carryOut, requirePlatformAdmin } from './service.js';
import { classMonth, creditReason, type SlaMeasured } from './sla.rules.js';
import { SLA_CREDIT_INPUT, type SLA_MONTH, SLA_QUESTION } from './sla-tables.js';
import type { OperationOutcome } from './tables.js';

/** It reads the usage of a month. */
const STATEMENT_MS_MAX = 60_000;

const TARGETS = SLA_CLASSES.rows
  .map((row) => `('${row.code}', ${row.latencyMsMax}, ${row.timeToFirstTokenMsMax})`)
  .join(', ');

/** The rule of `gw_slo`, over the rows of usage that its receipts were made with. */
const MEASURED = `
  SELECT c.sla_class AS "slaClass", count(*) AS requests,
    count(*) FILTER (WHERE u.status <> 'failed' AND u.latency_ms <= c.latency_ms AND (
      NOT u.streamed OR coalesce(u.time_to_first_token_ms <= c.first_ms, TRUE))) AS met,
    (coalesce(sum(u.amount_micro), 0) - coalesce(sum(r.micro), 0))::bigint AS "chargedMicro"
  FROM usage_event u
  CROSS JOIN LATERAL (
    SELECT t.* FROM (VALUES ${TARGETS}) AS t (sla_class, latency_ms, first_ms)
    WHERE t.sla_class = coalesce((
      SELECT sla_class FROM commercial_terms
      WHERE tenant_id = $1 AND effective_from <= u.created_at
      ORDER BY effective_from DESC, seq DESC LIMIT 1), 'standard')
  ) c
  LEFT JOIN (
    SELECT charged_request_id AS id, sum(amount_micro) AS micro FROM ledger_entry
    WHERE tenant_id = $1 AND type = 'refund' AND charged_request_id IS NOT NULL
      AND created_at >= $2
    GROUP BY 1
  ) r ON r.id = u.id
  WHERE u.tenant_id = $1 AND u.created_at >= $2 AND u.created_at < $3 AND u.operation = 'chat'
    AND NOT u.simulated AND u.metadata -> '${ORIGIN_MEMBER}' IS NULL
    AND (u.status <> 'failed' OR u.http_status >= 500)
  GROUP BY 1 ORDER BY 1`;

/** @throws invalid_request for a month that is none or not over; detail_dropped */
async function monthOf(
  ctx: AuthorizedCtx,
  tenantId: string,
  month: string,
  path: string,
): Promise<ValuesOf<typeof SLA_MONTH.fields>> {
  failOnFaults(monthFaults(path, month, await databaseNow(databaseOf(ctx))));
  const { from, to } = monthWindow(month);
  const { pool }: Services = ctx.services;
  const measured = await tenantSnapshot(
    pool,
    tenantId,
    (query) => query<SlaMeasured & Record<string, unknown>>(MEASURED, [tenantId, from, to]),
    STATEMENT_MS_MAX,
  );
  await requireUsageSince(pool, from);
  const classes = measured.map(classMonth);
  const creditMicro = classes.reduce((sum, each) => sum + each.creditMicro, 0n);
  return { month, classes, creditMicro };
}

/** The service level of the caller's month. @throws as `monthOf` */
export function slaMonth(ctx: AuthorizedCtx, given: GivenValues) {
  const { month } = inputValues(SLA_QUESTION, given);
  return monthOf(ctx, ctx.who.tenantId, month, 'month');
}

/**
 * Credits a month by the published terms, once for it: asked again, the first credit is answered.
 * @throws platform_admin_required, invalid_request, not_found
 */
export async function issueSlaCredit(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<OperationOutcome> {
  requirePlatformAdmin(ctx);
  const asked = inputValues(SLA_CREDIT_INPUT.fields, given);
  failOnFaults(inputFaults(SLA_CREDIT_INPUT.fields, asked, 'input'));
  const { tenantId, month } = asked;
  const { classes, creditMicro } = await monthOf(ctx, tenantId, month, 'input.month');
  const id = derivedId('Request', tenantId, `sla_credit ${month}`);
  const order = { id, operation: 'sla_credit', tenantId, chargedRequestId: null } as const;
  if (creditMicro === 0n) return nothingDue(order);
  const reason = creditReason(month, classes);
  return carryOut(ctx, { ...order, amountMicro: creditMicro, reason });
}

function nothingDue({ id: operationId, operation, tenantId }: DueOrder): OperationOutcome {
  const nothing = { vatMicro: null, postedAfterMicro: null, receiptId: null, approvalId: null };
  return { operationId, status: 'not_due', operation, tenantId, amountMicro: 0n, ...nothing };
}

interface DueOrder {
  readonly id: string;
  readonly operation: 'sla_credit';
  readonly tenantId: string;
}
