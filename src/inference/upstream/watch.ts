/** Which deadline passed. */
export type Expired = 'first_byte_timeout' | 'gap_timeout' | 'total_timeout';

/** How often the deadline of the first byte is asked anew while nothing has come. */
const LOOK_MS = 250;

/** The limits of one exchange, in milliseconds; `…At` are readings of the monotonic clock. */
export interface WatchLimits {
  /** Asked again and again while it is waited: what is learnt meanwhile counts. */
  firstByteMs(): number;
  readonly gapMs: number;
  /** Until when something must have begun, over all attempts. */
  readonly beginAt: number;
  readonly totalAt: number;
}

/**
 * Keeps the deadlines of an exchange with one timer that is set anew only when it fires: marking
 * activity is one assignment, so a stream of thousands of chunks costs no timers.
 */
export class Watch {
  #since = performance.now();
  #begun = false;
  #paused = false;
  #timer: NodeJS.Timeout | undefined;
  #look: NodeJS.Immediate | undefined;

  constructor(
    private readonly limits: WatchLimits,
    private readonly onExpired: (which: Expired) => void,
  ) {
    this.#arm();
  }

  /** Bytes came. */
  active(): void {
    if (this.#begun) this.#since = performance.now();
  }

  /** The first content byte came: from now on the gap counts. */
  begin(): void {
    this.#begun = true;
    this.#since = performance.now();
    this.stop();
    this.#arm();
  }

  /** While we do not read, the silence is ours and only the total counts. */
  pause(paused: boolean): void {
    this.#paused = paused;
    this.#since = performance.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#look);
  }

  #arm(looked = false): void {
    const now = performance.now();
    const silence = this.#begun ? this.limits.gapMs : this.limits.firstByteMs();
    const silentAt = (this.#paused ? now : this.#since) + silence;
    const wait = Math.min(silentAt, this.#endsAt()) - now;
    if (wait > 0) {
      const untilLook = this.#begun ? wait : Math.min(wait, LOOK_MS);
      this.#timer = setTimeout(() => this.#arm(), Math.ceil(untilLook));
      return;
    }
    // Timers run before sockets are read: after a stall of our own, bytes may be there already.
    if (looked) this.#expire(now);
    else this.#look = setImmediate(() => this.#arm(true));
  }

  #endsAt(): number {
    const { beginAt, totalAt } = this.limits;
    return this.#begun ? totalAt : Math.min(beginAt, totalAt);
  }

  #expire(now: number): void {
    if (this.#endsAt() <= now) this.onExpired('total_timeout');
    else this.onExpired(this.#begun ? 'gap_timeout' : 'first_byte_timeout');
  }
}
