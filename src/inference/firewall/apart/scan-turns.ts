import {
  isForgotten,
  nextOwner,
  type UsedTime,
  type WaitingOwner,
  withWork,
} from './turns.rules.js';

/** With more owners than this, those whose time no longer counts are forgotten. */
const OWNERS_KEPT = 1_000;

/** Work that waits for a thread, by owner, and how much time each owner has used lately. */
export class ScanTurns<Job> {
  readonly #waiting = new Map<string, { readonly job: Job; readonly arrival: number }[]>();
  readonly #used = new Map<string, UsedTime>();
  #arrivals = 0;

  add(owner: string, job: Job): void {
    this.#arrivals += 1;
    const entry = { job, arrival: this.#arrivals };
    const known = this.#waiting.get(owner);
    if (known) known.push(entry);
    else this.#waiting.set(owner, [entry]);
  }

  /** Takes work back. @returns false where it does not wait */
  remove(owner: string, job: Job): boolean {
    const jobs = this.#waiting.get(owner);
    const at = jobs?.findIndex((each) => each.job === job) ?? -1;
    if (!jobs || at < 0) return false;
    jobs.splice(at, 1);
    if (jobs.length === 0) this.#waiting.delete(owner);
    return true;
  }

  /** Takes the work that is next. */
  next(nowMs: number): Job | undefined {
    const owner = nextOwner(this.#owners(), nowMs);
    const jobs = owner === undefined ? undefined : this.#waiting.get(owner);
    if (owner === undefined || !jobs) return undefined;
    const first = jobs.shift();
    if (jobs.length === 0) this.#waiting.delete(owner);
    return first?.job;
  }

  /** Counts the time that the work of an owner took. */
  used(owner: string, tookMs: number, nowMs: number): void {
    this.#used.set(owner, withWork(this.#used.get(owner), tookMs, nowMs));
    if (this.#used.size <= OWNERS_KEPT) return;
    for (const [each, used] of this.#used) if (isForgotten(used, nowMs)) this.#used.delete(each);
  }

  *#owners(): Iterable<WaitingOwner> {
    for (const [owner, [first]] of this.#waiting) {
      if (first) yield { owner, arrival: first.arrival, used: this.#used.get(owner) };
    }
  }
}
