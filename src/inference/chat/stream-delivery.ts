import type { WireSink } from '../../kernel/wire.js';
import { SaidText } from './event-text.js';

/** What goes to the client of a stream, in order, and what has failed on the way. */
export class StreamDelivery {
  /** What went to the client, where it is kept for a key. */
  readonly kept: Buffer[] | undefined;
  private readonly rewritten = new SaidText();
  /** Writes that wait for what is rewritten apart. */
  private writing = Promise.resolve();
  private failed: { readonly fault: unknown } | undefined;

  /** @param stop stops the provider when a write has failed */
  constructor(
    keeps: boolean,
    private readonly stop: () => void,
  ) {
    this.kept = keeps ? [] : undefined;
  }

  /** @returns false when more has to wait for the reader */
  write(sink: WireSink, events: Buffer): boolean {
    if (events.length === 0) return true;
    this.kept?.push(events);
    return sink.write(events);
  }

  /** The same of events that say something else than those of the provider. */
  writeRewritten(sink: WireSink, events: Buffer): boolean {
    if (events.length > 0) this.rewritten.add(events);
    return this.write(sink, events);
  }

  /**
   * Writes in order what is rewritten apart; the provider waits meanwhile. After a failure nothing
   * more is written: what comes then follows on text that nobody has read.
   */
  writeLater(sink: WireSink, coming: Promise<Buffer>): Promise<void> {
    coming.catch(() => undefined);
    const write = async () => {
      const events = await coming;
      if (!this.failed && !this.writeRewritten(sink, events)) await sink.drained();
    };
    this.writing = this.writing.then(write).catch((fault: unknown) => {
      this.failed ??= { fault };
      this.stop();
    });
    return this.writing;
  }

  /** What the client has read of a stream that was rewritten. */
  get rewrittenText(): string {
    return this.rewritten.text();
  }

  /** Resolves when no write waits any more. */
  idle(): Promise<void> {
    return this.writing;
  }

  /** @throws what the first write has failed with that waited */
  requireWritten(): void {
    if (this.failed) throw this.failed.fault;
  }
}
