import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../../catalog/providers/model.js';
import { newSpanId } from '../../platform/request-spans.js';
import { Exchange } from './attempt.js';
import { AttemptFailure } from './attempt-failure.js';
import { noteAttempt, type Tried } from './attempt-span.js';
import type { Attempt, AttemptWatch, UpstreamAnswer, UpstreamCall } from './call.js';
import { type Candidate, Candidates, type Figures, isForcedUp } from './candidates.js';
import { type Carrier, ForbiddenRoute } from './carrier.js';
import { failureOfChain, UpstreamAborted } from './failure.js';
import type { FailureLog } from './failure-log.js';
import { type AtLimit, isAtLimit, type Passage } from './gate.js';
import type { AnswerForm } from './pace.js';
import { firstByteMs } from './patience.js';
import {
  EXTRA_ATTEMPTS_MAX,
  nextStep,
  RETRY_WAIT_MS_MAX,
  type RetryBudget,
  repeatDelayMs,
} from './retry.js';
import { inTurn } from './selection.rules.js';
import type { Visit } from './standing.js';
import { endWhole, Whole } from './whole.js';

/** A whole answer has its first byte when its last token is written, so it may take longer. */
const WHOLE_ANSWER_PATIENCE = 4;

/** What running a chain needs. */
export interface ChainTools extends Figures {
  carrierOf(deployment: Deployment): Carrier;
  /** True when so many breakers are open that the fault is more likely ours. */
  breakersDoubtful(): boolean;
  readonly budget: RetryBudget;
  readonly watch?: AttemptWatch | undefined;
  readonly failureLog?: FailureLog | undefined;
  readonly random: () => number;
  readonly totalMs: number;
  /** The usual deadline of a first byte, and that of all attempts together. */
  readonly firstByteMs: number;
  readonly firstByteTotalMs: number;
}

/** A deployment whose turn has come: its breaker let the call in. */
interface Turn {
  readonly candidate: Candidate;
  readonly visit: Visit;
  /** What it took of the limits of the deployment; undefined where nothing is limited. */
  readonly passage: Passage | undefined;
  readonly extra: number;
  /** Whether the attempt took a place in the retry budget, which must be given back. */
  readonly placed: boolean;
}

/**
 * Calls the deployments of a chain in order until one answers: a whole answer, or the first
 * content of a stream. At most three attempts in all.
 * @throws UpstreamFailure, UpstreamAborted, and whatever this process itself does wrong
 */
export async function callUpstream(
  chain: readonly Deployment[],
  call: UpstreamCall,
  tools: ChainTools,
): Promise<UpstreamAnswer> {
  tools.budget.begin();
  try {
    return await new ChainRun(chain, call, tools).run();
  } finally {
    tools.budget.end();
  }
}

/** One run through a chain; holds what was tried. */
class ChainRun {
  readonly #form: AnswerForm;
  readonly #candidates: Candidates;
  readonly #attempts: Attempt[] = [];
  readonly #beginAt: number;
  readonly #totalAt: number;
  #waitLeftMs = RETRY_WAIT_MS_MAX;

  constructor(
    chain: readonly Deployment[],
    private readonly call: UpstreamCall,
    private readonly tools: ChainTools,
  ) {
    this.#form = call.stream ? 'stream' : 'whole';
    this.#candidates = new Candidates(this.#inTurn(chain), tools);
    const now = performance.now();
    this.#totalAt = now + tools.totalMs;
    this.#beginAt = now + this.#beginMs();
  }

  async run(): Promise<UpstreamAnswer> {
    const { breakersDoubtful } = this.tools;
    this.#candidates.sort(this.call.jurisdictionsAllowed, breakersDoubtful);
    for (let extra = 0; extra <= EXTRA_ATTEMPTS_MAX; extra += 1) {
      const turn = await this.#nextTurn(extra);
      if (turn === undefined) break;
      const answer = await this.#attempt(turn);
      if (answer) return answer;
      if (this.call.signal.aborted) throw new UpstreamAborted(this.#attempts);
      const failure = this.#candidates.lastTried?.failure;
      if (failure && stepAfter(failure) === 'stop') break;
    }
    if (this.call.signal.aborted) throw new UpstreamAborted(this.#attempts);
    throw this.#failure();
  }

  #inTurn(chain: readonly Deployment[]): readonly Deployment[] {
    if (chain.length < 2) return chain;
    const { requestId = String(this.tools.random()) } = this.call;
    return inTurn(chain, requestId, (one) => this.tools.standingOf(one).loadOf(this.#form));
  }

  /** The time for a first byte over all attempts, longer where one attempt is entitled to more. */
  #beginMs(): number {
    const { firstByteMs: usualMs, firstByteTotalMs } = this.tools;
    const longest = Math.max(0, ...this.#candidates.all.map((one) => this.#configuredMs(one)));
    return firstByteTotalMs * Math.max(1, longest / usualMs);
  }

  #configuredMs({ deployment }: Candidate): number {
    return deployment.deadlines.firstByteMs * (this.call.stream ? 1 : WHOLE_ANSWER_PATIENCE);
  }

  /**
   * The next deployment once its turn has come. Its breaker may have opened while we waited, which
   * is a reason to look further and not a failure.
   */
  async #nextTurn(extra: number): Promise<Turn | undefined> {
    for (;;) {
      const candidate = this.#candidates.next(extra === EXTRA_ATTEMPTS_MAX);
      if (candidate === undefined) return undefined;
      // A first attempt enters in the step in which it was chosen, so that a burst spreads.
      const place = extra === 0 ? 'free' : await this.#place(candidate);
      if (this.call.signal.aborted) {
        if (place === 'taken') this.tools.budget.release();
        return undefined;
      }
      if (place === 'none') {
        candidate.usable = false;
        continue;
      }
      const placed = place === 'taken';
      const passing = candidate.gate.pass(candidate.deployment, this.call);
      const passed = passing instanceof Promise ? await passing : passing;
      if (!isAtLimit(passed)) {
        const past = this.#candidates.past || isForcedUp(candidate.deployment);
        const visit = candidate.standing.enter(past);
        if (visit) return { candidate, visit, passage: passed, extra, placed };
        passed?.ended(true);
        this.#candidates.passOver(candidate, 'breaker_open');
      } else this.#limited(candidate, passed);
      if (placed) this.tools.budget.release();
    }
  }

  /** It is at a limit. Where it was called before, that call says what became of it. */
  #limited(candidate: Candidate, { waitMs }: AtLimit): void {
    if (candidate.tries > 0) candidate.usable = false;
    else {
      candidate.limitedMs = waitMs;
      this.#candidates.passOver(candidate, 'rate_limited');
    }
  }

  /**
   * Waits where a repeat must wait, and takes a place in the retry budget where an extra attempt
   * needs one. A move to a deployment that is answering needs none: it adds nothing to what fails.
   */
  async #place(candidate: Candidate): Promise<'free' | 'taken' | 'none'> {
    const { budget, random } = this.tools;
    const { signal } = this.call;
    const startedMs = performance.now();
    try {
      if (candidate.tries === 0) {
        if (candidate.standing.isAnswering()) return 'free';
        if (await budget.take(this.#waitLeftMs, signal)) return 'taken';
        return candidate.standing.isAnswering() ? 'free' : 'none';
      }
      const delayMs = repeatDelayMs(candidate.tries - 1, this.#asked(candidate), random());
      const endsAt = Math.min(this.#beginAt, this.#totalAt);
      if (delayMs > this.#waitLeftMs || startedMs + delayMs >= endsAt) return 'none';
      if (!budget.tryTake()) return 'none';
      // Where the caller leaves meanwhile, the place is given back by the one who looks for that.
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      return 'taken';
    } finally {
      this.#waitLeftMs -= performance.now() - startedMs;
    }
  }

  #asked(candidate: Candidate): number | undefined {
    return this.#candidates.lastTried === candidate ? candidate.failure?.retryAfterMs : undefined;
  }

  async #attempt(turn: Turn): Promise<UpstreamAnswer | undefined> {
    const { candidate, visit, passage } = turn;
    const { deployment } = candidate;
    const startedMs = performance.now();
    const limit = { ms: Number.POSITIVE_INFINITY };
    let exchange: Exchange | undefined;
    candidate.tries += 1;
    const spanId = this.call.spans && newSpanId();
    const tried = { deployment, startedMs, spanId };
    try {
      exchange = this.#exchange(turn, limit, spanId);
      const body = await exchange.answered;
      visit.answered(this.#form, performance.now() - startedMs);
      this.#record(tried, exchange.status);
      if (body && passage) endWhole(passage, body);
      return this.#answer(deployment, body, exchange);
    } catch (error) {
      const early = limit.ms < this.#configuredMs(candidate);
      const counted = visit.failed(error, early);
      passage?.ended(isUnused(error));
      if (error instanceof ForbiddenRoute) {
        this.#candidates.passOver(candidate, 'jurisdiction');
        return undefined;
      }
      // Anything else is a fault of ours, and no other deployment would cure it.
      if (!(error instanceof AttemptFailure)) throw error;
      this.#record(tried, exchange?.status ?? null, error.error, counted);
      this.tools.failureLog?.failed(deployment, error);
      if (error.error === 'rate_limited' && !deployment.simulated) {
        candidate.gate.refused(error.retryAfterMs);
      }
      this.#candidates.failed(candidate, error, stepAfter(error) === 'repeat');
      return undefined;
    } finally {
      if (turn.placed) this.tools.budget.release();
    }
  }

  #exchange(turn: Turn, limit: { ms: number }, spanId: string | undefined): Exchange {
    const { candidate, visit, passage, extra } = turn;
    const { operation, stream, signal, jurisdictionsAllowed, trace } = this.call;
    const body = this.call.bodyFor(candidate.deployment);
    const { deployment } = candidate;
    const sharedMs = Math.max(0, this.#beginAt - performance.now());
    const before = candidate.standing.aside;
    const patienceMs = () => {
      const { aside } = candidate.standing;
      limit.ms = firstByteMs({
        form: this.#form,
        configuredMs: this.#configuredMs(candidate),
        otherReady: extra < EXTRA_ATTEMPTS_MAX && this.#candidates.otherReady(candidate),
        usualMs: this.#candidates.usualMs(candidate, this.#form),
        sharedMs,
        fellSilent: before === null && aside === 'silent',
        probe: visit.patience,
      });
      return limit.ms;
    };
    return new Exchange(
      this.tools.carrierOf(deployment),
      { deployment, operation, body, jurisdictionsAllowed, trace, spanId },
      {
        stream,
        operation,
        signal,
        limits: {
          firstByteMs: patienceMs,
          gapMs: deployment.deadlines.gapMs,
          beginAt: this.#beginAt,
          totalAt: this.#totalAt,
        },
        gate: candidate.gate,
        passage,
        onAnswerEnded: (failure) => {
          visit.ended(failure);
          if (stream) passage?.ended();
        },
      },
    );
  }

  #answer(deployment: Deployment, body: Buffer | undefined, exchange: Exchange): UpstreamAnswer {
    const attempts = this.#attempts;
    const skipped = this.#candidates.skipped();
    if (body) return new Whole(deployment, attempts, skipped, body);
    return { kind: 'stream', deployment, attempts, skipped, stream: exchange };
  }

  #record(
    tried: Tried,
    status: number | null,
    error: Attempt['error'] = null,
    counted = false,
  ): void {
    const { watch } = this.tools;
    const { deployment, startedMs } = tried;
    const before = this.#attempts.at(-1);
    const attempt: Attempt = {
      deployment: deployment.key,
      providerId: deployment.providerId,
      modelId: deployment.id,
      status,
      error,
      counted,
      latencyMs: performance.now() - startedMs,
    };
    this.#attempts.push(attempt);
    watch?.attempted(attempt);
    if (tried.spanId !== undefined) noteAttempt(this.call, tried, attempt);
    if (before && before.deployment !== attempt.deployment) watch?.fellBack(before);
  }

  #failure(): Error {
    const { all, lastTried } = this.#candidates;
    const failure = lastTried?.failure;
    return failureOfChain({
      model: all[0]?.deployment.id ?? '',
      last: failure && { deployment: lastTried.deployment, failure },
      attempts: this.#attempts,
      skipped: this.#candidates.skipped(),
      lastWords: all.flatMap((candidate) => candidate.failure ?? []),
      limitedMs: least(all.flatMap(({ limitedMs }) => limitedMs ?? [])),
      breakerWaitMs: Math.min(...all.map(({ standing }) => standing.waitMs)),
    });
  }
}

const NEVER_SENT: readonly string[] = [
  ...['connect_failed', 'connect_timeout', 'tls_failed', 'internal'],
];

/** True where the provider has done nothing for a call, as it was never reached. */
function isUnused(error: unknown): boolean {
  return error instanceof AttemptFailure ? NEVER_SENT.includes(error.error) : true;
}

function least(figures: readonly number[]): number | undefined {
  return figures.length === 0 ? undefined : Math.min(...figures);
}

function stepAfter(failure: AttemptFailure) {
  return nextStep(failure.error, failure.retryAfterMs);
}
