import type { WireSink, WireStream } from '../../kernel/wire.js';
import { parseEvents } from './event-text.js';

/** A stream that was answered before, given again from the bytes that were kept. */
export class ReplayedStream implements WireStream {
  /** @param events whole events, without the terminator */
  constructor(private readonly events: Buffer) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    yield* parseEvents(this.events);
  }

  async pipe(sink: WireSink): Promise<void> {
    sink.head({ 'idempotent-replayed': 'true' });
    sink.write(this.events);
    sink.end();
  }
}
