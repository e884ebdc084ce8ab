import type { RequestRef } from './ledger.js';
import type { AnswerRow } from './outcomes.js';
import type { Waiting } from './waiting.js';

/** A batch that the database has taken. */
export interface Committed {
  readonly rows: readonly AnswerRow[];
  /** False where the disk gets it within moments: a database that dies before forgets it. */
  readonly isFlushed: boolean;
}

/** How the batcher reaches the database. */
export interface Writer {
  /** Commits one batch, its common operations set by set if sorted. @throws what faultOf sorts */
  readonly apply: (batch: readonly Waiting[], sorted: boolean) => Promise<Committed>;
  /** False where the database may have died since the last batch. */
  readonly isConnected: () => boolean;
  /** Called when the epoch is over. @throws when it cannot be had again for now */
  readonly rejoin: () => Promise<void>;
  /** Refunds a charge whose answer nobody gets. */
  readonly giveBack: (ref: RequestRef, amountMicro: bigint) => void;
  /** True when another process serves under this node's name. */
  readonly superseded: () => boolean;
}
