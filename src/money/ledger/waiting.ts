import { GatewayError } from '../../kernel/errors/fail.js';
import type { RequestRef } from './ledger.js';
import type { AnswerRow } from './outcomes.js';

/** What the caller of a settle learns: the database's row, or that the disk has it. */
export type SettleAnswer = AnswerRow | 'journaled';

/**
 * How the database takes an operation. The common ones go set by set; `rest` is decided one by one,
 * which can do everything and takes two to three times as long.
 */
export type Lane = 'charge' | 'mark' | 'hold' | 'rest';

/** What an operation does; a `charge` brings its hold with it. */
export type OpKind = 'hold' | 'charge' | 'finalize' | 'release' | 'delivered' | 'checkpoint';

/** What takes money that was free before: it is refused while the database is away. */
export function takes(kind: OpKind): boolean {
  return kind === 'hold' || kind === 'charge';
}

/** An operation as the database takes it. */
export interface Encoded {
  readonly kind: OpKind;
  readonly lane: Lane;
  /** What a hold or a charge asks for, in micro-rubles. */
  readonly amount: string | null;
  /** The operation as JSON. */
  readonly text: string;
}

/** An operation from its acceptance to the database's answer. */
export interface Waiting {
  readonly kind: OpKind;
  readonly ref: RequestRef;
  lane: Lane;
  /** The operation as ledger_apply reads it. */
  text: string;
  /** What a hold or a charge asks for, in micro-rubles; answered where it is done as asked. */
  readonly amount: string | null;
  /** By performance.now(); what takes money is refused when it passes. */
  readonly deadlineMs: number;
  /** The caller has its answer; what the database says later is only recorded. */
  answered: boolean;
  /** It is on this node's disk. */
  journaled: boolean;
  readonly resolve: (answer: SettleAnswer) => void;
  readonly reject: (error: unknown) => void;
}

const TAKING_WAIT_MS_MAX = 2_000;

/** An operation that has been accepted now. */
export function waitingFor(
  ref: RequestRef,
  { kind, lane, text, amount }: Encoded,
  resolve: Waiting['resolve'],
  reject: Waiting['reject'],
): Waiting {
  const deadlineMs = takes(kind) ? performance.now() + TAKING_WAIT_MS_MAX : Infinity;
  const [answered, journaled] = [false, false];
  // One literal: spreading the operation into it takes forty times as long.
  return { kind, lane, text, amount, ref, deadlineMs, answered, journaled, resolve, reject };
}

/** An operation that nobody waits for; the log has it when the database refuses it. */
export function noteOf(ref: RequestRef, op: Encoded): Waiting {
  return waitingFor(ref, op, ignore, ignore);
}

/** True for what would be lost with this process; recovery does without checkpoints and holds. */
export function isOnlyInMemory({ kind, journaled, answered }: Waiting): boolean {
  return !takes(kind) && kind !== 'checkpoint' && !journaled && !answered;
}

/** False for what nobody waits for. */
export function isAwaited({ resolve }: Waiting): boolean {
  return resolve !== ignore;
}

const RETRY_AFTER_MS = 1_000;

/** The refusal of an operation that the ledger cannot write now. */
export function unavailable(): GatewayError {
  return new GatewayError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS });
}

function ignore(): void {}
