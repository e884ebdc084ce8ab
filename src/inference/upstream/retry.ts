import { ATTEMPT_ERRORS, type AttemptError } from './call.js';

/** Extra attempts that one request may make after its first, over all its deployments. */
export const EXTRA_ATTEMPTS_MAX = 2;

/**
 * How long all waiting of one request for its repeats and for its turn may take together, in
 * milliseconds: somebody waits for the answer.
 */
export const RETRY_WAIT_MS_MAX = 2_000;

/** What may follow a failed attempt: `next` of its error, but for what the provider asks. */
export function nextStep(error: AttemptError, retryAfterMs: number | undefined) {
  // A provider that names a short time to wait is taken at its word, also after 429.
  const invited = retryAfterMs !== undefined && retryAfterMs <= DELAY_MS_MAX;
  if (error === 'rate_limited' && invited) return 'repeat';
  const step = ATTEMPT_ERRORS[error].next;
  return step === 'repeat' && retryAfterMs !== undefined && !invited ? 'move' : step;
}

const REJECTED: readonly number[] = [400, 404, 413, 422];
const CREDENTIALS: readonly number[] = [401, 402, 403];
const PASSING: readonly number[] = [408, 409, 425];

/** What a status says, or null for success. A redirect is not followed and so is no answer. */
export function errorOfStatus(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  if (REJECTED.includes(status)) return 'rejected';
  if (CREDENTIALS.includes(status)) return 'credentials_refused';
  if (status === 429) return 'rate_limited';
  if (status >= 500 || PASSING.includes(status)) return 'server_error';
  return 'invalid_answer';
}

/**
 * True for failures that count in the breaker of a deployment. A request that was refused, a full
 * quota, credentials of ours, a client that left and a fault of our own say nothing about it.
 */
export function countsAgainst(error: AttemptError): boolean {
  return ATTEMPT_ERRORS[error].shows === 'fault';
}

const DELAY_MS_BASE = 50;
const DELAY_MS_MAX = RETRY_WAIT_MS_MAX;

/**
 * How long to wait before the n-th repeat of a deployment (n from 0): full jitter over a doubling
 * ceiling, at least what the provider asked for. `random` is in [0, 1).
 */
export function repeatDelayMs(
  repeat: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  const ceiling = Math.min(DELAY_MS_MAX, DELAY_MS_BASE * 2 ** Math.min(repeat, 10));
  return Math.max(random * ceiling, retryAfterMs ?? 0);
}

const BUDGET_SHARE = 0.2;
const BUDGET_MIN = 3;

/**
 * Bounds the extra attempts in flight to a fifth of the active requests, at least three, so that
 * retries cannot multiply an outage. A repeat of the same deployment is dropped when the budget is
 * spent; a move to another one waits for its turn, as it adds nothing to the load that failed.
 */
export class RetryBudget {
  #active = 0;
  #extra = 0;
  readonly #waiting = new Set<() => void>();

  /** A request begins or ends. */
  begin(): void {
    this.#active += 1;
  }

  end(): void {
    this.#active -= 1;
  }

  /** Takes a place for an extra attempt if there is one. */
  tryTake(): boolean {
    if (this.#extra >= Math.max(BUDGET_MIN, Math.floor(this.#active * BUDGET_SHARE))) return false;
    this.#extra += 1;
    return true;
  }

  /** Waits for a place, first come first served. False when the time or the caller is gone. */
  async take(waitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#waiting.size === 0 && this.tryTake()) return true;
    return new Promise((resolve) => {
      const finish = (taken: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', gone);
        this.#waiting.delete(granted);
        resolve(taken);
      };
      const granted = () => finish(true);
      const gone = () => finish(false);
      const timer = setTimeout(gone, waitMs);
      signal.addEventListener('abort', gone, { once: true });
      this.#waiting.add(granted);
    });
  }

  /** Gives a place back, to the one who has waited longest. */
  release(): void {
    this.#extra -= 1;
    const [first] = this.#waiting;
    if (first !== undefined && this.tryTake()) first();
  }
}
