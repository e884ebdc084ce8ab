import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Language, preferredLanguage } from '../src/kernel/language/languages.js';

/** One request as the transport sees it, from its first byte to the end of its answer. */
export class Arrival {
  /** Monotonic time of arrival in milliseconds (performance.now). */
  readonly startedMs = performance.now();
  /** The body as it came, once it was read. */
  rawBody: Buffer | undefined;
  #controller: AbortController | undefined;
  #gone = false;
  #outlives = false;

  constructor(
    readonly requestId: string,
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    response.on('close', () => {
      if (!response.writableFinished) this.#leave();
    });
  }

  /** Aborted when the client goes away before its answer is complete. Made when first asked for. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#gone && !this.#outlives) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** The language that the client reads, by its header `accept-language`. */
  get language(): Language {
    return preferredLanguage(this.request.headers['accept-language']);
  }

  /** True when nobody waits for the answer any more. */
  get gone(): boolean {
    return this.#gone;
  }

  /** From now on the work goes on without the client, which is expected to come back for it. */
  outliveClient(): void {
    this.#outlives = true;
  }

  #leave(): void {
    this.#gone = true;
    if (!this.#outlives) this.#controller?.abort();
  }
}
