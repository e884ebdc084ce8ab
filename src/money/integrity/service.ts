import type { AuthorizedCtx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { isoTime } from '../../kernel/time.js';
import { type Window, windowOf } from '../../kernel/window.rules.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import { measuredFrom } from '../../records/measured.js';
import { beforeBegin, organizationBegin } from '../../records/organization-begin.js';
import { databaseOf } from '../../records/scope.js';
import { completenessCheck, compositeCheck, dualMeterCheck, replayCheck } from './checks.rules.js';
import { readWindowFully } from './full.js';
import { periodOf } from './period.rules.js';
import { INTEGRITY_RECEIPTS } from './records.js';
import {
  type CheckQuestion,
  type COMPLETENESS,
  type DUAL_METER,
  type REPLAY,
  SEAL_INPUT,
} from './tables.js';
import { isExplained, type WindowFacts } from './tally.rules.js';
import {
  DANGLING_AFTER_MS_MIN,
  faultsOfCheck,
  INTEGRITY_FAULTS,
  type IntegrityFault,
} from './vocabulary.js';
import { readWindow } from './window.js';

/**
 * Whether every charge has its usage, every usage its charge, and every hold its end.
 * @throws invalid_request for a window that is empty or too long
 */
export function liveCompleteness(
  ctx: AuthorizedCtx,
  question: CheckQuestion,
): Promise<ValuesOf<typeof COMPLETENESS.fields>> {
  return check(ctx, question, faultsOfCheck('completeness'), completenessCheck);
}

/**
 * What the ledger has charged against what usage says, request by request.
 * @throws invalid_request for a window that is empty or too long
 */
export function liveDualMeter(
  ctx: AuthorizedCtx,
  question: CheckQuestion,
): Promise<ValuesOf<typeof DUAL_METER.fields>> {
  return check(ctx, question, faultsOfCheck('dual_meter'), dualMeterCheck);
}

/**
 * Every charge computed again from the tokens and the dated price row of its usage.
 * @throws invalid_request for a window that is empty or too long
 */
export function liveReplay(
  ctx: AuthorizedCtx,
  question: CheckQuestion,
): Promise<ValuesOf<typeof REPLAY.fields>> {
  return check(ctx, question, faultsOfCheck('replay'), replayCheck);
}

async function check<T>(
  ctx: AuthorizedCtx,
  question: CheckQuestion,
  faults: readonly IntegrityFault[],
  rule: (facts: WindowFacts) => T,
) {
  const now = await databaseNow(databaseOf(ctx));
  const { from, to, faults: windowFaults } = windowOf(question, now);
  failOnFaults(windowFaults);
  const asked = { window: { from, to }, now, full: question.full === true };
  return (await read(ctx, asked, faults, rule)).answer;
}

interface Asked {
  readonly window: Window;
  readonly now: Date;
  readonly full: boolean;
}

async function read<T>(
  ctx: AuthorizedCtx,
  { window, now, full }: Asked,
  faults: readonly IntegrityFault[],
  rule: (facts: WindowFacts) => T,
) {
  const { services, who } = ctx;
  const longestMs = 2 * services.config.GW_REQUEST_TIMEOUT_MS;
  const afterMs = Math.max(DANGLING_AFTER_MS_MIN, longestMs);
  const danglingBefore = new Date(now.getTime() - afterMs);
  const question = { tenantId: who.tenantId, window, danglingBefore, faults };
  const rows = async () => {
    const proven = full ? undefined : await readWindow(services, question);
    // What the proof does not explain of itself is read from the rows.
    const isEnough = proven && (proven.isBehind || isExplained(proven.sums, proven.tally));
    const found = isEnough ? proven : await readWindowFully(services, question);
    const since = rowsSince(found, window);
    if (since) await requireUsageSince(services.pool, since);
    return [found];
  };
  const { value, provenance } = await measuredFrom(ctx, rows, (found) => {
    const facts = found[0] as WindowFacts;
    return { ...rule(facts), rowsRead: facts.sums.rawRows, ...basisOf(facts) };
  });
  const { isBehind, ...figures } = value;
  return { answer: { ...figures, ...window, provenance }, isBehind };
}

const HOUR_MS = 3_600_000;

/** From when on the rows themselves were read: all of them, or those of an hour at an edge. */
function rowsSince({ basis }: WindowFacts, { from, to }: Window): Date | undefined {
  if (basis === 'full' || from.getTime() % HOUR_MS > 0) return from;
  const into = to.getTime() % HOUR_MS;
  return into > 0 ? new Date(to.getTime() - into) : undefined;
}

function basisOf({ basis, isBehind }: WindowFacts) {
  return { basis, isBehind };
}

/** All checks of a period; what is sealed for ever never says that the proof was behind. */
async function composite(ctx: AuthorizedCtx, asked: Asked) {
  const judge = (full: boolean) =>
    read(ctx, { ...asked, full }, INTEGRITY_FAULTS.codes, compositeCheck);
  const { answer, isBehind } = await judge(asked.full);
  return isBehind ? (await judge(true)).answer : answer;
}

/**
 * Seals what the three checks say of a period, once for it: whoever asks again gets the first.
 * @throws invalid_request with every fault, among them a period that is not over, or over
 * before the organization was there
 */
export async function sealIntegrity(ctx: AuthorizedCtx, given: GivenValues) {
  const asked = inputValues(SEAL_INPUT.fields, given);
  failOnFaults(inputFaults(SEAL_INPUT.fields, asked, 'input'));
  const now = await databaseNow(databaseOf(ctx));
  const { from, to, faults } = periodOf(asked, now);
  failOnFaults(faults);
  const key = `${isoTime(from)}/${isoTime(to)}`;
  const known = await INTEGRITY_RECEIPTS.byKey(ctx, key);
  if (known) return { ...known, alreadySealed: true };
  const path = asked.to === null ? 'input.period' : 'input.to';
  failOnFaults(beforeBegin(path, { from, to }, await organizationBegin(ctx)));
  const question = { window: { from, to }, now, full: asked.full };
  const content = await composite(ctx, question);
  const name = { action: 'billingIntegrityReceiptSeal', subject: 'SealedReceipt' };
  return change(ctx, name, async (tx) => {
    const result = await INTEGRITY_RECEIPTS.seal(ctx, key, content, { tx });
    return { result, id: result.alreadySealed ? undefined : result.row.id };
  });
}
