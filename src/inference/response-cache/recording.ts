import type { StreamSink, UpstreamStream, UsageChunk } from '../upstream/call.js';

/** What a stream has handed over, in its order. */
export interface Recording {
  /** Whole events without usage figures. */
  readonly events: Buffer;
  readonly count: number;
  readonly usage: UsageChunk | undefined;
}

/** A stream that is passed on and written down, as far as it is small enough to be kept. */
export class RecordingStream implements UpstreamStream {
  private readonly events: Buffer[] = [];
  private bytes = 0;
  private count = 0;
  private usage: UsageChunk | undefined;

  constructor(
    private readonly stream: UpstreamStream,
    private readonly bytesMax: number,
  ) {}

  start(sink: StreamSink): void {
    this.stream.start({
      onEvents: (events, count) => {
        this.bytes += events.length;
        if (this.bytes <= this.bytesMax) {
          // The bytes may be a view of a buffer that is read into again.
          this.events.push(Buffer.from(events));
          this.count += count;
        }
        return sink.onEvents(events, count);
      },
      onUsage: (chunk, event) => {
        this.usage = chunk;
        return sink.onUsage(chunk, event);
      },
      onEnd: (end) => sink.onEnd(end),
    });
  }

  resume(): void {
    this.stream.resume();
  }

  abort(): void {
    this.stream.abort();
  }

  /** What was written down; undefined for what is too large. */
  recording(): Recording | undefined {
    if (this.bytes > this.bytesMax) return undefined;
    return { events: Buffer.concat(this.events), count: this.count, usage: this.usage };
  }
}

/** A stream that was written down, handed over again. */
export class RecordedStream implements UpstreamStream {
  private sink: StreamSink | undefined;
  private hasEnded = false;

  constructor(private readonly recording: Recording) {}

  start(sink: StreamSink): void {
    this.sink = sink;
    const { events, count, usage } = this.recording;
    // What a sink does not want yet it still takes: all of it is here, and is small.
    if (events.length > 0) sink.onEvents(events, count);
    if (usage && !this.hasEnded) sink.onUsage(usage, Buffer.alloc(0));
    this.end('done');
  }

  resume(): void {}

  abort(): void {
    this.end('aborted');
  }

  private end(kind: 'done' | 'aborted'): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.sink?.onEnd({ kind });
  }
}
