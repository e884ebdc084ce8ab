import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import type { MicroRub } from '../../kernel/money.js';
import type { Window } from '../../kernel/window.rules.js';
import { latestValuesSql } from '../../records/journal-latest.js';
import type { RecordedCost } from './coverage.rules.js';
import type { SupplierCosts } from './metrics.rules.js';
import { GATEWAY_SUPPLIER, MISSING_INVOICES_MAX } from './vocabulary.js';
import { workJudgements } from './work-judgements.js';

/** Whether event `e` still counts. */
const STANDS = Prisma.raw(`
  NOT EXISTS (SELECT FROM cost_event r WHERE r.tenant_id = e.tenant_id AND r.replaces_id = e.id)`);

/**
 * Whether event `e` tells a charge of the ledger again. What a month that was dropped had charged
 * is in the ledger alone.
 */
const REPEATS = Prisma.raw(`
  (e.kind = 'model' AND (EXISTS (
    SELECT FROM usage_event k WHERE k.tenant_id = e.tenant_id AND k.id = e.request_id
  ) OR EXISTS (
    SELECT FROM account a JOIN ledger_entry l ON l.account_id = a.id
    WHERE a.tenant_id = e.tenant_id AND l.request_id = e.request_id AND l.type = 'finalize')))`);

/**
 * What is recorded of a window, summed by where it comes from and what is known of it. A refund
 * takes off what it gives back of its request, at the time when it was posted and in the category
 * that the request has by now, whenever that was said. An event of model cost whose request the
 * ledger has charged is that charge told again, and a replaced event is none.
 */
export function costsOf(ctx: AuthorizedCtx, { from, to }: Window) {
  const { tenantId } = ctx.who;
  const words = workJudgements();
  const columns = (name: 'kind' | 'value' | 'category') => words.map((each) => each[name]);
  const kinds = [...new Set(columns('kind'))];
  const judged = latestValuesSql(ctx, kinds, { since: from });
  // Requests of before the window, whose judgement may be as old as they are.
  const subjects = Prisma.sql`SELECT id::text FROM refunded WHERE id IS NOT NULL`;
  const judgedBefore = latestValuesSql(ctx, kinds, { subjects });
  const middle = new Date((from.getTime() + to.getTime()) / 2);
  return (rows: Transaction) => rows.$queryRaw<RecordedCost[]>`
    WITH refunded AS MATERIALIZED (
      SELECT r.id, r.simulated, r.status, r.created_at, r.vat_micro - r.amount_micro AS net
      FROM usage_refund r
      WHERE r.tenant_id = ${tenantId}::uuid
        AND r.created_at >= ${from} AND r.created_at < ${to}
    ), judged AS (
      SELECT latest.subject, words.category
      FROM ((${judged}) UNION (${judgedBefore})) latest
      JOIN unnest(${columns('kind')}::text[], ${columns('value')}::text[],
                  ${columns('category')}::text[]) AS words (kind, value, category)
        ON words.kind = latest.kind AND words.value = latest.value
    ), charged AS (
      SELECT u.id, u.simulated, u.status, u.created_at, 1 AS charges,
             u.amount_micro - u.vat_micro AS net
      FROM usage_event u
      WHERE u.tenant_id = ${tenantId}::uuid AND u.amount_micro > 0
        AND u.created_at >= ${from} AND u.created_at < ${to}
      UNION ALL
      SELECT r.id, r.simulated, r.status, r.created_at, 0, r.net FROM refunded r
    ), costs AS (
      SELECT CASE WHEN c.simulated THEN 'simulated' ELSE 'ledger' END AS source,
             'DIRECT' AS confidence, c.created_at AS at, c.net, c.charges AS events,
             coalesce(j.category,
                      CASE WHEN c.status <> 'complete' THEN 'failed_delivery' END) AS category
      FROM charged c LEFT JOIN judged j ON j.subject = c.id::text
      UNION ALL
      SELECT CASE WHEN ${REPEATS} THEN 'repeated' ELSE 'event' END,
             e.confidence, e.occurred_at, e.net_micro, 1, coalesce(e.category, j.category)
      FROM cost_event e LEFT JOIN judged j ON j.subject = e.request_id::text
      WHERE e.tenant_id = ${tenantId}::uuid AND e.kind <> 'invoice'
        AND e.occurred_at >= ${from} AND e.occurred_at < ${to}
        AND ${STANDS}
    )
    SELECT source, confidence, category, at < ${middle} AS "isEarly", sum(events)::int AS events,
           sum(net)::bigint AS "netMicro"
    FROM costs GROUP BY 1, 2, 3, 4`;
}

/** What suppliers have cost in a window and invoiced for its month; the gateway is one of them. */
export function supplierCosts(
  ctx: AuthorizedCtx,
  { month, from, to }: Window & { readonly month: string },
  ledgerMicro: MicroRub,
) {
  return (rows: Transaction) => rows.$queryRaw<SupplierCosts[]>`
    WITH standing AS (
      SELECT e.* FROM cost_event e
      WHERE e.tenant_id = ${ctx.who.tenantId}::uuid AND e.supplier IS NOT NULL
        AND (e.billed_month = ${month} OR e.kind <> 'invoice'
             AND e.occurred_at >= ${from} AND e.occurred_at < ${to})
        AND ${STANDS}
    ), figures AS (
      SELECT supplier, NULL::numeric AS reported, net_micro::numeric AS invoiced FROM standing
      WHERE kind = 'invoice'
      UNION ALL
      SELECT e.supplier, e.net_micro, NULL FROM standing e
      WHERE e.kind <> 'invoice' AND NOT ${REPEATS}
      UNION ALL
      SELECT ${GATEWAY_SUPPLIER}, ${ledgerMicro}::bigint, NULL WHERE ${ledgerMicro}::bigint > 0
    ), suppliers AS (
      SELECT supplier, sum(reported) AS reported, sum(invoiced) AS invoiced FROM figures
      GROUP BY supplier)
    SELECT coalesce(sum(reported), 0)::bigint AS "reportedMicro",
           coalesce(sum(invoiced), 0)::bigint AS "invoicedMicro", count(*)::int AS suppliers,
           coalesce((array_agg(supplier ORDER BY reported DESC, supplier)
             FILTER (WHERE invoiced IS NULL))[1:${MISSING_INVOICES_MAX}], '{}') AS missing
    FROM suppliers`;
}

/** What an account spent in a window, VAT included, and what it can spend still. */
interface Spend {
  readonly charges: number;
  readonly spentMicro: MicroRub;
  readonly availableMicro: MicroRub;
}

/** What the ledger has charged an account in a window, less refunds. */
export function spendOf({ who }: AuthorizedCtx, { from, to }: Window) {
  return (rows: Transaction) => rows.$queryRaw<Spend[]>`
    SELECT count(*) FILTER (WHERE e.type = 'finalize')::int AS charges,
           coalesce(sum(-e.posted_delta), 0)::bigint AS "spentMicro",
           (SELECT posted_micro - held_micro FROM account WHERE id = ${who.accountId}::uuid)
             AS "availableMicro"
    FROM ledger_entry e
    WHERE e.account_id = ${who.accountId}::uuid AND e.type IN ('finalize', 'refund')
      AND e.created_at >= ${from} AND e.created_at < ${to}`;
}

/** What a client has cost. */
interface ClientCost {
  readonly client: string;
  readonly costMicro: MicroRub;
}

/**
 * What each of some clients has cost in a window, less the refunds posted in it; those without any
 * cost are not there.
 */
export function clientCosts({ who }: AuthorizedCtx, { from, to }: Window, clients: string[]) {
  return (rows: Transaction) => rows.$queryRaw<ClientCost[]>`
    SELECT client, sum(net)::bigint AS "costMicro" FROM (
      SELECT u.client_id AS client, u.amount_micro - u.vat_micro AS net FROM usage_event u
      WHERE u.tenant_id = ${who.tenantId}::uuid AND NOT u.simulated AND u.amount_micro > 0
        AND u.client_id = ANY(${clients}::text[])
        AND u.created_at >= ${from} AND u.created_at < ${to}
      UNION ALL
      SELECT r.client_id, r.vat_micro - r.amount_micro FROM usage_refund r
      WHERE r.tenant_id = ${who.tenantId}::uuid AND NOT r.simulated
        AND r.client_id = ANY(${clients}::text[])
        AND r.created_at >= ${from} AND r.created_at < ${to}
      UNION ALL
      SELECT e.client_id, e.net_micro FROM cost_event e
      WHERE e.tenant_id = ${who.tenantId}::uuid AND e.kind <> 'invoice'
        AND e.client_id = ANY(${clients}::text[])
        AND e.occurred_at >= ${from} AND e.occurred_at < ${to}
        AND ${STANDS}
        AND NOT ${REPEATS}
    ) costs GROUP BY client`;
}
