const WINDOW_S = 30;
const CALLS_MIN = 20;
const FAILURES_IN_A_ROW = 5;
/** How long a deployment is left alone the first time; the n-th time in a row n times as long. */
export const OPEN_MS = 30_000;
export const OPEN_MS_MAX = 300_000;
/**
 * A lie is known only after its call has counted as answered, which takes one point off; so five
 * lies in a row make six points.
 */
const LIE_POINTS = 2;
const LIE_POINTS_MAX = 6;

/** The state of a breaker as health shows it. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** How a call was let in: as any, or as the one that tries whether an open breaker may close. */
export type Entry = 'call' | 'probe';

/** Reads a clock in milliseconds that never goes back. */
export type Clock = () => number;

interface Second {
  readonly at: number;
  calls: number;
  failures: number;
}

/**
 * The circuit breaker of one deployment: opens when half of at least 20 calls within 30 s failed,
 * or five in a row; lets one probe through after 30 s × n, at most 300 s, where n counts its
 * openings in a row. Entering is one step without waiting, so nothing changes between the look
 * and the call. What becomes of calls that began before it opened changes nothing any more.
 */
export class Breaker {
  #state: BreakerState = 'closed';
  #openings = 0;
  #ripeAtMs = 0;
  #run = 0;
  #lies = 0;
  #seconds: Second[] = [];

  /** @param changed told of every new state, before anybody can ask for it */
  constructor(
    private readonly now: Clock,
    private readonly changed: (state: BreakerState) => void = () => undefined,
  ) {}

  get state(): BreakerState {
    return this.#state;
  }

  /** How long until a probe may go, in milliseconds. */
  get waitMs(): number {
    return this.#state === 'closed' ? 0 : Math.max(0, this.#ripeAtMs - this.now());
  }

  /** True when a call may go now: closed, or open for long enough and nobody else probes. */
  admits(): boolean {
    return this.#state === 'closed' || (this.#state === 'open' && this.#ripeAtMs <= this.now());
  }

  /** Lets a call in, or says undefined. */
  enter(): Entry | undefined {
    if (!this.admits()) return undefined;
    if (this.#state === 'closed') return 'call';
    this.#become('half_open');
    return 'probe';
  }

  /** A call that came in was answered. */
  answered(entry: Entry): void {
    if (entry === 'probe' && this.#state === 'half_open') this.#close();
    if (this.#state !== 'closed') return;
    this.#second().calls += 1;
    this.#lies = Math.max(0, this.#lies - 1);
  }

  /** What had been answered is complete: a run of failures ends here. */
  completed(): void {
    this.#run = 0;
  }

  /** A call that came in failed by the provider's fault. */
  failed(entry: Entry): void {
    if (entry === 'probe' && this.#state === 'half_open') this.#open();
    if (this.#state !== 'closed') return;
    this.#second().calls += 1;
    this.#fail();
  }

  /** A call that had been answered failed after all. */
  failedLate(): void {
    if (this.#state === 'closed') this.#fail();
  }

  /** A call that had been answered turned out to be a lie. */
  lied(): void {
    if (this.#state !== 'closed') return;
    this.#lies += LIE_POINTS;
    this.#fail();
  }

  /** A call ended in a way that proves nothing. After a probe the next one may probe at once. */
  unproven(entry: Entry): void {
    if (entry === 'probe' && this.#state === 'half_open') this.#become('open');
  }

  /** Calls and failures of the last 30 s. */
  recent(): { calls: number; failures: number } {
    const at = this.#secondNow();
    const within = this.#seconds.filter((second) => at - second.at < WINDOW_S);
    return {
      calls: within.reduce((sum, second) => sum + second.calls, 0),
      failures: within.reduce((sum, second) => sum + second.failures, 0),
    };
  }

  /** Forgets what it has seen while closed. */
  forget(): void {
    this.#seconds = [];
    this.#run = 0;
    this.#lies = 0;
  }

  #fail(): void {
    this.#second().failures += 1;
    this.#run += 1;
    const { calls, failures } = this.recent();
    const byShare = calls >= CALLS_MIN && failures * 2 >= calls;
    if (byShare || this.#run >= FAILURES_IN_A_ROW || this.#lies >= LIE_POINTS_MAX) this.#open();
  }

  #become(state: BreakerState): void {
    this.#state = state;
    this.changed(state);
  }

  #open(): void {
    this.#become('open');
    this.#openings += 1;
    this.#ripeAtMs = this.now() + Math.min(OPEN_MS * this.#openings, OPEN_MS_MAX);
  }

  #close(): void {
    this.#become('closed');
    this.#openings = 0;
    this.forget();
  }

  #secondNow(): number {
    return Math.floor(this.now() / 1_000);
  }

  #second(): Second {
    const at = this.#secondNow();
    const last = this.#seconds.at(-1);
    if (last?.at === at) return last;
    const fresh = { at, calls: 0, failures: 0 };
    this.#seconds = this.#seconds.filter((second) => at - second.at < WINDOW_S);
    this.#seconds.push(fresh);
    return fresh;
  }
}
