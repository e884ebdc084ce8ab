import type { Dispatcher } from 'undici';
import { sharedNowMs } from '../../kernel/clock.js';
import type { CarrierHandle, CarrierReceiver } from './carrier.js';
import { toldBy } from './told.rules.js';

/** One exchange over a socket: undici's callbacks on one side, the receiver's on the other. */
export class HttpExchange implements Dispatcher.DispatchHandler, CarrierHandle {
  #abort: (() => void) | undefined;
  #resume: (() => void) | undefined;
  #over = false;

  /** @param explained what an error of the pool really was; the error itself unless given */
  constructor(
    private readonly receiver: CarrierReceiver,
    private readonly explained: (error: Error) => Error = (error) => error,
  ) {}

  onConnect(abort: () => void): void {
    // A request may be aborted while it waits for a socket; it then ends where it would begin.
    if (this.#over) abort();
    else this.#abort = abort;
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    this.#resume = resume;
    if (status >= 200 && !this.#over) {
      const asked = status < 400 ? undefined : retryAfterMs(headers);
      this.receiver.onStatus(status, asked, toldBy(headers));
    }
    return true;
  }

  onData(chunk: Buffer): boolean {
    return this.#over ? true : this.receiver.onData(chunk);
  }

  onComplete(): void {
    if (this.#over) return;
    this.#over = true;
    this.receiver.onEnd();
  }

  onError(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    // Undici may refuse a request inside `dispatch`; the receiver is never called that early.
    queueMicrotask(() => this.receiver.onError(this.explained(error)));
  }

  resume(): void {
    if (!this.#over) this.#resume?.();
  }

  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#abort?.();
  }
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date, in milliseconds from now. */
function retryAfterMs(headers: readonly Buffer[]): number | undefined {
  let asked: number | undefined;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]?.toString('latin1').toLowerCase();
    const value = headers[index + 1]?.toString('latin1') ?? '';
    if (name === 'retry-after-ms' && /^\d{1,9}(\.\d+)?$/.test(value))
      return Math.ceil(Number(value));
    if (name !== 'retry-after') continue;
    if (/^\d{1,6}$/.test(value)) asked = Number(value) * 1_000;
    else {
      const date = Date.parse(value);
      if (!Number.isNaN(date)) asked = Math.max(0, date - sharedNowMs());
    }
  }
  return asked;
}
