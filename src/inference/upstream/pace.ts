/** How an answer comes: in pieces as it is made, or when all of it is there. */
export type AnswerForm = 'stream' | 'whole';

const LATEST_COUNT = 10;
const REMEMBERED_COUNT = 50;
/** Answers that the long run must know before anything is called slow against it. */
const BASELINE_COUNT_MIN = 20;
const BASELINE_WEIGHT_MIN = 0.01;

/**
 * When answers are far from their long run: so many times it and so much longer, in milliseconds.
 * A whole answer takes as long as what was asked for is long, so it must be further away.
 */
const FAR: Readonly<Record<AnswerForm, { readonly times: number; readonly byMs: number }>> = {
  stream: { times: 5, byMs: 1_000 },
  whole: { times: 10, byMs: 5_000 },
};

/**
 * How long a deployment takes until its first content, against its own history. The latest ten
 * answers are compared with all that came before them, so that a change does not hide in the
 * average that it shifts.
 */
export class Pace {
  #latest: number[] = [];
  #remembered: number[] = [];
  #baselineMs = 0;
  #baselineCount = 0;

  constructor(private readonly form: AnswerForm) {}

  /** Takes the time of an answer in milliseconds. */
  add(tookMs: number): void {
    this.#remembered.push(tookMs);
    if (this.#remembered.length > REMEMBERED_COUNT) this.#remembered.shift();
    this.#latest.push(tookMs);
    const older = this.#latest.length > LATEST_COUNT ? this.#latest.shift() : undefined;
    if (older === undefined) return;
    this.#baselineCount += 1;
    const weight = Math.max(1 / this.#baselineCount, BASELINE_WEIGHT_MIN);
    this.#baselineMs += weight * (older - this.#baselineMs);
  }

  /** The slowest of the last fifty answers, or undefined while fewer than ten are known. */
  get slowestMs(): number | undefined {
    return this.#remembered.length < LATEST_COUNT ? undefined : Math.max(...this.#remembered);
  }

  /** The median of the latest ten answers, or of those that are known; undefined without any. */
  get medianMs(): number | undefined {
    const known = this.#latest.length > 0 ? this.#latest : this.#remembered;
    return median(known);
  }

  /** The median of the last fifty answers. */
  get rememberedMedianMs(): number | undefined {
    return median(this.#remembered);
  }

  /** True for a time that is far from the long run. */
  isFar(tookMs: number): boolean {
    if (this.#baselineCount < BASELINE_COUNT_MIN) return false;
    const { times, byMs } = FAR[this.form];
    return tookMs > this.#baselineMs * times && tookMs - this.#baselineMs >= byMs;
  }

  /** True while the median of the latest ten answers is far from the long run. */
  get isSlow(): boolean {
    if (this.#latest.length < LATEST_COUNT) return false;
    const sorted = [...this.#latest].sort((one, other) => one - other);
    return this.isFar(sorted[LATEST_COUNT / 2 - 1] ?? 0);
  }

  /** Forgets the latest answers, but not the long run. */
  forgetLatest(): void {
    this.#latest = [];
  }
}

function median(times: readonly number[]): number | undefined {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.ceil(sorted.length / 2) - 1];
}
