import type { IncomingMessage, ServerResponse } from 'node:http';
import { OPEN_SITE, type Site } from '../src/kernel/cross-origin.js';
import type { ErrorCode } from '../src/kernel/errors/catalogue.js';
import { type Language, preferredLanguage } from '../src/kernel/language/languages.js';

/** What a request takes of the node that serves it. */
export interface Place {
  /** From now on the request waits for others and takes no time of the processor. */
  idles(): void;
  /** The request has ended. */
  leave(): void;
}

/** One request as the transport sees it, from its first byte to the end of its answer. */
export class Arrival {
  /** Monotonic time of arrival in milliseconds (performance.now). */
  readonly startedMs = performance.now();
  /** The body as it came, once it was read. */
  rawBody: Buffer | undefined;
  /** What the request takes of the node, once it was let in. */
  place: Place | undefined;
  /** The code of the catalogue under which it failed, also after the first byte. */
  failureCode: ErrorCode | undefined;
  #controller: AbortController | undefined;
  #gone = false;
  #outlives = false;

  constructor(
    readonly requestId: string,
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly site: Site = OPEN_SITE,
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
