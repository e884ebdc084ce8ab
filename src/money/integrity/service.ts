import type { AuthorizedCtx, Services } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { type Window, windowOf } from '../../kernel/window.rules.js';
import { databaseNow } from '../../records/clock.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import { measuredFrom } from '../../records/measured.js';
import { databaseOf } from '../../records/scope.js';
import { completenessCheck, dualMeterCheck, replayCheck } from './checks.rules.js';
import { readWindowFully } from './full.js';
import type { CheckQuestion, COMPLETENESS, DUAL_METER, REPLAY } from './tables.js';
import { isExplained, type WindowFacts } from './tally.rules.js';
import { DANGLING_AFTER_MS_MIN, faultsOfCheck, type IntegrityFault } from './vocabulary.js';
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
  return read(ctx, asked, faults, rule);
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
  const danglingBefore = new Date(now.getTime() - danglingAfterMs(services));
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
    return { ...rule(facts), rowsRead: facts.sums.rawRows, basis: facts.basis };
  });
  return { ...value, ...window, provenance };
}

const HOUR_MS = 3_600_000;

/** From when on the rows themselves were read: all of them, or those of an hour at an edge. */
function rowsSince({ basis }: WindowFacts, { from, to }: Window): Date | undefined {
  if (basis === 'full' || from.getTime() % HOUR_MS > 0) return from;
  const into = to.getTime() % HOUR_MS;
  return into > 0 ? new Date(to.getTime() - into) : undefined;
}

/** How long a hold may be open before it dangles, in milliseconds. */
export function danglingAfterMs({ config }: Pick<Services, 'config'>): number {
  return Math.max(DANGLING_AFTER_MS_MIN, 2 * config.GW_REQUEST_TIMEOUT_MS);
}
