import type { AnswerForm } from './pace.js';

/** How many times its slowest answer of late a deployment is waited for before another is asked. */
const USUAL_TIMES = 4;
/** Each probe of a deployment that was set aside is so many times more patient than the last. */
const PROBE_TIMES = 4;
/** Nobody is given up sooner than this, in milliseconds. */
const LEAST_MS: Readonly<Record<AnswerForm, number>> = { stream: 1_000, whole: 4_000 };

/** What the deadline of a first byte follows from. */
export interface PatienceFacts {
  readonly form: AnswerForm;
  /** The deadline as configured, in milliseconds. */
  readonly configuredMs: number;
  /** Whether another deployment could take the request over now. */
  readonly otherReady: boolean;
  /** Its slowest answer of late, or that of its peers; undefined where none is known. */
  readonly usualMs: number | undefined;
  /** What is left of the time for the first byte over all attempts, when the attempt began. */
  readonly sharedMs: number;
  /** It has fallen silent towards others since the attempt began. */
  readonly fellSilent: boolean;
  /** How often it was set aside, when this attempt is its probe; else 0. */
  readonly probe: number;
}

/**
 * How long a first byte is waited for, in milliseconds from the beginning of the attempt. Where
 * nobody could take over, as long as configured. Where somebody could: four times the slowest
 * answer of late, and never more than half of the time that is left, so that the other one has
 * some too.
 */
export function firstByteMs(facts: PatienceFacts): number {
  const { configuredMs, usualMs } = facts;
  if (!facts.otherReady) return configuredMs;
  if (facts.fellSilent) return 0;
  const most = Math.min(configuredMs, facts.sharedMs / 2);
  if (usualMs === undefined) return most;
  const times = USUAL_TIMES * PROBE_TIMES ** facts.probe;
  return Math.min(most, Math.max(LEAST_MS[facts.form], usualMs * times));
}
