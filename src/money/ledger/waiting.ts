import { GatewayError } from '../../kernel/errors/fail.js';
import type { RequestRef } from './ledger.js';
import type { AnswerRow } from './outcomes.js';

/** What the caller of a settle learns: the database's row, or that the disk has it. */
export type SettleAnswer = AnswerRow | 'journaled';

/** An operation from its acceptance to the database's answer. */
export interface Waiting {
  readonly kind: 'hold' | 'finalize' | 'release' | 'delivered' | 'checkpoint';
  readonly ref: RequestRef;
  /** The operation as ledger_apply reads it. */
  text: string;
  /** By performance.now(); a hold is refused when it passes. */
  readonly deadlineMs: number;
  /** The caller has its answer; what the database says later is only recorded. */
  answered: boolean;
  /** It is on this node's disk. */
  journaled: boolean;
  readonly resolve: (answer: SettleAnswer) => void;
  readonly reject: (error: unknown) => void;
}

const RETRY_AFTER_MS = 1_000;

/** The refusal of an operation that the ledger cannot write now. */
export function unavailable(): GatewayError {
  return new GatewayError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS });
}

/** For what nobody waits for; the log has it when the database refuses it. */
export function ignore(): void {}
