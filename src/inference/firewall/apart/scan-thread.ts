import type { Worker } from 'node:worker_threads';
import type { ErrorCode } from '../../../kernel/errors/catalogue.js';
import { type FailDetails, GatewayError } from '../../../kernel/errors/fail.js';
import { ScanTurns } from './scan-turns.js';
import { type Results, ScanLost, type Work } from './work.js';

/** How the thread answers. */
export type Answered =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly details: FailDetails }
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly isRange: boolean; readonly stack: string };

/** The work took longer, or more memory, than any is given. */
export class ScanTooLong extends Error {
  constructor() {
    super('a scan of the firewall took more than it is given');
  }
}

/** The work had no turn within the time that any waits. */
export class ScanUnbegun extends Error {
  constructor() {
    super('a scan of the firewall had no turn in time');
  }
}

/** Nobody waits for the work any more. */
export class ScanAbandoned extends Error {
  constructor() {
    super('nobody waits for the scan of the firewall');
  }
}

/** How work takes its turn. */
export interface Turn {
  /** Whose time the work takes. */
  readonly owner: string;
  /** Ends the wait of work that has not begun. */
  readonly signal?: AbortSignal | undefined;
  /** How long it waits at most; undefined for work for which nobody waits. Milliseconds. */
  readonly waitMsMax?: number | undefined;
}

interface Job {
  readonly work: Work;
  readonly owner: string;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: Error) => void;
  /** Ends what may still end the wait. */
  readonly begun: () => void;
}

/**
 * A thread that does one piece of work at a time, so that many of them take no more memory and no
 * more processors than one. The owner that has used the least time lately has the next turn. Work
 * that takes longer than it is given is ended with its thread, and the next one gets a new thread.
 */
export class ScanThread {
  readonly #turns = new ScanTurns<Job>();
  #thread: Worker | undefined;
  #doing: { readonly job: Job; readonly startedMs: number } | undefined;
  #clock: NodeJS.Timeout | undefined;

  constructor(
    private readonly start: () => Worker,
    private readonly budgetMs: number,
  ) {}

  /**
   * Has work done.
   * @throws ScanTooLong, ScanUnbegun, ScanAbandoned, ScanLost, and what the work is refused with
   */
  run<K extends Work['kind']>(
    work: Extract<Work, { kind: K }>,
    { owner, signal, waitMsMax }: Turn,
  ): Promise<Results[K]> {
    return new Promise<Results[K]>((resolve, reject) => {
      if (signal?.aborted) return reject(new ScanAbandoned());
      const leave = (reason: Error) => {
        if (!this.#turns.remove(owner, job)) return;
        job.begun();
        reject(reason);
      };
      const left = () => leave(new ScanAbandoned());
      const late = () => leave(new ScanUnbegun());
      const wait = waitMsMax === undefined ? undefined : setTimeout(late, waitMsMax);
      const begun = () => {
        clearTimeout(wait);
        signal?.removeEventListener('abort', left);
      };
      const job: Job = { work, owner, resolve, reject, begun };
      signal?.addEventListener('abort', left, { once: true });
      this.#turns.add(owner, job);
      this.#next();
    });
  }

  #next(): void {
    if (this.#doing) return;
    const job = this.#turns.next(performance.now());
    if (job) this.#begin(job);
  }

  #begin(job: Job): void {
    job.begun();
    this.#doing = { job, startedMs: performance.now() };
    this.#clock = setTimeout(() => this.#end(new ScanTooLong()), this.budgetMs);
    try {
      this.#thread ??= this.#started();
      this.#thread.postMessage(job.work);
    } catch (thrown) {
      this.#done()?.reject(thrown as Error);
    }
  }

  #started(): Worker {
    const thread = this.start();
    thread.unref();
    thread.on('message', (answered: Answered) => {
      if (this.#thread === thread) this.#take(answered);
    });
    thread.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#thread !== thread) return;
      this.#end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ScanTooLong() : error);
    });
    return thread;
  }

  #take(answered: Answered): void {
    const job = this.#done();
    if (answered.kind === 'done') job?.resolve(answered.result as never);
    else if (answered.kind === 'lost') job?.reject(new ScanLost());
    else if (answered.kind === 'refused') {
      job?.reject(new GatewayError(answered.code, answered.details));
    } else job?.reject(new (answered.isRange ? RangeError : Error)(answered.stack));
  }

  #end(reason: Error): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
    this.#done()?.reject(reason);
  }

  #done(): Job | undefined {
    const done = this.#doing;
    clearTimeout(this.#clock);
    this.#doing = undefined;
    if (done) {
      const nowMs = performance.now();
      this.#turns.used(done.job.owner, nowMs - done.startedMs, nowMs);
    }
    // In a turn of its own: a queue of failures is no stack.
    setImmediate(() => this.#next());
    return done?.job;
  }
}
