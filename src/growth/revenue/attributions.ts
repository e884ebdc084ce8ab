import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import { parseRub } from '../../kernel/money.js';
import { change } from '../../records/change.js';
import { type Tally, tallyEntries } from '../../records/journal-tally.js';
import { appendEntry } from '../../records/journals.js';
import { PARTNER_CLIENTS_MAX, SOURCES } from './offers.js';
import { shareOf } from './quote.rules.js';
import { ATTRIBUTION_JOURNAL } from './records.js';
import {
  ATTRIBUTION_BODY,
  ATTRIBUTION_INPUT,
  type PARTNER_SUMMARY,
  type RECORDED_ATTRIBUTION,
} from './tables.js';

/**
 * Attributes a client to a partner, once for a source, whichever partner claims it first.
 * @throws invalid_request with every fault, partner_attribution_claimed
 */
export async function registerAttribution(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof RECORDED_ATTRIBUTION.fields>> {
  const { source, ...stated } = inputValues(ATTRIBUTION_INPUT.fields, given);
  const basisPoints = basisPointsOf(source, stated.commissionPercent);
  failOnFaults([
    ...inputFaults(ATTRIBUTION_INPUT.fields, { ...stated, source }, 'input'),
    ...(Number.isInteger(basisPoints) ? [] : [TOO_FINE]),
  ]);
  const { partnerRef, clientRef, activated, paid, mrrMicro } = stated;
  const values = {
    ...stated,
    commissionPercent: basisPoints / 100,
    commissionDueMicro: activated && paid ? shareOf(mrrMicro, basisPoints) : 0n,
  };
  const body = sealedContent(ATTRIBUTION_BODY, values);
  const externalRef = JSON.stringify([clientRef, source]);
  const name = { action: 'partnerAttributionRegister', subject: 'JournalEntry' } as const;
  return change(ctx, name, async (tx) => {
    const event = { value: source, subject: partnerRef, externalRef, body };
    const { entry, duplicate } = await appendEntry(ctx, ATTRIBUTION_JOURNAL, event, { tx });
    const { id } = entry;
    if (duplicate) {
      fail('partner_attribution_claimed', { values: { clientRef, source, id }, data: { id } });
    }
    const kept = openedContent(ATTRIBUTION_BODY, entry.body as SealedContent);
    const facts = { id, source, provenance: 'declared', recordedAt: entry.createdAt } as const;
    return { result: { ...kept, ...facts }, id, after: body };
  });
}

const TOO_FINE = fault('input.commissionPercent', 'invalid', 'has at most two decimal places');

/** The commission in hundredths of a percent; a fraction where it is stated more finely. */
function basisPointsOf(source: string, percent: number | null): number {
  if (percent === null) return SOURCES.find(source)?.commissionBasisPoints ?? 0;
  const points = Math.round(percent * 100);
  return points / 100 === percent ? points : 0.5;
}

const FIGURES = ['mrr_rub', 'commission_due_rub'] as const;

/** What the attributions of one partner, or of all, amount to. */
async function tallyOf(ctx: AuthorizedCtx, partnerRef: string | null): Promise<readonly Tally[]> {
  const body = partnerRef === null ? undefined : { member: 'partner_ref', equals: partnerRef };
  const window = { from: new Date(0), to: new Date(sharedNowMs() + 86_400_000), body };
  const by = ['client_ref', 'activated', 'paid'];
  const wish = { by, figures: FIGURES, groupsMax: PARTNER_CLIENTS_MAX };
  return tallyEntries(ctx, ATTRIBUTION_JOURNAL, window, wish);
}

/**
 * What a partner amounts to, by what was declared of its clients.
 * @throws not_found for a partner without attributions
 */
export async function partnerSummary(
  ctx: AuthorizedCtx,
  partnerRef: string,
): Promise<ValuesOf<typeof PARTNER_SUMMARY.fields>> {
  const tallies = await tallyOf(ctx, partnerRef);
  if (tallies.length === 0) {
    const values = { subject: 'partner', id: partnerRef };
    fail('not_found', { values, param: 'partner_ref' });
  }
  const paid = tallies.filter(isPaid);
  return {
    partnerRef,
    clients: clientsIn(tallies),
    activatedClients: clientsIn(tallies.filter(({ members }) => members[1] === 'true')),
    paidClients: clientsIn(paid),
    mrrMicro: sumOf(paid, 0),
    expansionMrrMicro: sumOf(
      paid.filter(({ value }) => value === 'expansion'),
      0,
    ),
    commissionDueMicro: sumOf(tallies, 1),
    attributions: tallies.reduce((sum, { entries }) => sum + entries, 0),
    provenance: 'declared',
  };
}

/** What attributed clients of all partners that have paid pay in a month. */
export async function partnerMrr(ctx: AuthorizedCtx): Promise<bigint> {
  return sumOf((await tallyOf(ctx, null)).filter(isPaid), 0);
}

function isPaid({ members }: Tally): boolean {
  return members[2] === 'true';
}

function clientsIn(tallies: readonly Tally[]): number {
  return new Set(tallies.map(({ members }) => members[0])).size;
}

function sumOf(tallies: readonly Tally[], figure: number): bigint {
  return tallies.reduce((sum, { sums }) => sum + (parseRub(sums[figure] ?? '0') ?? 0n), 0n);
}
