import type { RequestRef } from './ledger.js';
import type { AnswerRow } from './outcomes.js';
import type { Waiting } from './waiting.js';

/** How the batcher reaches the database. */
export interface Writer {
  /** Commits one batch, its common operations set by set if sorted. @throws what faultOf sorts */
  readonly apply: (batch: readonly Waiting[], sorted: boolean) => Promise<readonly AnswerRow[]>;
  /** Called when the epoch is over. @throws when it cannot be had again for now */
  readonly rejoin: () => Promise<void>;
  /** Refunds a charge whose answer nobody gets. */
  readonly giveBack: (ref: RequestRef, amountMicro: bigint) => void;
  /** True when another process serves under this node's name. */
  readonly superseded: () => boolean;
}
