import type { Tokenizer } from '../../catalog/providers/tokenizer.js';
import { countUntil } from '../count-in-turns.js';
import type { SaidText } from './event-text.js';

/**
 * A token is rarely longer than this in text and its frame, so that shorter streams are not looked
 * at. Bytes.
 */
const BYTES_PER_TOKEN = 16;
const BYTES_PER_EVENT = 512;
const BYTES_SLACK = 4_096;
/** An upstream's own tokens may be longer than those that are counted here. */
const TOKENS_FACTOR = 2;
const TOKENS_SLACK = 64;

/** Whether an event may pass; `unknown` until there is a tokenizer to count with. */
export type LimitVerdict = 'passes' | 'beyond' | 'unknown';

/**
 * Finds the event with which a stream passes its own output limit. An upstream that keeps to the
 * limit never has more events with text than tokens, so that nothing is counted for it; one that
 * does not is counted as a whole. As tokens differ between models, a stream of few long events is
 * beyond only at twice the limit.
 */
export class OutputLimit {
  private events = 0;
  private bytes = 0;
  private eventsToLook: number;
  private bytesToLook: number;

  /**
   * @param tokensMax answer tokens of all choices together
   * @param said what has been said, the events at hand not included
   */
  constructor(
    private readonly tokensMax: number,
    private readonly said: SaidText,
  ) {
    this.eventsToLook = tokensMax;
    this.bytesToLook = BYTES_SLACK + tokensMax * BYTES_PER_TOKEN;
  }

  /** True when these events cannot pass the limit, however they are counted. */
  isFarFrom(events: Buffer, count: number): boolean {
    const bytes = this.bytes + textBytes(events, count);
    return this.events + count <= this.eventsToLook && bytes <= this.bytesToLook;
  }

  /** Counts events that pass. */
  advance(events: Buffer, count: number): void {
    this.events += count;
    this.bytes += textBytes(events, count);
  }

  /** Judges one event that is not far from the limit, by all that was said with it. */
  judge(event: Buffer, tokenizer: Tokenizer | undefined): LimitVerdict {
    if (!tokenizer) return 'unknown';
    const { text, pieces } = this.said.with(event);
    const most = this.tokensMax * TOKENS_FACTOR + TOKENS_SLACK;
    const tokens = countUntil(tokenizer, text, most);
    // By the tokens of its own model, events without text (a role, an end) not among them: a model
    // that writes a long word in one token keeps to its limit, whatever is counted here.
    if (pieces > this.tokensMax && tokens > this.tokensMax) return 'beyond';
    if (tokens > most) return 'beyond';
    // So many tokens are free that nothing need be counted before they could have been said.
    const free = Math.max(1, this.tokensMax - tokens);
    this.eventsToLook = this.events + free;
    const bytes = this.bytes + textBytes(event, 1);
    this.bytesToLook = Math.max(this.bytesToLook, bytes + free * BYTES_PER_TOKEN);
    return 'passes';
  }
}

/** Bytes beyond the usual frames of events: text, for the most part. */
function textBytes(events: Buffer, count: number): number {
  return Math.max(0, events.length - count * BYTES_PER_EVENT);
}
