import { isBy, type NoteLine, timeCosigned } from '../../kernel/signed-note.js';
import type { Witness } from '../../platform/witness-list.js';
import { WITNESS_CLOCK_SECONDS_MAX } from './vocabulary.js';

/** What a checkpoint must be cosigned for. */
export interface Cosigned {
  /** The text of the checkpoint. */
  readonly body: string;
  /** When the log had it, and what time it is, in milliseconds since 1970. */
  readonly createdMs: number;
  readonly nowMs: number;
}

/** A cosignature that holds. */
export interface GoodCosignature {
  readonly witness: Witness;
  readonly cosignedAt: Date;
  readonly line: string;
}

/** What the lines of a note are worth. */
export interface JudgedLines {
  readonly good: readonly GoodCosignature[];
  /** Names of listed witnesses whose signature does not verify. */
  readonly forged: readonly string[];
  /** Names of those that say a time which cannot be. */
  readonly untimely: readonly string[];
}

/**
 * Judges the lines that name a listed witness and its key; all others are ignored, as the standard
 * says, since a note may be signed by keys that this log does not know.
 */
export function judgedLines(
  witnesses: readonly Witness[],
  lines: readonly NoteLine[],
  { body, createdMs, nowMs }: Cosigned,
): JudgedLines {
  const judged = witnesses.flatMap((witness) =>
    lines.filter((line) => isBy(witness, line)).map((line) => ({ witness, line })),
  );
  const timed = judged.map((each) => ({
    ...each,
    timeMs: Number(timeCosigned(each.witness, each.line, body) ?? 0n) * 1_000,
  }));
  const skewMs = WITNESS_CLOCK_SECONDS_MAX * 1_000;
  const isTimely = (ms: number) => ms >= createdMs - skewMs && ms <= nowMs + skewMs;
  return {
    good: timed.flatMap(({ witness, line, timeMs }) =>
      isTimely(timeMs) ? [{ witness, cosignedAt: new Date(timeMs), line: line.text }] : [],
    ),
    forged: timed.flatMap(({ witness, timeMs }) => (timeMs === 0 ? [witness.name] : [])),
    untimely: timed.flatMap(({ witness, timeMs }) =>
      timeMs === 0 || isTimely(timeMs) ? [] : [witness.name],
    ),
  };
}
