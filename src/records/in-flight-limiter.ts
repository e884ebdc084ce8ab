/** Lets so many run at the same time; the others wait in order. */
export class InFlightLimiter {
  private free: number;
  private readonly first: (() => void)[] = [];
  private readonly waiting: (() => void)[] = [];

  constructor(atOnceMax: number) {
    this.free = atOnceMax;
  }

  /** @param isUrgent goes before all that is not */
  async take<T>(work: () => Promise<T>, isUrgent = false): Promise<T> {
    const queue = isUrgent ? this.first : this.waiting;
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.first.shift() ?? this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
