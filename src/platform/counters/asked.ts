import type { Admission, Counters, Limit } from './counters.js';

/** What whoever counts for several processes is asked, in the order in which it happened. */
export type CounterCall =
  | { readonly take: readonly Limit[]; readonly id: number }
  | { readonly adjust: string; readonly perMinute: number; readonly points: number }
  | { readonly correct: string; readonly takenMs: number; readonly points: number }
  | { readonly release: string; readonly slot: string };

/** What a `take` is answered. */
export interface CounterAnswer extends Omit<Admission, 'correct'> {
  readonly id: number;
  /** When it was taken, by the clock of whoever counts. */
  readonly takenMs: number;
}

/**
 * Counters of a process that asks another one to count for it. What is asked within a turn of the
 * event loop goes in one message, so that a message costs many requests little.
 */
export class AskedCounters implements Counters {
  private readonly waiting = new Map<number, (answer: CounterAnswer) => void>();
  private calls: CounterCall[] = [];
  private last = 0;

  /** @param send hands calls over, in their order */
  constructor(private readonly send: (calls: readonly CounterCall[]) => void) {}

  take(limits: readonly Limit[]): Promise<Admission> {
    this.last += 1;
    const id = this.last;
    this.call({ take: limits, id });
    return new Promise((resolve) => {
      this.waiting.set(id, (answer) => resolve(this.admission(limits, answer)));
    });
  }

  adjust(key: string, perMinute: number, points: number): void {
    this.call({ adjust: key, perMinute, points });
  }

  release(key: string, slot: string): void {
    this.call({ release: key, slot });
  }

  async close(): Promise<void> {
    this.flush();
  }

  /** Takes the answers to what was asked. */
  answered(answers: readonly CounterAnswer[]): void {
    for (const answer of answers) {
      this.waiting.get(answer.id)?.(answer);
      this.waiting.delete(answer.id);
    }
  }

  private admission(limits: readonly Limit[], answer: CounterAnswer): Admission {
    const { refused, retryAfterMs, states, takenMs } = answer;
    const admission = { refused, retryAfterMs, states };
    if (refused !== undefined || !limits.some(({ kind }) => kind === 'window')) return admission;
    return {
      ...admission,
      correct: (key, points) => this.call({ correct: key, takenMs, points }),
    };
  }

  private call(call: CounterCall): void {
    this.calls.push(call);
    if (this.calls.length === 1) setImmediate(() => this.flush());
  }

  private flush(): void {
    const { calls } = this;
    if (calls.length === 0) return;
    this.calls = [];
    this.send(calls);
  }
}
