import type { AuthorizedCtx } from '../../graph/ctx.js';
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
import { type ClaimedTopUps, claimedTopUps } from './evidence.js';
import { countedOf, sharesOfDeals, sharesWithin } from './evidence.rules.js';
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
 * Judges a hypothesis by what of the organization's top-ups after it and within its window is
 * evidence for its deal, and by nothing else.
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
  const { value: paid, provenance } = await measuredFrom(
    ctx,
    async (rows) => [await claimedTopUps(ctx, rows, options)],
    ([read]) => paidWithin(read as ClaimedTopUps, dealRef, window),
    options,
  );
  const { asOf, paidMicro, topUps, countedMicro, evidence } = paid;
  return {
    dealRef,
    hypothesisVersion: row.version,
    hypothesesOfDeal: latest.version,
    wtpMicro,
    windowFrom: window.from,
    windowTo: window.to,
    paidMicro,
    topUps,
    countedMicro,
    evidence,
    dealsInWindow,
    provenance,
    ...judgeWtp(wtp, countedMicro, asOf),
    asOf,
  };
}

/** What the window of a hypothesis holds, and what of it counts for the deal. */
function paidWithin({ claims, topUps, asOf }: ClaimedTopUps, dealRef: string, window: Window) {
  const paid = topUps.filter(({ toppedUpAt: at }) => at > window.from && at < window.to);
  const counted = sharesWithin(sharesOfDeals(claims, topUps).get(dealRef) ?? [], window);
  return {
    asOf,
    paidMicro: paid.reduce((sum, { amountMicro }) => sum + amountMicro, 0n),
    topUps: paid.length,
    countedMicro: countedOf(counted),
    evidence: counted.slice(0, EVIDENCE_MAX).map(({ topUp, countedMicro }) => ({
      requestId: topUp.requestId,
      amountMicro: topUp.amountMicro,
      countedMicro,
      isStated: topUp.statedFor === dealRef,
      toppedUpAt: topUp.toppedUpAt,
    })),
  };
}
