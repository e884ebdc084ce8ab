import { Aside, type AsideReason } from './aside.js';
import { AttemptFailure } from './attempt-failure.js';
import { Breaker, type BreakerState, type Clock, type Entry } from './breaker.js';
import { ATTEMPT_ERRORS, type AttemptError } from './call.js';
import { type AnswerForm, Pace } from './pace.js';
import { countsAgainst } from './retry.js';
import type { DeploymentLoad } from './selection.rules.js';

/** How much the latest call weighs in the moving average of latency. */
const LATENCY_WEIGHT = 0.2;
/** Calls in a row that were given up early before a deployment is called silent. */
const SILENT_IN_A_ROW = 5;
/** Refusals in a row before a deployment is set aside: one may be about what was asked for. */
const CREDENTIALS_IN_A_ROW = 3;
/** The share of failed calls, as one in so many, at which another deployment is asked first. */
const FAILING_CALLS_MIN = 20;
const FAILING_ONE_IN = 5;
/** How long a pace is known without an answer; then a deployment is tried anew. */
const PACE_KNOWN_MS = 30_000;
/** Calls that may wait for a deployment which has never answered, while another one is there. */
const UNPROVEN_WAITING_MAX = 4;

/** What a stage may find out about an answer after it came. */
export type DiscreditReason = 'usage_beyond_bounds' | 'output_beyond_limit';

/** What is known of a deployment, for health. */
export interface StandingFigures {
  readonly calls: number;
  /** Calls that failed by the provider's fault, discredited answers included. */
  readonly failures: number;
  /** Moving average of the time to the first content byte, or null before the first success. */
  readonly latencyMs: number | null;
  /** Why others are asked first; null when they are not. */
  readonly aside: AsideReason | null;
  readonly discredited: Readonly<Record<DiscreditReason, number>>;
}

/** How a standing is made. */
export interface StandingOptions {
  /** One that does not open only keeps figures: failures of the sandbox are made to order. */
  readonly opens: boolean;
  readonly now?: Clock;
  /** Asked before a slow deployment is set aside. When most are slow, the fault is ours. */
  readonly maySlow?: () => boolean;
  /** Told of every new state of its breaker. */
  readonly changed?: (state: BreakerState) => void;
}

/**
 * How one deployment stands: its breaker, whether it is set aside, its pace. Every call comes in
 * by `enter` and tells how it went.
 */
export class Standing {
  readonly #opens: boolean;
  readonly #breaker: Breaker;
  readonly #aside: Aside;
  readonly #maySlow: () => boolean;
  readonly #paces = { stream: new Pace('stream'), whole: new Pace('whole') };
  readonly #discredited = { usage_beyond_bounds: 0, output_beyond_limit: 0 };
  #calls = 0;
  #failures = 0;
  #latencyMs: number | null = null;
  #unanswered = 0;
  #refusals = 0;
  #waiting = 0;
  #proven = false;
  #answering = false;
  #inFlight = 0;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  readonly #now: Clock;

  constructor({
    opens,
    now = () => performance.now(),
    maySlow = () => true,
    changed,
  }: StandingOptions) {
    this.#opens = opens;
    this.#now = now;
    this.#breaker = new Breaker(now, changed);
    this.#aside = new Aside(now);
    this.#maySlow = maySlow;
  }

  get state(): BreakerState {
    return this.#breaker.state;
  }

  get figures(): StandingFigures {
    return {
      calls: this.#calls,
      failures: this.#failures,
      latencyMs: this.#latencyMs,
      aside: this.#aside.reason,
      discredited: { ...this.#discredited },
    };
  }

  /** How long until a probe may go, in milliseconds. */
  get waitMs(): number {
    return this.#breaker.waitMs;
  }

  /** True when a call may go now. */
  admits(): boolean {
    return this.#breaker.admits();
  }

  /** Why others are asked first, also when it may be probed now; null when they are not. */
  get aside(): AsideReason | null {
    return this.#aside.reason;
  }

  /** True while others shall be asked first. */
  keepsOut(): boolean {
    return this.#aside.keepsOut();
  }

  /** True while it has never answered and enough calls wait to see whether it does. */
  isCrowdedUnproven(): boolean {
    return this.#opens && !this.#proven && this.#waiting >= UNPROVEN_WAITING_MAX;
  }

  /** True when the last call that proved anything was answered. */
  isAnswering(): boolean {
    return this.#answering && this.#breaker.state === 'closed';
  }

  /** What it carries, and how fast it is in one form while that is known. */
  loadOf(form: AnswerForm): DeploymentLoad {
    const isKnown = this.#now() - this.#answeredAtMs < PACE_KNOWN_MS;
    return {
      inFlight: this.#inFlight,
      latencyMs: isKnown ? this.#paces[form].medianMs : undefined,
    };
  }

  /** Calls under way, streams to their end; and the median of its last fifty answers by form. */
  get traffic() {
    return {
      inFlight: this.#inFlight,
      streamP50Ms: this.#paces.stream.rememberedMedianMs ?? null,
      wholeP50Ms: this.#paces.whole.rememberedMedianMs ?? null,
    };
  }

  /** The slowest answer of late in milliseconds, or undefined while too few are known. */
  slowestMs(form: AnswerForm): number | undefined {
    return this.#paces[form].slowestMs;
  }

  /** Lets a call in, or says undefined. `past` lets it in although the breaker is open. */
  enter(past = false): Visit | undefined {
    const entry = this.#breaker.enter();
    if (entry === undefined && !past) return undefined;
    this.#calls += 1;
    this.#waiting += 1;
    this.#inFlight += 1;
    const probesAside = this.#aside.enter();
    return new Visit(this.#deedsOf(entry, probesAside), probesAside ? this.#aside.times : 0);
  }

  /** An answer turned out to be a lie after it came: counts as a failure, and opens at five. */
  discredit(reason: DiscreditReason): void {
    this.#discredited[reason] += 1;
    this.#failures += 1;
    if (this.#opens) this.#breaker.lied();
  }

  #deedsOf(entry: Entry | undefined, probesAside: boolean): VisitDeeds {
    const probed = (good: boolean | undefined) => {
      if (!probesAside) return;
      this.#aside.probed(good);
      if (good) this.#comeBack();
    };
    return {
      left: () => {
        this.#waiting -= 1;
      },
      over: () => {
        this.#inFlight -= 1;
      },
      answered: (form, tookMs) => {
        if (entry) this.#breaker.answered(entry);
        this.#noteAnswer(form, tookMs);
        const slow = this.#paces[form].isFar(tookMs);
        probed(this.#aside.reason !== 'slow' || !slow);
      },
      ended: (error) => this.#noteEnd(error),
      failed: (error, early) => this.#noteFailure(error, early, entry, probed),
    };
  }

  #noteAnswer(form: AnswerForm, tookMs: number): void {
    this.#answeredAtMs = this.#now();
    this.#proven = true;
    this.#answering = true;
    this.#unanswered = 0;
    this.#refusals = 0;
    this.#latencyMs =
      this.#latencyMs === null
        ? tookMs
        : this.#latencyMs + LATENCY_WEIGHT * (tookMs - this.#latencyMs);
    const pace = this.#paces[form];
    pace.add(tookMs);
    if (pace.isFar(tookMs) && pace.isSlow && this.#maySlow()) this.#setAside('slow');
  }

  #noteEnd(error: AttemptError | undefined): void {
    if (error === undefined) this.#breaker.completed();
    else if (countsAgainst(error)) {
      this.#failures += 1;
      if (this.#opens) this.#breaker.failedLate();
      this.#judgeShare();
    }
  }

  #noteFailure(
    error: AttemptError | undefined,
    early: boolean,
    entry: Entry | undefined,
    probed: (good: boolean | undefined) => void,
  ): boolean {
    if (error === undefined || ATTEMPT_ERRORS[error].shows === 'nothing') {
      if (entry) this.#breaker.unproven(entry);
      probed(undefined);
      return false;
    }
    this.#unanswered = early ? this.#unanswered + 1 : 0;
    this.#refusals = error === 'credentials_refused' ? this.#refusals + 1 : 0;
    const counted = countsAgainst(error) && !early;
    if (counted || early) this.#answering = false;
    if (counted) {
      this.#failures += 1;
      if (entry && this.#opens) this.#breaker.failed(entry);
    } else if (entry === 'probe') {
      // Given up early, it may yet answer; whatever else came shows that it is there.
      if (early) this.#breaker.unproven(entry);
      else this.#breaker.answered(entry);
    }
    probed(!counted && !early && error !== 'credentials_refused');
    if (this.#unanswered >= SILENT_IN_A_ROW) this.#setAside('silent');
    if (this.#refusals >= CREDENTIALS_IN_A_ROW) this.#setAside('credentials_refused');
    this.#judgeShare();
    return counted;
  }

  #judgeShare(): void {
    const { calls, failures } = this.#breaker.recent();
    if (calls >= FAILING_CALLS_MIN && failures * FAILING_ONE_IN >= calls) this.#setAside('failing');
  }

  #setAside(reason: AsideReason): void {
    if (this.#opens) this.#aside.set(reason);
  }

  /** What it was set aside for is judged anew. */
  #comeBack(): void {
    this.#breaker.forget();
    this.#unanswered = 0;
    this.#refusals = 0;
    for (const pace of Object.values(this.#paces)) pace.forgetLatest();
  }
}

interface VisitDeeds {
  /** It waits no longer for its first content. */
  readonly left: () => void;
  /** It is no longer under way. */
  readonly over: () => void;
  readonly answered: (form: AnswerForm, tookMs: number) => void;
  readonly ended: (error: AttemptError | undefined) => void;
  readonly failed: (error: AttemptError | undefined, early: boolean) => boolean;
}

/** One call that a standing let in. It is answered or fails, and what was answered ends. */
export class Visit {
  #waiting = true;
  #ended = false;
  /** An answer may end in the same read in which it begins, before anybody says it began. */
  #endedAtOnce: { readonly error: AttemptError | undefined } | undefined;

  /** @param patience how often the deployment was set aside, when this call is the probe; else 0 */
  constructor(
    private readonly deeds: VisitDeeds,
    readonly patience: number,
  ) {}

  /** The first content, or the whole answer, came after so many milliseconds. */
  answered(form: AnswerForm, tookMs: number): void {
    if (!this.#leave()) return;
    this.deeds.answered(form, tookMs);
    if (this.#endedAtOnce) this.deeds.ended(this.#endedAtOnce.error);
  }

  /** An answer came to its end, whole or broken. */
  ended(failure: AttemptFailure | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.deeds.over();
    if (this.#waiting) this.#endedAtOnce = { error: failure?.error };
    else this.deeds.ended(failure?.error);
  }

  /**
   * No answer came. What is not an AttemptFailure is a fault of ours.
   * @param early whether the deployment had less time than it is entitled to
   * @returns whether the failure counts in the breaker
   */
  failed(thrown: unknown, early = false): boolean {
    if (!this.#leave()) return false;
    if (!this.#ended) this.deeds.over();
    this.#ended = true;
    const error = thrown instanceof AttemptFailure ? thrown.error : undefined;
    return this.deeds.failed(error, early && error === 'first_byte_timeout');
  }

  #leave(): boolean {
    const waited = this.#waiting;
    this.#waiting = false;
    if (waited) this.deeds.left();
    return waited;
  }
}
