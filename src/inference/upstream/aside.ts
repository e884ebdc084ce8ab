import { type Clock, OPEN_MS, OPEN_MS_MAX } from './breaker.js';

/**
 * Why a deployment is asked last: several calls in a row got no answer in the time that is usual;
 * a fifth of its calls failed; it is far slower than its own history; it refuses our credentials.
 */
export type AsideReason = 'silent' | 'failing' | 'slow' | 'credentials_refused';

/**
 * Whether a deployment is set aside. Unlike behind an open breaker it can still be asked, but only
 * after all others. It comes back by a probe after 30 s × n, at most 300 s, where n counts the
 * times in a row, that is each within 300 s of its last return.
 */
export class Aside {
  #reason: AsideReason | null = null;
  #times = 0;
  #ripeAtMs = 0;
  #probing = false;
  #backAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly now: Clock) {}

  get reason(): AsideReason | null {
    return this.#reason;
  }

  /** How often in a row it has been set aside. */
  get times(): number {
    return this.#times;
  }

  /** True while others shall be asked first. */
  keepsOut(): boolean {
    return this.#reason !== null && (this.#probing || this.now() < this.#ripeAtMs);
  }

  /** Sets it aside, unless it is. */
  set(reason: AsideReason): void {
    if (this.#reason === null) this.#away(reason);
  }

  /** A call goes. @returns true when it is the probe */
  enter(): boolean {
    if (this.#reason === null || this.keepsOut()) return false;
    this.#probing = true;
    return true;
  }

  /** How the probe went; undefined when it proves nothing, and the next call may be one. */
  probed(good: boolean | undefined): void {
    this.#probing = false;
    if (good === true) {
      this.#reason = null;
      this.#backAtMs = this.now();
    } else if (good === false && this.#reason !== null) this.#away(this.#reason);
  }

  #away(reason: AsideReason): void {
    const inARow = this.#reason !== null || this.now() - this.#backAtMs < OPEN_MS_MAX;
    this.#times = inARow ? this.#times + 1 : 1;
    this.#reason = reason;
    this.#ripeAtMs = this.now() + Math.min(OPEN_MS * this.#times, OPEN_MS_MAX);
  }
}
