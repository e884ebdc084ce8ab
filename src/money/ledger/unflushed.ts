import type { Logger } from 'pino';
import { takeFront } from './batch.js';
import { faultOf } from './faults.js';
import type { Waiting } from './waiting.js';
import type { Writer } from './writer.js';

const RESTORED_OPS_MAX = 256;

/**
 * What was committed without a wait for the disk since the last commit that did wait: holds and
 * marks alone. That one has flushed all before it. A database that dies in between forgets them,
 * and they are sent again, before anything else and one by one, as soon as it is back: whatever it
 * has kept is a repetition to it. So no charge misses its hold, and no answer its mark.
 */
export class Unflushed {
  #ops: Waiting[] = [];

  constructor(private readonly log: Logger) {}

  /** A batch is committed. */
  committed(batch: readonly Waiting[], isFlushed: boolean): void {
    if (isFlushed) this.#ops = [];
    else this.#ops.push(...batch);
  }

  /**
   * Sends it all again where the connection is a new one.
   * @throws what faultOf sorts, of which nothing is lost
   */
  async restore(writer: Writer): Promise<void> {
    if (this.#ops.length === 0 || writer.isConnected()) return;
    for (const left = [...this.#ops]; left.length > 0; ) {
      const some = takeFront(left, RESTORED_OPS_MAX);
      await writer.apply(some, false).catch((error: unknown) => {
        if (faultOf(error) !== 'statement') throw error;
        const facts = { err: error, ops: some.length };
        this.log.error(facts, 'holds or marks that may be lost are refused by the database');
      });
    }
    this.#ops = [];
  }

  /** For the disk of this node: a charge that is replayed must find its hold. */
  texts(): readonly string[] {
    return this.#ops.map(({ text }) => text);
  }
}
