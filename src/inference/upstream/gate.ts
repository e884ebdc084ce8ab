import { randomUUID } from 'node:crypto';
import type { Deployment } from '../../catalog/providers/model.js';
import type { Admission, Counters, Limit } from '../../platform/counters/counters.js';
import type { Clock } from './breaker.js';
import type { UpstreamCall } from './call.js';
import { bounded, TOLD_MS_DEFAULT, type Told } from './told.rules.js';
import type { RawUsage } from './usage.js';

/** A timer may fire this much before its time; who waited as told is let in. Milliseconds. */
const EARLY_MS = 2;

/** What gates share. */
export interface GateParts {
  readonly counters: Counters;
  /** What this node may take of a limit while it counts for itself alone. */
  readonly share: (limit: number) => number;
  /** A slot outlives the longest request by this and is then taken back. Milliseconds. */
  readonly leaseMs: number;
  readonly now: Clock;
}

/** What was used of the limits of a deployment in the last minute; absent where not limited. */
export interface LimitUse {
  readonly requests?: number;
  readonly tokens?: number;
}

/** A window of a deployment as counters are asked for it. */
interface AskedWindow {
  readonly key: string;
  readonly of: keyof LimitUse;
  readonly limit: Extract<Limit, { readonly kind: 'window' }>;
}

/** A deployment is at a limit; when it may be asked again, in milliseconds. */
export interface AtLimit {
  readonly waitMs: number;
}

/** What a call has taken of the limits of a deployment, and gives back. */
export interface Passage {
  /** The provider says what was used. What it says beyond all measure is not believed. */
  used(usage: RawUsage): void;
  /** The call has ended; `unused` where the provider has done nothing for it. */
  ended(unused?: boolean): void;
}

/** Names the slots of this process among those of all nodes. */
const PROCESS = randomUUID();
let slots = 0;

/**
 * Holds one deployment to its limits before they are hit: to those that an operator states, which
 * are counted over all nodes, and to what the provider itself says beside its answers.
 */
export class Gate {
  #closedUntilMs = 0;
  #requestsLeft = Number.POSITIVE_INFINITY;
  #requestsUntilMs = 0;
  #tokensLeft = Number.POSITIVE_INFINITY;
  #tokensUntilMs = 0;
  #tokensLimit: number | undefined;
  /** Until when something that was told may hold; 0 when nothing does. */
  #toldUntilMs = 0;

  constructor(private readonly parts: GateParts) {}

  /**
   * Lets a call through that takes about so many tokens. Without limits, and while the provider
   * has said nothing, this is two comparisons.
   * @returns undefined for a call that has nothing to give back
   */
  pass(
    deployment: Deployment,
    call: Pick<UpstreamCall, 'tokensOf'>,
  ): undefined | AtLimit | Passage | Promise<AtLimit | Passage> {
    const { limits } = deployment;
    if (limits === undefined && this.#toldUntilMs === 0) return undefined;
    const tokens = Math.max(1, call.tokensOf?.(deployment) ?? 1);
    const waitMs = this.#toldWaitMs(tokens);
    if (waitMs > 0) return { waitMs };
    if (limits === undefined) {
      this.#count(tokens);
      return undefined;
    }
    slots += 1;
    const asked = this.#limitsOf(deployment, tokens, `${PROCESS}-${slots}`);
    const taken = this.parts.counters.take(asked);
    const take = (admission: Admission) => this.#passage(asked, admission, tokens);
    return taken instanceof Promise ? taken.then(take) : take(taken);
  }

  /** How long all calls wait now by what the provider has said; 0 where it has said nothing. */
  get waitMs(): number {
    return this.#toldUntilMs === 0 ? 0 : this.#toldWaitMs(0);
  }

  /** Takes what the provider says beside an answer. What is less than was known counts at once. */
  told(told: Told): void {
    const now = this.parts.now();
    const { requestsLeft, tokensLeft } = told;
    this.#tokensLimit = told.tokensLimit ?? this.#tokensLimit;
    if (
      requestsLeft !== undefined &&
      (now >= this.#requestsUntilMs || requestsLeft <= this.#requestsLeft)
    ) {
      this.#requestsLeft = requestsLeft;
      this.#requestsUntilMs = now + (told.requestsResetMs ?? TOLD_MS_DEFAULT);
    }
    // What calls were foreseen to take is a guess, which the provider's own word replaces.
    if (tokensLeft !== undefined) {
      this.#tokensLeft = tokensLeft;
      this.#tokensUntilMs = now + (told.tokensResetMs ?? TOLD_MS_DEFAULT);
    }
    this.#noteUntil();
  }

  /** The provider has refused a call for its rate, and says when to come back. */
  refused(retryAfterMs: number | undefined): void {
    if (retryAfterMs === undefined) return;
    this.#closedUntilMs = this.parts.now() + bounded(retryAfterMs);
    this.#noteUntil();
  }

  #noteUntil(): void {
    this.#toldUntilMs = Math.max(this.#closedUntilMs, this.#requestsUntilMs, this.#tokensUntilMs);
  }

  #toldWaitMs(tokens: number): number {
    const now = this.parts.now() + EARLY_MS;
    if (now >= this.#toldUntilMs) {
      this.#toldUntilMs = 0;
      return 0;
    }
    const closed = this.#closedUntilMs - now;
    const requests = this.#requestsLeft < 1 ? this.#requestsUntilMs - now : 0;
    // Without the whole of the limit nobody can say whether an estimate could ever pass.
    const needed = Math.max(1, Math.min(tokens, this.#tokensLimit ?? 1));
    const spent = this.#tokensLeft < needed ? this.#tokensUntilMs - now : 0;
    return Math.max(0, closed, requests, spent);
  }

  #count(tokens: number): void {
    this.#requestsLeft -= 1;
    this.#tokensLeft -= tokens;
  }

  /** The windows of a deployment, for a call of so many tokens; none takes nothing of them. */
  windowsOf({ key, limits = {} }: Deployment, tokens: number): readonly AskedWindow[] {
    const { share } = this.parts;
    const { requestsPerMinute, tokensPerMinute } = limits;
    const requests = Math.min(1, tokens);
    const asked = (of: keyof LimitUse, limit: number | undefined, points: number) => {
      if (limit === undefined) return [];
      const name = `up:${of}:${key}`;
      const window = { kind: 'window', key: name, limit, points, alone: share(limit) } as const;
      return [{ key, of, limit: window }];
    };
    return [
      ...asked('requests', requestsPerMinute, requests),
      ...asked('tokens', tokensPerMinute, tokens),
    ];
  }

  #limitsOf(deployment: Deployment, tokens: number, slot: string): Limit[] {
    const { key, limits } = deployment;
    const { share, leaseMs } = this.parts;
    const asked: Limit[] = this.windowsOf(deployment, tokens).map(({ limit }) => limit);
    const limit = limits?.concurrentRequests;
    if (limit !== undefined) {
      const name = `up:slots:${key}`;
      asked.push({ kind: 'concurrency', key: name, limit, slot, leaseMs, alone: share(limit) });
    }
    return asked;
  }

  #passage(asked: readonly Limit[], admission: Admission, tokens: number): AtLimit | Passage {
    if (admission.refused !== undefined) return { waitMs: Math.max(1, admission.retryAfterMs) };
    this.#count(tokens);
    return new TakenPassage(this.parts.counters, asked, admission, tokens);
  }
}

/** Whether a call was stopped at the gate. */
export function isAtLimit(passed: AtLimit | Passage | undefined): passed is AtLimit {
  return passed !== undefined && 'waitMs' in passed;
}

class TakenPassage implements Passage {
  #ended = false;
  #used: number | undefined;

  constructor(
    private readonly counters: Counters,
    private readonly asked: readonly Limit[],
    private readonly admission: Admission,
    private readonly tokens: number,
  ) {}

  used(usage: RawUsage): void {
    this.#used = tokensUsed(usage) ?? this.#used;
  }

  ended(unused = false): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const limit of this.asked) {
      if (limit.kind === 'concurrency') this.counters.release(limit.key, limit.slot);
      if (limit.kind !== 'window') continue;
      if (unused) this.admission.correct?.(limit.key, limit.points);
      else if (limit.key.startsWith('up:tokens:') && this.#used !== undefined) {
        this.#correct(limit.key, this.tokens - this.#used);
      }
    }
  }

  /** Usage beyond twice of what was foreseen is a lie, or a fault of ours; it counts as twice. */
  #correct(key: string, points: number): void {
    const correction = Math.max(points, -this.tokens);
    if (correction !== 0) this.admission.correct?.(key, correction);
  }
}

function tokensUsed({ total_tokens, prompt_tokens, completion_tokens }: RawUsage) {
  const total = figure(total_tokens);
  if (total !== undefined) return total;
  const parts = [figure(prompt_tokens), figure(completion_tokens)];
  return parts[0] === undefined ? undefined : parts[0] + (parts[1] ?? 0);
}

function figure(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}
