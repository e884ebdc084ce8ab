import { someContent } from './first-content.js';

/** So many events in a row that give the customer nothing end a stream … */
export const EMPTY_EVENTS_MAX = 10_000;
/** … as do so many bytes of them. */
export const EMPTY_BYTES_MAX = 1_048_576;
/** The failure of such a stream. */
export const EMPTY_RUN = 'the provider sent a stream without content';
/** After so much a run of events is looked at; in an ordinary stream it has content. */
const UNSEEN_EVENTS_MAX = 1_000;
const UNSEEN_BYTES_MAX = 262_144;

/**
 * Finds a stream that goes on without content: its provider would keep the hold of its request for
 * as long as it likes. One run of many is looked at until one has none.
 */
export class EmptyRun {
  #events = 0;
  #bytes = 0;
  /** Nothing has had content since it was looked for. */
  #suspected = false;

  /**
   * Takes some whole events.
   * @param gives whether any of them has content; undefined where nobody has looked
   * @returns whether too much has come without any
   */
  isTooLong(events: Buffer, count: number, gives: boolean | undefined): boolean {
    this.#events += count;
    this.#bytes += events.length;
    const isUnseen = this.#events <= UNSEEN_EVENTS_MAX && this.#bytes <= UNSEEN_BYTES_MAX;
    if (gives !== true && isUnseen && !this.#suspected) return false;
    const isEmpty = !(gives ?? someContent(events));
    // What came before was not looked at: it may have had content, so it does not count.
    if (!isEmpty || !this.#suspected) {
      this.#events = isEmpty ? count : 0;
      this.#bytes = isEmpty ? events.length : 0;
    }
    this.#suspected = isEmpty;
    return this.#events > EMPTY_EVENTS_MAX || this.#bytes > EMPTY_BYTES_MAX;
  }
}
