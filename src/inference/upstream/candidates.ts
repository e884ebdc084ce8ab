import type { Deployment } from '../../catalog/providers/model.js';
import type { Jurisdiction } from '../../catalog/providers/vocabulary.js';
import type { AttemptFailure } from './attempt-failure.js';
import type { Skip } from './call.js';
import type { Gate } from './gate.js';
import type { AnswerForm } from './pace.js';
import type { Standing } from './standing.js';

/** What is known of deployments. */
export interface Figures {
  standingOf(deployment: Deployment): Standing;
  gateOf(deployment: Deployment): Gate;
}

/** One deployment of a chain during one run through it. */
export interface Candidate {
  readonly deployment: Deployment;
  readonly standing: Standing;
  readonly gate: Gate;
  tries: number;
  /** False once it may not be called (any more) in this run. */
  usable: boolean;
  /** Asked after all others. */
  last: boolean;
  failure: AttemptFailure | undefined;
  /** When its limits let it be asked again, where they have refused; milliseconds. */
  limitedMs: number | undefined;
}

/** The deployments of a chain, and which of them is asked next. */
export class Candidates {
  readonly #all: readonly Candidate[];
  readonly #skipped: Skip[] = [];
  #past = false;
  #lastTried: Candidate | undefined;

  constructor(chain: readonly Deployment[], { standingOf, gateOf }: Figures) {
    this.#all = chain.map((deployment) => ({
      deployment,
      standing: standingOf(deployment),
      gate: gateOf(deployment),
      tries: 0,
      usable: true,
      last: false,
      failure: undefined,
      limitedMs: undefined,
    }));
  }

  get all(): readonly Candidate[] {
    return this.#all;
  }

  /** True when open breakers are ignored. */
  get past(): boolean {
    return this.#past;
  }

  /** The one that was tried last. */
  get lastTried(): Candidate | undefined {
    return this.#lastTried;
  }

  /**
   * Passes over what may not or cannot be called. Routes that are not allowed are refused again at
   * the socket. Open breakers are ignored only where nothing else is left and so many are open that
   * the fault is more likely ours.
   */
  sort(allowed: readonly Jurisdiction[], breakersDoubtful: () => boolean): void {
    for (const candidate of this.#all) {
      const { jurisdiction, health } = candidate.deployment;
      if (!allowed.includes(jurisdiction)) this.passOver(candidate, 'jurisdiction');
      else if (health.override === 'forced_down') this.passOver(candidate, 'forced_down');
    }
    const inside = this.#all.filter(({ usable }) => usable);
    const closed = inside.filter((candidate) => !mayGo(candidate));
    this.#past = closed.length > 0 && closed.length === inside.length && breakersDoubtful();
    if (!this.#past) for (const candidate of closed) this.passOver(candidate, 'breaker_open');
  }

  /** Looks anew who is asked after all others: others may have found out meanwhile. */
  #putLast(): void {
    for (const candidate of this.#all) {
      candidate.last = !isForcedUp(candidate.deployment) && candidate.standing.keepsOut();
    }
    for (const candidate of this.#all) candidate.last ||= this.#isCrowded(candidate);
  }

  /** A deployment that never answered waits for its first answers, while a peer can be asked. */
  #isCrowded({ deployment, standing }: Candidate): boolean {
    const isFree = (other: Candidate) =>
      other.usable && !other.last && !other.standing.isCrowdedUnproven();
    return (
      standing.isCrowdedUnproven() &&
      this.#all.some((other) => other.deployment.id === deployment.id && isFree(other))
    );
  }

  /** Takes a deployment out of the run, and says why. */
  passOver(candidate: Candidate, reason: Skip['reason']): void {
    candidate.usable = false;
    this.#skipped.push({ deployment: candidate.deployment.key, reason });
  }

  /**
   * The first deployment not tried yet; else the one after the last, where a repeat may help; what
   * is set aside only after both. One that is only crowded is worth more than a repeat.
   * @param isFinal nothing can be tried after this one: whoever is answering is asked then
   */
  next(isFinal = false): Candidate | undefined {
    this.#putLast();
    const open = this.#all.filter(
      (candidate) => candidate.usable && (this.#past || mayGo(candidate)),
    );
    const first = open.filter(({ last }) => !last);
    const answering = isFinal ? open.filter(({ standing }) => standing.isAnswering()) : [];
    return (
      untried(answering) ??
      this.#afterLast(answering) ??
      untried(first) ??
      untried(open.filter(({ standing }) => !standing.keepsOut())) ??
      this.#afterLast(first) ??
      untried(open) ??
      this.#afterLast(open)
    );
  }

  /** A failed attempt; without a chance of another the deployment is out of the run. */
  failed(candidate: Candidate, failure: AttemptFailure, mayRepeat: boolean): void {
    candidate.failure = failure;
    this.#lastTried = candidate;
    if (!mayRepeat) candidate.usable = false;
  }

  /** True when another deployment that was not asked yet could take over now. */
  otherReady(candidate: Candidate): boolean {
    return this.#all.some(
      (other) =>
        other !== candidate &&
        other.tries === 0 &&
        other.usable &&
        mayGo(other) &&
        other.gate.waitMs === 0 &&
        !other.standing.keepsOut(),
    );
  }

  /**
   * The slowest answer of late in milliseconds: its own, or while it has no history that of its
   * peers, which serve the same model.
   */
  usualMs({ deployment, standing }: Candidate, form: AnswerForm): number | undefined {
    const own = standing.slowestMs(form);
    if (own !== undefined) return own;
    const peers = this.#all.flatMap((other) =>
      other.deployment.id === deployment.id ? (other.standing.slowestMs(form) ?? []) : [],
    );
    return peers.length === 0 ? undefined : Math.max(...peers);
  }

  /** What was passed over so far, and what was set aside and not asked after all. */
  skipped(): Skip[] {
    const unasked = this.#all.filter(({ last, usable, tries }) => last && usable && tries === 0);
    const aside = unasked.map(({ deployment: { key } }) => {
      return { deployment: key, reason: 'set_aside' as const };
    });
    return [...this.#skipped, ...aside];
  }

  #afterLast(open: readonly Candidate[]): Candidate | undefined {
    const last = this.#lastTried && this.#all.indexOf(this.#lastTried);
    if (last === undefined) return open[0];
    return open.find((candidate) => this.#all.indexOf(candidate) > last) ?? open[0];
  }
}

/** True where its breaker lets a call in, or an operator says that it is up. */
function mayGo({ deployment, standing }: Candidate): boolean {
  return isForcedUp(deployment) || standing.admits();
}

/** True where an operator says that it is called whatever its breaker says. */
export function isForcedUp({ health }: Deployment): boolean {
  return health.override === 'forced_up';
}

function untried(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.find(({ tries }) => tries === 0);
}
