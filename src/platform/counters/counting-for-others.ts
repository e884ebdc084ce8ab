import type { CounterAnswer, CounterCall } from './asked.js';
import { MemoryCounters } from './memory.js';

/**
 * Counts for several processes, one call after the other, so that a limit holds over all of them
 * exactly. The slots of a process that ends are free at once.
 */
export class CountingForOthers {
  private takenMs = 0;
  private readonly counters = new MemoryCounters(() => this.takenMs);
  private readonly slots = new Map<number, Map<string, readonly [key: string, slot: string]>>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /**
   * Does what a process asks.
   * @param asker its number
   * @returns an answer to each `take`
   */
  answer(asker: number, calls: readonly CounterCall[]): readonly CounterAnswer[] {
    return calls.flatMap((call) => {
      this.takenMs = this.nowMs();
      if ('take' in call) return [this.take(asker, call)];
      if ('adjust' in call) this.counters.adjust(call.adjust, call.perMinute, call.points);
      else if ('correct' in call) this.counters.correct(call.correct, call.takenMs, call.points);
      else this.release(asker, call.release, call.slot);
      return [];
    });
  }

  /** Gives back the slots of a process that has ended. */
  forget(asker: number): void {
    for (const [key, slot] of this.slots.get(asker)?.values() ?? []) {
      this.counters.release(key, slot);
    }
    this.slots.delete(asker);
  }

  private take(
    asker: number,
    { take, id }: Extract<CounterCall, { readonly take: unknown }>,
  ): CounterAnswer {
    const { takenMs } = this;
    const { refused, retryAfterMs, states } = this.counters.take(take);
    const answer = { id, refused, retryAfterMs, states, takenMs };
    if (refused !== undefined) return answer;
    for (const limit of take) {
      if (limit.kind !== 'concurrency') continue;
      const { key, slot } = limit;
      const held = this.slots.get(asker) ?? new Map();
      this.slots.set(asker, held.set(nameOf(key, slot), [key, slot]));
    }
    return answer;
  }

  private release(asker: number, key: string, slot: string): void {
    this.slots.get(asker)?.delete(nameOf(key, slot));
    this.counters.release(key, slot);
  }
}

function nameOf(key: string, slot: string): string {
  return `${key}\n${slot}`;
}
