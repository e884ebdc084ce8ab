import type { Use } from './shedding.rules.js';

/** Requests by caller. */
export class Tally {
  private readonly byCaller = new Map<string, number>();
  private all = 0;

  /** How many there are. */
  get total(): number {
    return this.all;
  }

  /** What is in use as a caller finds it. */
  use(caller: string): Use {
    const own = this.byCaller.get(caller) ?? 0;
    const callers = this.byCaller.size + (own === 0 ? 1 : 0);
    return { total: this.all, own, callers };
  }

  /** One more of a caller. */
  enter(caller: string): void {
    this.all += 1;
    this.byCaller.set(caller, (this.byCaller.get(caller) ?? 0) + 1);
  }

  /** One less of a caller. */
  leave(caller: string): void {
    this.all -= 1;
    const own = (this.byCaller.get(caller) ?? 0) - 1;
    if (own > 0) this.byCaller.set(caller, own);
    else this.byCaller.delete(caller);
  }
}
