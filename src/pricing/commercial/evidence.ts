import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { change } from '../../records/change.js';
import type { Version } from '../../records/contract-kinds.js';
import type { WriteOptions } from '../../records/scope.js';
import {
  type Claim,
  type ClaimVersion,
  countedOf,
  type PaidTopUp,
  sharesOfDeals,
} from './evidence.rules.js';
import { type EVIDENCE_FIELDS, EVIDENCE_INPUT } from './evidence.tables.js';
import { COMMERCIAL_RECEIPTS, WTP_EVIDENCE, WTP_HYPOTHESES } from './records.js';
import type { WTP_FIELDS } from './tables.js';
import { windowEnd } from './wtp.rules.js';

/** The organization's deals with a hypothesis, and the top-ups that may be evidence for them. */
export interface ClaimedTopUps {
  readonly claims: readonly Claim[];
  readonly topUps: readonly PaidTopUp[];
  /** The moment of reading, by the clock of the ledger. */
  readonly asOf: Date;
}

/** Reads every hypothesis, and every top-up after the first of them, in the order of the ledger. */
export async function claimedTopUps(
  ctx: AuthorizedCtx,
  rows: Transaction,
  options: WriteOptions = {},
): Promise<ClaimedTopUps> {
  const claims = claimsOf(await WTP_HYPOTHESES.all(ctx, options));
  const begin = Math.min(...claims.map(({ versions }) => versions[0]?.from.getTime() ?? Infinity));
  const read = await topUpsAfter(ctx, rows, Number.isFinite(begin) ? new Date(begin) : null);
  const [first] = read;
  if (!first) throw new Error('the statement of top-ups returned no row');
  const paid = read.flatMap(({ requestId, amountMicro, toppedUpAt }) =>
    requestId === null || amountMicro === null || toppedUpAt === null
      ? []
      : [{ requestId, amountMicro, toppedUpAt }],
  );
  const ids = paid.map(({ requestId }) => requestId);
  const stated = await WTP_EVIDENCE.latestOf(ctx, ids, options);
  const topUps = paid.map((topUp) => ({
    ...topUp,
    statedFor: stated.get(topUp.requestId)?.body.dealRef ?? null,
  }));
  return { claims, topUps, asOf: first.asOf };
}

/** A top-up; its own columns are null where there is none. */
interface TopUpRow {
  readonly asOf: Date;
  readonly requestId: string | null;
  readonly amountMicro: bigint | null;
  readonly toppedUpAt: Date | null;
}

function topUpsAfter({ who }: AuthorizedCtx, rows: Transaction, begin: Date | null) {
  return rows.$queryRaw<TopUpRow[]>`
    SELECT clock_timestamp() AS "asOf", paid.* FROM (VALUES (1)) AS once
    LEFT JOIN LATERAL (
      SELECT e.request_id AS "requestId", e.amount_micro AS "amountMicro",
             e.created_at AS "toppedUpAt"
      FROM account a JOIN ledger_entry e ON e.account_id = a.id
      WHERE a.tenant_id = ${who.tenantId}::uuid AND e.tenant_id = ${who.tenantId}::uuid
        AND e.type IN ('top_up', 'refund', 'adjustment', 'credit') AND e.type = 'top_up'
        AND e.created_at > ${begin}::timestamptz
      ORDER BY e.created_at, e.account_version) AS paid ON true`;
}

function claimsOf(hypotheses: readonly Version<ValuesOf<typeof WTP_FIELDS>>[]): readonly Claim[] {
  const byDeal = new Map<string, ClaimVersion[]>();
  for (const { body, createdAt: recordedAt } of hypotheses) {
    const { dealRef, wtpMicro, windowDays } = body;
    const versions = byDeal.get(dealRef) ?? [];
    byDeal.set(dealRef, versions);
    versions.push({ wtpMicro, from: recordedAt, to: windowEnd({ recordedAt, windowDays }) });
  }
  return [...byDeal].map(([dealRef, versions]) => ({ dealRef, versions }));
}

/**
 * Lets nobody state or seal evidence of the organization until the transaction ends: a receipt
 * holds what counted when it was sealed, and no statement may take that away.
 */
export function lockEvidence(ctx: AuthorizedCtx, tx: Transaction): Promise<void> {
  return WTP_EVIDENCE.lock(ctx, tx, '');
}

/**
 * States the deal that a top-up is for; the latest statement decides. A statement that would take
 * evidence from a deal with a sealed receipt is refused.
 * @throws invalid_request with every fault, not_found for a top-up or a deal that is not the
 * organization's, wtp_evidence_sealed
 */
export async function stateEvidence(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<Version<ValuesOf<typeof EVIDENCE_FIELDS>>> {
  const stated = inputValues(EVIDENCE_INPUT.fields, given);
  failOnFaults(inputFaults(EVIDENCE_INPUT.fields, stated, 'input'));
  const { topUpId, dealRef } = stated;
  const name = { action: 'wtpEvidenceState', subject: 'WtpEvidence' } as const;
  return change(ctx, name, async (tx) => {
    await lockEvidence(ctx, tx);
    const { claims, topUps } = await claimedTopUps(ctx, tx, { tx });
    const isThis = ({ requestId }: PaidTopUp) => requestId === topUpId;
    if (!topUps.some(isThis)) {
      const values = { subject: 'top-up after the first hypothesis', id: topUpId };
      fail('not_found', { values, param: 'top_up_id' });
    }
    if (!claims.some((claim) => claim.dealRef === dealRef)) {
      const values = { subject: 'WTP hypothesis of the deal', id: dealRef };
      fail('not_found', { values, param: 'deal_ref' });
    }
    const restated = topUps.map((topUp) =>
      isThis(topUp) ? { ...topUp, statedFor: dealRef } : topUp,
    );
    await requireSealedEvidence(ctx, tx, claims, [topUps, restated]);
    const result = await WTP_EVIDENCE.publish(ctx, { topUpId, dealRef }, { tx });
    return { result, id: result.id, after: { top_up_id: topUpId, deal_ref: dealRef } };
  });
}

/** @throws wtp_evidence_sealed where a deal with a sealed receipt would lose evidence */
async function requireSealedEvidence(
  ctx: AuthorizedCtx,
  tx: Transaction,
  claims: readonly Claim[],
  [before, after]: readonly [readonly PaidTopUp[], readonly PaidTopUp[]],
): Promise<void> {
  const dealRefs = claims.map(({ dealRef }) => dealRef);
  const sealed = await COMMERCIAL_RECEIPTS.byKeys(ctx, dealRefs, { tx });
  const [had, has] = [sharesOfDeals(claims, before), sharesOfDeals(claims, after)];
  for (const [dealRef, { row }] of sealed) {
    const [counted = 0n, left = 0n] = [had, has].map((shares) =>
      countedOf(
        (shares.get(dealRef) ?? []).filter((each) => each.topUp.toppedUpAt < row.createdAt),
      ),
    );
    if (left < counted)
      fail('wtp_evidence_sealed', { values: { id: dealRef }, param: 'top_up_id' });
  }
}
