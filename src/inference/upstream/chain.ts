import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../../catalog/providers/model.js';
import { AttemptFailure } from './attempt-failure.js';
import type { DeploymentBreaker } from './breaker.js';
import type { Attempt, Skip, UpstreamAnswer, UpstreamCall, WholeAnswer } from './call.js';
import { type Carrier, ForbiddenRoute } from './carrier.js';
import { Exchange } from './exchange.js';
import { failureOfChain, UpstreamAborted } from './failure.js';
import { EXTRA_ATTEMPTS_MAX, nextStep, type RetryBudget, repeatDelayMs } from './retry.js';
import { type RawUsage, usageOfBody } from './usage.js';

/** How long a move to another deployment waits for its turn in the retry budget. */
const TURN_WAIT_MS_MAX = 5_000;
/** A whole answer has its first byte when its last token is written, so it may take longer. */
const WHOLE_ANSWER_PATIENCE = 4;

/** What running a chain needs. */
export interface ChainTools {
  carrierOf(deployment: Deployment): Carrier;
  breakerOf(deployment: Deployment): DeploymentBreaker;
  /** True when so many breakers are open that the fault is more likely ours: they are ignored. */
  breakersDoubtful(): boolean;
  readonly budget: RetryBudget;
  readonly random: () => number;
  readonly totalMs: number;
}

interface Candidate {
  readonly deployment: Deployment;
  tries: number;
  usable: boolean;
}

/**
 * Calls the deployments of a chain in order until one answers: a whole answer, or the first
 * content of a stream. At most three attempts in all.
 * @throws UpstreamFailure, UpstreamAborted
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

/** A whole answer; its usage is read out of the bytes when it is asked for. */
class Whole implements WholeAnswer {
  readonly kind = 'whole';

  constructor(
    readonly deployment: Deployment,
    readonly attempts: readonly Attempt[],
    readonly skipped: readonly Skip[],
    readonly body: Buffer,
  ) {}

  get usage(): RawUsage | undefined {
    return usageOfBody(this.body);
  }
}

/** One run through a chain; holds what was tried. */
class ChainRun {
  readonly #call: UpstreamCall;
  readonly #tools: ChainTools;
  readonly #candidates: Candidate[];
  readonly #attempts: Attempt[] = [];
  readonly #skipped: Skip[] = [];
  readonly #totalAt: number;
  #past = false;
  #last: { candidate: Candidate; failure: AttemptFailure } | undefined;

  constructor(chain: readonly Deployment[], call: UpstreamCall, tools: ChainTools) {
    this.#call = call;
    this.#tools = tools;
    this.#totalAt = performance.now() + tools.totalMs;
    this.#candidates = chain.map((deployment) => ({ deployment, tries: 0, usable: true }));
  }

  async run(): Promise<UpstreamAnswer> {
    this.#skipUnusable();
    for (let extra = 0; extra <= EXTRA_ATTEMPTS_MAX; extra += 1) {
      const candidate = await this.#nextAdmitted(extra);
      if (candidate === undefined) break;
      const answer = await this.#attempt(candidate, extra > 0);
      if (answer) return answer;
      if (this.#call.signal.aborted) throw new UpstreamAborted(this.#attempts);
      if (this.#last && this.#step(this.#last.failure) === 'stop') break;
    }
    if (this.#call.signal.aborted) throw new UpstreamAborted(this.#attempts);
    throw this.#failure();
  }

  /** Routes that are not allowed are passed over here and refused again at the socket. */
  #skipUnusable(): void {
    const { jurisdictionsAllowed } = this.#call;
    let closed = 0;
    for (const candidate of this.#candidates) {
      if (!jurisdictionsAllowed.includes(candidate.deployment.jurisdiction)) {
        candidate.usable = false;
        this.#skip(candidate.deployment, 'jurisdiction');
      } else if (!this.#admits(candidate)) closed += 1;
    }
    if (closed === 0) return;
    this.#past = this.#tools.breakersDoubtful();
    if (this.#past) return;
    for (const candidate of this.#candidates) {
      if (!candidate.usable || this.#admits(candidate)) continue;
      candidate.usable = false;
      this.#skip(candidate.deployment, 'breaker_open');
    }
  }

  #skip(deployment: Deployment, reason: Skip['reason']): void {
    this.#skipped.push({ deployment: deployment.key, reason });
  }

  #admits(candidate: Candidate): boolean {
    return this.#tools.breakerOf(candidate.deployment).admits();
  }

  /** The next deployment once its turn has come. A breaker may open while we wait for it. */
  async #nextAdmitted(extra: number): Promise<Candidate | undefined> {
    for (;;) {
      const candidate = this.#next();
      if (candidate === undefined || !(await this.#mayTry(candidate, extra))) return undefined;
      if (this.#past || this.#admits(candidate)) return candidate;
      if (extra > 0) this.#tools.budget.release();
      candidate.usable = false;
      this.#skip(candidate.deployment, 'breaker_open');
    }
  }

  /** The first deployment not tried yet; else the one after the last, where a repeat may help. */
  #next(): Candidate | undefined {
    const open = this.#candidates.filter(
      (candidate) => candidate.usable && (this.#past || this.#admits(candidate)),
    );
    return open.find((candidate) => candidate.tries === 0) ?? this.#afterLast(open);
  }

  #afterLast(open: readonly Candidate[]): Candidate | undefined {
    const last = this.#last && this.#candidates.indexOf(this.#last.candidate);
    if (last === undefined) return open[0];
    return open.find((candidate) => this.#candidates.indexOf(candidate) > last) ?? open[0];
  }

  /** Waits where a repeat must wait, and takes a place in the retry budget for an extra attempt. */
  async #mayTry(candidate: Candidate, extra: number): Promise<boolean> {
    if (extra === 0) return true;
    const { budget, random } = this.#tools;
    const { signal } = this.#call;
    if (candidate.tries === 0) return budget.take(TURN_WAIT_MS_MAX, signal);
    const asked = this.#last?.candidate === candidate ? this.#last.failure.retryAfterMs : undefined;
    const delayMs = repeatDelayMs(candidate.tries - 1, asked, random());
    if (performance.now() + delayMs >= this.#totalAt || !budget.tryTake()) return false;
    try {
      await sleep(delayMs, undefined, { signal });
      return true;
    } catch {
      budget.release();
      return false;
    }
  }

  async #attempt(candidate: Candidate, extra: boolean): Promise<UpstreamAnswer | undefined> {
    const { deployment } = candidate;
    const breaker = this.#tools.breakerOf(deployment);
    const startedMs = performance.now();
    let exchange: Exchange | undefined;
    candidate.tries += 1;
    try {
      const body = await breaker.run(() => {
        exchange = this.#exchange(deployment, breaker);
        return exchange.answered;
      }, this.#past);
      this.#record(deployment, exchange?.status ?? null, null, startedMs);
      return this.#answer(deployment, body, exchange);
    } catch (error) {
      if (error instanceof ForbiddenRoute) {
        candidate.usable = false;
        this.#skip(deployment, 'jurisdiction');
        return undefined;
      }
      if (!(error instanceof AttemptFailure)) throw error;
      this.#record(deployment, exchange?.status ?? null, error.error, startedMs);
      this.#last = { candidate, failure: error };
      if (this.#step(error) !== 'repeat') candidate.usable = false;
      return undefined;
    } finally {
      if (extra) this.#tools.budget.release();
    }
  }

  #exchange(deployment: Deployment, breaker: DeploymentBreaker): Exchange {
    const { operation, stream, signal, jurisdictionsAllowed } = this.#call;
    const body = this.#call.bodyFor(deployment);
    const { firstByteMs, gapMs } = deployment.deadlines;
    const patience = stream ? 1 : WHOLE_ANSWER_PATIENCE;
    return new Exchange(
      this.#tools.carrierOf(deployment),
      { deployment, operation, body, jurisdictionsAllowed },
      {
        stream,
        operation,
        signal,
        limits: { firstByteMs: firstByteMs * patience, gapMs, totalAt: this.#totalAt },
        apiKey: deployment.apiKey,
        onLateFailure: (failure) => void breaker.learn(failure),
      },
    );
  }

  #answer(
    deployment: Deployment,
    body: Buffer | undefined,
    exchange: Exchange | undefined,
  ): UpstreamAnswer | undefined {
    const attempts = this.#attempts;
    const skipped = this.#skipped;
    if (body) return new Whole(deployment, attempts, skipped, body);
    return exchange && { kind: 'stream', deployment, attempts, skipped, stream: exchange };
  }

  #record(
    deployment: Deployment,
    status: number | null,
    error: Attempt['error'],
    startedMs: number,
  ): void {
    this.#attempts.push({
      deployment: deployment.key,
      providerId: deployment.providerId,
      modelId: deployment.id,
      status,
      error,
      latencyMs: performance.now() - startedMs,
    });
  }

  #step(failure: AttemptFailure) {
    return nextStep(failure.error, failure.retryAfterMs);
  }

  #failure(): Error {
    const first = this.#candidates[0]?.deployment;
    const waits = this.#candidates.map(({ deployment }) => {
      return this.#tools.breakerOf(deployment).waitMs;
    });
    return failureOfChain({
      model: first?.id ?? '',
      last: this.#last && { ...this.#last, deployment: this.#last.candidate.deployment },
      attempts: this.#attempts,
      skipped: this.#skipped,
      breakerWaitMs: Math.min(...waits),
    });
  }
}
