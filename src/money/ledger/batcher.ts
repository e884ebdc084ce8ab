import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { sharedNow } from '../../kernel/clock.js';
import { warnUnlessAway } from '../../platform/database/outage.js';
import { Backlog } from './backlog.js';
import { datedText, encodeRelease } from './encode.js';
import { faultOf } from './faults.js';
import type { RequestRef } from './ledger.js';
import { type AnswerRow, isDone } from './outcomes.js';
import { Unflushed } from './unflushed.js';
import {
  type Encoded,
  isOnlyInMemory,
  noteOf,
  type SettleAnswer,
  takes,
  unavailable,
  type Waiting,
  waitingFor,
} from './waiting.js';
import type { WriteAheadFile } from './write-ahead-file.js';
import type { Writer } from './writer.js';

const HOLDS_WAITING_MAX = 20_000;
/** A batch that is this old means that the database may be away: settles go to disk. */
const BATCH_MS_SUSPECT = 1_000;
const WATCH_MS = 100;
/** So long a note waits for a batch that goes anyway: alone, it would cost as much as a charge. */
const NOTE_WAIT_MS = 20;
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1_000;

/**
 * Groups the operations of a node into batches, one in flight at a time: while one commits, the
 * next one gathers. A batch whose answer did not come is sent again as it was, which is safe
 * because every operation is idempotent; so no operation is ever left in doubt.
 */
export class Batcher {
  readonly #writer: Writer;
  readonly #writeAheadFile: WriteAheadFile;
  readonly #log: Logger;
  readonly #backlog = new Backlog();
  #inFlight: readonly Waiting[] = [];
  readonly #unflushed: Unflushed;
  #inFlightSinceMs = 0;
  #running = false;
  #stopped = false;
  #isDraining = false;
  #available = true;
  /** Operations that are on disk and not yet in the database. */
  #onDisk = 0;
  #isWritingAhead = false;
  #hasWrittenAhead = false;
  #started = false;
  #watch: NodeJS.Timeout | undefined;
  #noteWait: NodeJS.Timeout | undefined;
  readonly counts = { batches: 0, ops: 0, retries: 0, journaledOps: 0, lostSettles: 0 };
  lastBatchMs = 0;

  constructor(writer: Writer, file: WriteAheadFile, log: Logger) {
    this.#writer = writer;
    this.#writeAheadFile = file;
    this.#log = log;
    this.#unflushed = new Unflushed(log);
  }

  get available(): boolean {
    return this.#available;
  }

  get queuedOps(): number {
    return this.#backlog.length;
  }

  get inFlightOps(): number {
    return this.#inFlight.length;
  }

  /** Resolves with the committed row; rejects with ledger_unavailable when that takes too long. */
  take(ref: RequestRef, op: Encoded): Promise<AnswerRow> {
    if (this.#backlog.holds.length >= HOLDS_WAITING_MAX) return Promise.reject(unavailable());
    return this.#submit(ref, op) as Promise<AnswerRow>;
  }

  /** Resolves when the operation is committed or on disk. */
  settle(ref: RequestRef, op: Encoded): Promise<SettleAnswer> {
    return this.#submit(ref, op);
  }

  /** Goes with the next batch, or with one of its own after a little; nobody waits for it. */
  note(ref: RequestRef, op: Encoded): void {
    if (!this.#enter(noteOf(ref, op)) || this.#running) return;
    if (this.#backlog.isFull) this.#wake();
    else this.#waitForOthers();
  }

  start(): void {
    this.#started = true;
    this.#keepWatch();
  }

  /** Resolves when every caller has its answer and every note is committed or on disk. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.queuedOps > 0) this.#wake();
    while (this.#hasUnsafe()) await sleep(WATCH_MS / 5);
    this.#isDraining = false;
  }

  /** Ends the retries; what is journaled stays on disk for the next process. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#watch);
    clearTimeout(this.#noteWait);
  }

  #hasUnsafe(): boolean {
    // While the database is away, recovery has what the disk has not.
    const awaited = (one: Waiting) => !one.answered && one.kind !== 'checkpoint';
    const unsafe = (one: Waiting) => !one.journaled && (this.#available || awaited(one));
    const { settles, holds } = this.#backlog;
    return this.#inFlight.some(unsafe) || settles.some(unsafe) || holds.some(unsafe);
  }

  #submit(ref: RequestRef, op: Encoded): Promise<SettleAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#enter(waitingFor(ref, op, resolve, reject))) this.#wake();
    });
  }

  /** @returns false when nothing is taken any more */
  #enter(waiting: Waiting): boolean {
    if (this.#stopped) {
      waiting.reject(unavailable());
      return false;
    }
    this.#backlog.add(waiting);
    if (!this.#available && !takes(waiting.kind)) this.#writeAhead();
    this.#keepWatch();
    return true;
  }

  /** Operations that arrive in the same turn of the event loop share the first batch. */
  #wake(): void {
    if (this.#running || this.#stopped) return;
    this.#running = true;
    clearTimeout(this.#noteWait);
    this.#noteWait = undefined;
    setImmediate(() => {
      void this.#run();
    });
  }

  #waitForOthers(): void {
    this.#noteWait ??= setTimeout(() => this.#wake(), NOTE_WAIT_MS);
  }

  /** Notes that came during the last batch are no reason for another one. */
  async #run(): Promise<void> {
    const isDue = () => (this.#isDraining ? this.queuedOps > 0 : this.#backlog.isDue);
    for (let goes = this.queuedOps > 0; !this.#stopped && goes; goes = isDue()) {
      const batch = this.#backlog.take();
      this.#inFlight = batch;
      this.#inFlightSinceMs = performance.now();
      await this.#commit(batch);
      this.#inFlight = [];
      await new Promise(setImmediate);
    }
    this.#running = false;
    if (this.queuedOps > 0 && !this.#stopped) this.#waitForOthers();
  }

  /**
   * The common operations go set by set at first. What was sent before may be done already, which
   * only the way one by one tells.
   */
  async #commit(batch: readonly Waiting[], isFirst = true): Promise<void> {
    let sorted = isFirst;
    for (let waitMs = RETRY_MS_MIN; !this.#stopped; waitMs = Math.min(waitMs * 2, RETRY_MS_MAX)) {
      try {
        const startedMs = performance.now();
        await this.#unflushed.restore(this.#writer);
        const { rows, isFlushed } = await this.#writer.apply(batch, sorted);
        this.lastBatchMs = performance.now() - startedMs;
        this.#unflushed.committed(batch, isFlushed);
        this.#answer(batch, rows);
        return;
      } catch (error) {
        const fault = faultOf(error);
        if (fault === 'statement' && !sorted) return this.#isolate(batch, error);
        sorted = false;
        if (fault === 'statement') continue;
        this.counts.retries += 1;
        this.#available = false;
        warnUnlessAway(this.#log, error, 'ledger batch not answered', { ops: batch.length, fault });
        this.#writeAhead();
        if (fault === 'fenced') await this.#rejoin();
        if (this.#writer.superseded()) return this.#refuseAll(batch);
        await sleep(waitMs * (0.5 + Math.random() / 2));
      }
    }
  }

  /** One operation that the database cannot execute must not stop the others of its batch. */
  async #isolate(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [only] = batch;
    if (only && batch.length === 1) return this.#refuse(only, error);
    const half = Math.ceil(batch.length / 2);
    await this.#commit(batch.slice(0, half), false);
    await this.#commit(batch.slice(half), false);
  }

  #refuse(one: Waiting, error: unknown): void {
    const facts = { err: error, kind: one.kind, request_id: one.ref.requestId };
    this.#log.error(facts, 'ledger operation refused by the database');
    if (one.kind === 'finalize') {
      this.counts.lostSettles += 1;
      this.#releaseQuietly(one.ref);
    }
    this.#finish(one);
    one.reject(error);
  }

  #refuseAll(batch: readonly Waiting[]): void {
    for (const one of [...batch, ...this.#backlog.clear()]) {
      one.answered = true;
      one.reject(unavailable());
    }
    this.stop();
  }

  #rejoin(): Promise<void> {
    const words = 'ledger epoch not taken over again';
    return this.#writer.rejoin().catch((error) => warnUnlessAway(this.#log, error, words));
  }

  #answer(batch: readonly Waiting[], rows: readonly AnswerRow[]): void {
    this.#available = true;
    this.counts.batches += 1;
    this.counts.ops += batch.length;
    for (const row of rows) {
      const one = batch[row[0] - 1];
      if (!one) continue;
      if (one.kind === 'finalize' && !isDone(row)) this.#tellLost(one, row);
      if (one.answered && isDone(row)) this.#answerLate(one, row);
      this.#finish(one);
      one.resolve(row);
    }
  }

  /** Its caller was refused, so nobody will ever settle a hold, or read what was charged. */
  #answerLate({ kind, ref }: Waiting, [, , amount]: AnswerRow): void {
    if (kind === 'hold') this.#releaseQuietly(ref);
    if (kind === 'charge') this.#writer.giveBack(ref, BigInt(amount ?? 0));
  }

  #tellLost({ ref: { requestId } }: Waiting, [, status]: AnswerRow): void {
    this.counts.lostSettles += 1;
    this.#log.error({ request_id: requestId, status }, 'a settle found no hold');
  }

  #finish(one: Waiting): void {
    one.answered = true;
    if (!one.journaled) return;
    this.#onDisk -= 1;
    if (this.#onDisk === 0) this.#clearJournal();
  }

  #releaseQuietly(ref: RequestRef): void {
    const op = encodeRelease({ accountId: ref.accountId, requestId: ref.requestId });
    if (this.#enter(noteOf(ref, op))) this.#wake();
  }

  #keepWatch(): void {
    if (this.#started) this.#watch ??= setInterval(() => this.#watchOver(), WATCH_MS).unref();
  }

  #watchOver(): void {
    if (this.queuedOps === 0 && this.#inFlight.length === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
      return;
    }
    const nowMs = performance.now();
    const due = (one: Waiting) => one.deadlineMs <= nowMs && !one.answered;
    const { holds } = this.#backlog;
    while (holds[0] && holds[0].deadlineMs <= nowMs) {
      holds.shift()?.reject(unavailable());
    }
    for (const one of this.#inFlight.filter(due)) {
      one.answered = true;
      one.reject(unavailable());
    }
    if (this.#inFlight.length > 0 && nowMs - this.#inFlightSinceMs > BATCH_MS_SUSPECT) {
      this.#available = false;
      this.#writeAhead();
    }
  }

  /** Puts what nobody may lose on disk and lets its callers go on. */
  #writeAhead(): void {
    if (this.#isWritingAhead) return;
    this.#isWritingAhead = true;
    this.#writeAheadAll()
      .catch((error: unknown) => {
        this.#log.error({ err: error }, 'write-ahead file cannot be written');
      })
      .finally(() => {
        this.#isWritingAhead = false;
        if (this.#onDisk === 0) this.#clearJournal();
      });
  }

  async #writeAheadAll(): Promise<void> {
    for (;;) {
      const fresh = [...this.#inFlight, ...this.#backlog.settles].filter(isOnlyInMemory);
      if (fresh.length === 0) return;
      for (const one of fresh) {
        one.text = datedText(one.text, sharedNow());
        one.lane = 'rest';
      }
      this.#hasWrittenAhead = true;
      const texts = fresh.map(({ text }) => text);
      await this.#writeAheadFile.append([...this.#unflushed.texts(), ...texts]);
      // Some of them may have been committed while the disk wrote.
      for (const one of fresh.filter((each) => !each.answered)) {
        one.journaled = true;
        one.answered = true;
        this.#onDisk += 1;
        this.counts.journaledOps += 1;
        one.resolve('journaled');
      }
    }
  }

  #clearJournal(): void {
    if (!this.#hasWrittenAhead || this.#isWritingAhead) return;
    this.#isWritingAhead = true;
    this.#hasWrittenAhead = false;
    this.#writeAheadFile
      .clear()
      .catch((error: unknown) => this.#log.error({ err: error }, 'write-ahead file not cleared'))
      .finally(() => {
        this.#isWritingAhead = false;
        if (!this.#available) this.#writeAhead();
      });
  }
}
