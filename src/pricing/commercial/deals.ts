import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import { REPORT_DAYS, windowOf } from '../../kernel/window.rules.js';
import { change } from '../../records/change.js';
import { standingByValue } from '../../records/journal-tally.js';
import { appendEntry, latestEntries } from '../../records/journals.js';
import { measuredFrom } from '../../records/measured.js';
import type { Receipt } from '../../records/receipt.js';
import { countingOf, reasonFaults } from './classify.rules.js';
import { lockEvidence } from './evidence.js';
import { COMMERCIAL_RECEIPTS, DEAL_JOURNAL } from './records.js';
import {
  type LIVE_WIN_RATE,
  OUTCOME_BODY,
  OUTCOME_INPUT,
  type RECEIPT_FIELDS,
  RECEIPT_INPUT,
  type RECORDED_OUTCOME,
} from './tables.js';
import { DEAL_OUTCOMES } from './vocabulary.js';
import { winRateOf } from './win-rate.rules.js';
import { validationOf } from './wtp.js';

/**
 * Records how a deal has ended. What was recorded before stays; the latest outcome stands.
 * @throws invalid_request with every fault, such as a reason that belongs to another outcome
 */
export async function recordOutcome(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof RECORDED_OUTCOME.fields>> {
  const stated = inputValues(OUTCOME_INPUT.fields, given);
  failOnFaults([
    ...inputFaults(OUTCOME_INPUT.fields, stated, 'input'),
    ...reasonFaults(stated.outcome, stated.reason),
  ]);
  const { dealRef, outcome, reason, amountMicro } = stated;
  const body = sealedContent(OUTCOME_BODY, { reason, amountMicro });
  const name = { action: 'dealOutcomeRecord', subject: 'JournalEntry' } as const;
  return change(ctx, name, async (tx) => {
    const event = { value: outcome, subject: dealRef, body };
    const { entry } = await appendEntry(ctx, DEAL_JOURNAL, event, { tx });
    const { id, createdAt: recordedAt } = entry;
    const counting = countingOf(outcome);
    const result = { id, dealRef, outcome, reason, amountMicro, ...counting, recordedAt };
    return { result, id, after: body };
  });
}

/** Which outcomes are asked for. */
interface WinRateQuestion {
  readonly from?: Date | null;
  readonly to?: Date | null;
}

const DAY_MS = 86_400_000;

/**
 * The win rate of a window: each deal counts once, by the latest outcome that was recorded of it.
 * @throws invalid_request for a window that is empty or too long
 */
export async function liveWinRate(
  ctx: AuthorizedCtx,
  stated: WinRateQuestion,
): Promise<ValuesOf<typeof LIVE_WIN_RATE.fields>> {
  const now = sharedNow();
  const to = stated.to ?? now;
  const longest = new Date(to.getTime() - REPORT_DAYS.max * DAY_MS);
  const { from, faults } = windowOf({ from: stated.from ?? longest, to }, now);
  failOnFaults(faults);
  const { value, provenance } = await measuredFrom(
    ctx,
    (tx) => standingByValue(ctx, DEAL_JOURNAL, { from, to }, { tx }),
    (rows) => {
      const of = (wanted: string) => rows.find(({ value }) => value === wanted)?.subjects ?? 0;
      return winRateOf({ won: of('win'), lost: of('loss'), noDecision: of('no_decision') });
    },
  );
  return { ...value, from, to, provenance };
}

/**
 * Seals what the ledger says of the latest hypothesis of a deal, once for the deal: later top-ups
 * change a validation, and never a receipt.
 * @throws invalid_request, not_found for a deal without hypothesis
 */
export async function sealCommercial(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<Receipt<ValuesOf<typeof RECEIPT_FIELDS>>> {
  const asked = inputValues(RECEIPT_INPUT.fields, given);
  failOnFaults(inputFaults(RECEIPT_INPUT.fields, asked, 'input'));
  const { dealRef } = asked;
  const known = await COMMERCIAL_RECEIPTS.byKey(ctx, dealRef);
  if (known) return known;
  const name = { action: 'commercialReceiptSeal', subject: 'SealedReceipt' } as const;
  return change(ctx, name, async (tx) => {
    await lockEvidence(ctx, tx);
    const { asOf, ...validation } = await validationOf(ctx, dealRef, null, { tx });
    const of = { subject: dealRef };
    const [standing] = await latestEntries(ctx, DEAL_JOURNAL, of, 1, { tx });
    const body = standing && openedContent(OUTCOME_BODY, standing.body as SealedContent);
    const content = {
      ...validation,
      validatedAt: asOf,
      outcome: standing ? DEAL_OUTCOMES.parse(standing.value) : null,
      outcomeReason: body?.reason ?? null,
    };
    const result = await COMMERCIAL_RECEIPTS.seal(ctx, dealRef, content, { tx });
    return { result, id: result.alreadySealed ? undefined : result.row.id };
  });
}
