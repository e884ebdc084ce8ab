import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  handleWhen,
  type IBreaker,
} from 'cockatiel';
import { AttemptFailure } from './attempt-failure.js';
import { countsAgainst } from './retry.js';

const WINDOW_S = 30;
const CALLS_MIN = 20;
const FAILURES_IN_A_ROW = 5;
const OPEN_MS = 30_000;
const OPEN_MS_MAX = 300_000;
/** How much the latest call weighs in the moving average of latency. */
const LATENCY_WEIGHT = 0.2;

/** The state of a breaker as health shows it. */
export type BreakerState = 'closed' | 'open' | 'half_open';

interface Second {
  readonly at: number;
  calls: number;
  failures: number;
}

/**
 * Opens when either of two rules says so: half of the calls of the last 30 s, or a run of failures.
 * The seconds are kept here because the library's sampler forgets only as calls come in, so that
 * after a quiet time it still counts failures that are long past.
 */
class ShareOrRun implements IBreaker {
  #seconds: Second[] = [];
  readonly #run = new ConsecutiveBreaker(FAILURES_IN_A_ROW);

  get state(): unknown {
    return { seconds: this.#seconds, run: this.#run.state };
  }

  set state(value: { seconds: Second[]; run: number }) {
    this.#seconds = value.seconds;
    this.#run.state = value.run;
  }

  success(state: CircuitState): void {
    if (state === CircuitState.HalfOpen) this.#seconds = [];
    this.#count(0);
    this.#run.success();
  }

  failure(state: CircuitState): boolean {
    this.#count(1);
    const byRun = this.#run.failure();
    if (state !== CircuitState.Closed) return true;
    const calls = this.#seconds.reduce((sum, second) => sum + second.calls, 0);
    const failures = this.#seconds.reduce((sum, second) => sum + second.failures, 0);
    return byRun || (calls >= CALLS_MIN && failures * 2 >= calls);
  }

  #count(failures: number): void {
    const at = Math.floor(Date.now() / 1_000);
    const last = this.#seconds.at(-1);
    if (last?.at === at) {
      last.calls += 1;
      last.failures += failures;
      return;
    }
    this.#seconds = this.#seconds.filter((second) => at - second.at < WINDOW_S);
    this.#seconds.push({ at, calls: 1, failures });
  }
}

/**
 * The circuit breaker of one deployment: opens when half of at least 20 calls within 30 s failed,
 * or five in a row; lets one probe through after 30 s × n, at most 300 s, where n counts its
 * openings in a row.
 */
export class DeploymentBreaker {
  readonly #policy: CircuitBreakerPolicy;
  #ripeAt = 0;
  #calls = 0;
  #failures = 0;
  #latencyMs: number | null = null;

  /** One that does not open only keeps figures: failures of the sandbox are made to order. */
  constructor({ opens }: { opens: boolean }) {
    this.#policy = circuitBreaker(
      handleWhen((error) => opens && this.#speaksAgainst(error)),
      {
        breaker: new ShareOrRun(),
        halfOpenAfter: new DelegateBackoff(({ attempt }) => {
          const openMs = Math.min(OPEN_MS * attempt, OPEN_MS_MAX);
          this.#ripeAt = Date.now() + openMs;
          return openMs;
        }),
      },
    );
  }

  get state(): BreakerState {
    if (this.#policy.state === CircuitState.Closed) return 'closed';
    return this.#policy.state === CircuitState.HalfOpen ? 'half_open' : 'open';
  }

  get figures(): { calls: number; failures: number; latencyMs: number | null } {
    return { calls: this.#calls, failures: this.#failures, latencyMs: this.#latencyMs };
  }

  /** How long until a probe may go, in milliseconds. */
  get waitMs(): number {
    return this.state === 'closed' ? 0 : Math.max(0, this.#ripeAt - Date.now());
  }

  /** True when a call may go now: closed, or open for long enough and nobody else probes. */
  admits(): boolean {
    return this.state === 'closed' || (this.state === 'open' && this.#ripeAt <= Date.now());
  }

  /** Runs a call and learns from it. `past` runs it although the breaker is open. */
  async run<T>(call: () => Promise<T>, past: boolean): Promise<T> {
    const startedMs = performance.now();
    this.#calls += 1;
    try {
      const result = await (past && !this.admits() ? call() : this.#policy.execute(call));
      const latencyMs = performance.now() - startedMs;
      this.#latencyMs =
        this.#latencyMs === null
          ? latencyMs
          : this.#latencyMs + LATENCY_WEIGHT * (latencyMs - this.#latencyMs);
      return result;
    } catch (error) {
      if (this.#speaksAgainst(error)) this.#failures += 1;
      throw error;
    }
  }

  /** Learns of a stream that broke after it had begun. */
  async learn(failure: AttemptFailure): Promise<void> {
    this.#failures += 1;
    if (this.state !== 'closed') return;
    await this.#policy.execute(() => Promise.reject(failure)).catch(() => undefined);
  }

  /** A probe that the client gave up proves nothing, so the breaker stays open after it. */
  #speaksAgainst(error: unknown): boolean {
    if (!(error instanceof AttemptFailure)) return true;
    return countsAgainst(error.error) || (error.error === 'aborted' && this.state === 'half_open');
  }
}
