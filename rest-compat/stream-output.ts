import type { Arrival } from './arrival.js';
import type { EventOutput } from './codecs/sse.js';
import { commonHeaders, type Headers, inARow } from './reply.js';

/** The largest streamed answer that is kept for replay. */
const CAPTURED_BYTES_MAX = 4 * 1024 * 1024;

/** What a stream's response is made of. */
export interface StreamOutputOptions {
  readonly status: number;
  /** Headers of the operation, read when the first byte goes out. */
  headers(): Readonly<Headers>;
  /** Headers of the codec. */
  readonly content: Readonly<Headers>;
  /** Keeps a copy of what is written, and goes on without the client. */
  readonly capture: boolean;
}

/** A response that is written bit by bit; keeps a copy where a replay may be asked for. */
export class StreamOutput implements EventOutput {
  headSent = false;
  readonly headers: Headers;
  readonly left: Promise<void>;
  #captured: Buffer[] | undefined;
  #capturedBytes = 0;
  #ended = false;
  #last = '';
  #written = false;

  constructor(
    private readonly arrival: Arrival,
    private readonly options: StreamOutputOptions,
  ) {
    this.headers = { ...options.content };
    if (options.capture) this.#captured = [];
    this.left = new Promise((resolve) => {
      if (!options.capture) arrival.response.on('close', resolve);
    });
  }

  get closed(): boolean {
    if (this.#ended) return true;
    return !this.options.capture && this.arrival.response.destroyed;
  }

  head(headers: Readonly<Headers>): void {
    if (this.headSent) return;
    this.headSent = true;
    Object.assign(this.headers, this.options.headers(), headers);
    const { response } = this.arrival;
    if (response.destroyed) return;
    response.writeHead(this.options.status, inARow(commonHeaders(this.arrival), this.headers));
    // Headers leave in one piece with what is written in this turn, and alone where nothing is.
    process.nextTick(() => {
      if (!this.#written && !response.destroyed) response.flushHeaders();
    });
  }

  write(bytes: Buffer | string): boolean {
    if (this.#ended) return true;
    this.#written = true;
    if (this.#captured) this.#capture(bytes);
    return this.arrival.response.destroyed ? true : this.arrival.response.write(bytes);
  }

  drained(): Promise<void> {
    const { response } = this.arrival;
    if (response.destroyed || !response.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        response.off('drain', done);
        response.off('close', done);
        resolve();
      };
      response.on('drain', done);
      response.on('close', done);
    });
  }

  /** Ends the answer; where a copy is kept, the last bytes wait for `close`. */
  end(last = ''): void {
    if (this.#ended) return;
    if (this.#captured) this.#capture(last);
    this.#ended = true;
    this.#written = true;
    this.#last = last;
    if (!this.options.capture) this.close();
  }

  /** Lets the last bytes go. Until then a client that waits for them cannot come again. */
  close(): void {
    const { response } = this.arrival;
    if (!response.destroyed && !response.writableEnded) response.end(this.#last);
  }

  /** Everything that was written, or undefined when it was not to be kept or is too large. */
  captured(): Buffer | undefined {
    return this.#captured && Buffer.concat(this.#captured, this.#capturedBytes);
  }

  #capture(bytes: Buffer | string): void {
    const copy = Buffer.from(bytes);
    this.#capturedBytes += copy.length;
    if (this.#capturedBytes > CAPTURED_BYTES_MAX) this.#captured = undefined;
    else this.#captured?.push(copy);
  }
}
