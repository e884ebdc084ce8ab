import { formatRub } from '../../kernel/money.js';
import { isoTime } from '../../kernel/time.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import type { WTP_STATUSES } from './vocabulary.js';

const DAY_MS = 86_400_000;

/** A hypothesis that was recorded. */
export interface RecordedWtp {
  readonly wtpMicro: bigint;
  readonly windowDays: number;
  readonly recordedAt: Date;
}

/** The end of the window of a hypothesis. */
export function windowEnd({ recordedAt, windowDays }: Omit<RecordedWtp, 'wtpMicro'>): Date {
  return new Date(recordedAt.getTime() + windowDays * DAY_MS);
}

/** What the ledger makes of a hypothesis. */
export interface WtpJudgement {
  readonly status: CodeOf<typeof WTP_STATUSES>;
  readonly missingMicro: bigint;
  readonly reason: string | null;
  readonly needed: readonly string[];
}

/**
 * Judges a hypothesis by what was topped up in its window: reached it is VALIDATED, unreached and
 * over it is REFUTED, and as long as both are open it stays DECLARED.
 */
export function judgeWtp(wtp: RecordedWtp, paidMicro: bigint, asOf: Date): WtpJudgement {
  const missingMicro = wtp.wtpMicro > paidMicro ? wtp.wtpMicro - paidMicro : 0n;
  if (missingMicro === 0n) return { status: 'VALIDATED', missingMicro, reason: null, needed: [] };
  const end = windowEnd(wtp);
  const inWords = `${formatRub(missingMicro)} RUB`;
  if (asOf >= end) {
    const reason = `The window is over, and ${inWords} were not topped up in it.`;
    return { status: 'REFUTED', missingMicro, reason, needed: [] };
  }
  return {
    status: 'DECLARED',
    missingMicro,
    reason: 'The window is open, and its top-ups do not reach the willingness to pay yet.',
    needed: [`top-ups of ${inWords} before ${isoTime(end)}`],
  };
}

/** What a stated willingness to pay amounts to: a declaration, whatever else the body says. */
export function statedWtp(stated: {
  readonly dealRef: string | null;
  readonly wtpMicro: bigint;
  readonly windowDays: number;
  readonly paidMicro: bigint | null;
}) {
  const { dealRef, wtpMicro, windowDays, paidMicro } = stated;
  return {
    status: 'DECLARED' as const,
    dealRef,
    wtpMicro,
    windowDays,
    neededTopUpMicro: wtpMicro,
    statedGapMicro: paidMicro === null ? null : wtpMicro - paidMicro,
    rules: ['body_cannot_raise', 'validated_only_from_ledger', 'top_ups_after_hypothesis'] as const,
  };
}
