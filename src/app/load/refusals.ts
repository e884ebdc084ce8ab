import { GatewayError } from '../../kernel/errors/fail.js';

const RETRY_AFTER_MS = 1_000;
const TURN_MS = 50;
/** Refusals that are answered in one turn for each request that was served in the one before. */
const PER_SERVED = 0.5;
/** So many are answered however few are served, and as many before anybody has to wait. */
const ANSWERED_MIN = 5;
const ANSWERED_AT_FIRST = 50;
/** Refusals that wait for their turn; those beyond are answered at once. */
const WAITING_MAX = 5_000;
const WAITING_MS_MAX = 10_000;

interface Waiting {
  readonly sinceMs: number;
  readonly answer: () => void;
}

/**
 * The refusals of a node. Few are answered at once. In a flood of clients that do not wait for the
 * time of `retry-after` refusing would take most of the processor, so that it has a budget, a part
 * of what is served, and those beyond wait for their turn: a client that waits for an answer on its
 * connection sends nothing on it meanwhile. To close the connection would cost more, since it would
 * be opened again.
 */
export class Refusals {
  private readonly waiting: Waiting[] = [];
  private left = ANSWERED_AT_FIRST;
  private servedBefore = 0;
  /** In this turn. */
  private refused = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param served how many requests have ended since the start */
  constructor(private readonly served: () => number) {}

  /** How many wait. */
  get size(): number {
    return this.waiting.length;
  }

  /**
   * Refuses a request, at once or in its turn.
   * @throws overloaded, or rejects with it
   */
  refuse(): Promise<never> {
    this.timer ??= this.begin();
    this.refused += 1;
    if (this.left > 0 || this.waiting.length >= WAITING_MAX) {
      this.left -= 1;
      throw OVERLOADED;
    }
    return new Promise((_resolve, reject) => {
      const answer = () => reject(OVERLOADED);
      this.waiting.push({ sinceMs: performance.now(), answer });
    });
  }

  /** Answers all of them now. */
  flush(): void {
    for (const { answer } of this.waiting.splice(0)) answer();
  }

  private begin(): NodeJS.Timeout {
    this.left = ANSWERED_AT_FIRST;
    this.servedBefore = this.served();
    return setInterval(() => this.nextTurn(), TURN_MS).unref();
  }

  private nextTurn(): void {
    const served = this.served();
    const budget = Math.max(ANSWERED_MIN, Math.floor((served - this.servedBefore) * PER_SERVED));
    this.servedBefore = served;
    const answered = this.waiting.splice(0, Math.max(budget, this.overdue()));
    for (const { answer } of answered) answer();
    const isCalm = answered.length === 0 && this.refused === 0;
    this.refused = 0;
    this.left = Math.max(0, budget - answered.length);
    if (!isCalm) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private overdue(): number {
    const dueMs = performance.now() - WAITING_MS_MAX;
    const first = this.waiting.findIndex(({ sinceMs }) => sinceMs > dueMs);
    return first === -1 ? this.waiting.length : first;
  }
}

/** One for all: to make an error with its stack costs more than the rest of a refusal. */
const OVERLOADED = new GatewayError('overloaded', { retryAfterMs: RETRY_AFTER_MS });
