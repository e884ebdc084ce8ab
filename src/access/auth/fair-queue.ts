/** How much runs and waits at once. */
export interface QueueBounds {
  readonly atOnceMax: number;
  readonly waitingMax: number;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: () => void;
}

/**
 * A bounded queue whose owners take turns, whoever has how much in it. In a full one whoever has
 * most loses the last of theirs to the next owner, so that a flood fills the queue for itself alone
 * (McKenney, "Stochastic Fairness Queueing", INFOCOM 1990: round robin, and the longest queue is
 * dropped from).
 */
export class FairQueue {
  /** By owner, in the order of their turns; each has something. */
  private readonly waiting = new Map<string, Waiting[]>();
  private waitingCount = 0;
  private running = 0;
  private refusedCount = 0;

  constructor(private readonly bounds: QueueBounds) {}

  /** How much waits. */
  get size(): number {
    return this.waitingCount;
  }

  /** How much was refused since the start. */
  get refused(): number {
    return this.refusedCount;
  }

  /**
   * Runs work in the turn of its owner.
   * @param refusal makes the error with which it is refused
   * @throws what `refusal` makes, where the queue is full and nobody has more in it
   */
  async run<T>(owner: string, work: () => Promise<T>, refusal: () => Error): Promise<T> {
    if (this.running >= this.bounds.atOnceMax) await this.turn(owner, refusal);
    else this.running += 1;
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  /** What ends hands its place to the next in turn, so that nobody slips in between. */
  private turn(owner: string, refusal: () => Error): Promise<void> {
    if (!this.makeRoom(owner)) {
      this.refusedCount += 1;
      throw refusal();
    }
    return new Promise((start, reject) => {
      const own = this.waiting.get(owner) ?? [];
      own.push({ start, refuse: () => reject(refusal()) });
      this.waiting.set(owner, own);
      this.waitingCount += 1;
    });
  }

  private makeRoom(owner: string): boolean {
    if (this.waitingCount < this.bounds.waitingMax) return true;
    const own = this.waiting.get(owner)?.length ?? 0;
    const longest = [...this.waiting].reduce((most, each) =>
      each[1].length > most[1].length ? each : most,
    );
    const [loser, theirs] = longest;
    if (theirs.length <= own + 1) return false;
    this.refusedCount += 1;
    this.take(loser, theirs, theirs.length - 1)?.refuse();
    return true;
  }

  private next(): void {
    const [first] = this.waiting;
    if (!first) {
      this.running -= 1;
      return;
    }
    const [owner, theirs] = first;
    const started = this.take(owner, theirs, 0);
    // Whoever has more goes to the end of the turns.
    if (this.waiting.delete(owner) && theirs.length > 0) this.waiting.set(owner, theirs);
    started?.start();
  }

  private take(owner: string, theirs: Waiting[], index: number): Waiting | undefined {
    const [taken] = theirs.splice(index, 1);
    this.waitingCount -= 1;
    if (theirs.length === 0) this.waiting.delete(owner);
    return taken;
  }
}
