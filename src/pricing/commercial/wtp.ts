import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import type { Window } from '../../kernel/window.rules.js';
import { change } from '../../records/change.js';
import type { Version } from '../../records/contract-kinds.js';
import { contractAtVersion, countOthersInForce, latestContract } from '../../records/contracts.js';
import { measuredFrom } from '../../records/measured.js';
import type { WriteOptions } from '../../records/scope.js';
import { WTP_HYPOTHESES } from './records.js';
import { type VALIDATION, VALIDATION_INPUT, WTP_FIELDS, WTP_INPUT } from './tables.js';
import { EVIDENCE_MAX } from './vocabulary.js';
import { judgeWtp, windowEnd } from './wtp.rules.js';

/**
 * Records a hypothesis. The deal's earlier ones stay as they were, and each is judged by itself.
 * @throws invalid_request with every fault
 */
export async function recordWtp(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<Version<ValuesOf<typeof WTP_FIELDS>>> {
  const stated = inputValues(WTP_INPUT.fields, given);
  failOnFaults(inputFaults(WTP_INPUT.fields, stated, 'input'));
  const name = { action: 'wtpHypothesisRecord', subject: 'WtpHypothesis' } as const;
  return change(ctx, name, async (tx) => {
    const body = { ...stated, status: 'DECLARED' as const };
    const result = await WTP_HYPOTHESES.publish(ctx, body, { tx });
    return { result, id: result.id, after: sealedContent(WTP_FIELDS, result.body) };
  });
}

/** What the ledger says of a hypothesis, with the moment at which it was asked. */
export type Validation = ValuesOf<typeof VALIDATION.fields>;

/**
 * Judges a hypothesis by the organization's top-ups after it, within its window, and by nothing
 * else.
 * @throws not_found for a deal without hypothesis, invalid_request with every fault
 */
export async function validateWtp(ctx: AuthorizedCtx, given: GivenValues): Promise<Validation> {
  const asked = inputValues(VALIDATION_INPUT.fields, given);
  failOnFaults(inputFaults(VALIDATION_INPUT.fields, asked, 'input'));
  return validationOf(ctx, asked.dealRef, asked.version);
}

/** The same for the latest hypothesis of a deal, or one of its versions. @throws not_found */
export async function validationOf(
  ctx: AuthorizedCtx,
  dealRef: string,
  version: number | null,
  options: WriteOptions = {},
): Promise<Validation> {
  const name = { kind: WTP_HYPOTHESES.kind, key: dealRef };
  const latest = await latestContract(ctx, name, options);
  if (!latest) {
    const values = { subject: 'WTP hypothesis of the deal', id: dealRef };
    return fail('not_found', { values, param: 'deal_ref' });
  }
  const isLatest = version === null || version === latest.version;
  const row = isLatest ? latest : await contractAtVersion(ctx, name, version);
  const { wtpMicro, windowDays } = openedContent(WTP_FIELDS, row.body as SealedContent);
  const wtp = { wtpMicro, windowDays, recordedAt: row.createdAt };
  const window = { from: row.createdAt, to: windowEnd(wtp) };
  const dealsInWindow = await countOthersInForce(ctx, name, window, 'window_days', options);
  const read = topUpsWithin(ctx, window);
  const { value: paid, provenance } = await measuredFrom(ctx, read, paidOf, options);
  const { asOf, paidMicro, topUps, evidence } = paid;
  return {
    dealRef,
    hypothesisVersion: row.version,
    hypothesesOfDeal: latest.version,
    wtpMicro,
    windowFrom: window.from,
    windowTo: window.to,
    paidMicro,
    topUps,
    evidence,
    dealsInWindow,
    provenance,
    ...judgeWtp(wtp, paidMicro, asOf),
    asOf,
  };
}

/** A top-up of the window beside the sums of all; its own columns are null where there is none. */
interface TopUpRow {
  readonly asOf: Date;
  readonly requestId: string | null;
  readonly amountMicro: bigint | null;
  readonly toppedUpAt: Date | null;
  readonly paidMicro: bigint | null;
  readonly topUps: number | null;
}

/**
 * The window is open at both ends. Times are kept to the millisecond, so a top-up of the very
 * millisecond of the hypothesis may have come before it, and does not count.
 */
function topUpsWithin({ who }: AuthorizedCtx, { from, to }: Window) {
  return (rows: Transaction) => rows.$queryRaw<TopUpRow[]>`
    SELECT clock_timestamp() AS "asOf", paid.* FROM (VALUES (1)) AS once
    LEFT JOIN LATERAL (
      SELECT e.request_id AS "requestId", e.amount_micro AS "amountMicro",
             e.created_at AS "toppedUpAt", sum(e.amount_micro) OVER ()::bigint AS "paidMicro",
             count(*) OVER ()::int AS "topUps"
      FROM account a JOIN ledger_entry e ON e.account_id = a.id
      WHERE a.tenant_id = ${who.tenantId}::uuid AND e.tenant_id = ${who.tenantId}::uuid
        AND e.type IN ('top_up', 'refund', 'adjustment', 'credit') AND e.type = 'top_up'
        AND e.created_at > ${from} AND e.created_at < ${to}
      ORDER BY e.account_version LIMIT ${EVIDENCE_MAX}) AS paid ON true`;
}

function paidOf(rows: readonly TopUpRow[]) {
  const [first] = rows;
  if (!first) throw new Error('the statement of top-ups returned no row');
  const evidence = rows.flatMap(({ requestId, amountMicro, toppedUpAt }) =>
    requestId === null || amountMicro === null || toppedUpAt === null
      ? []
      : [{ requestId, amountMicro, toppedUpAt }],
  );
  const { asOf, paidMicro, topUps } = first;
  return { asOf, paidMicro: paidMicro ?? 0n, topUps: topUps ?? 0, evidence };
}
