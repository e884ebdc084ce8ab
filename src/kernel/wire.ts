/**
 * An answer that is bytes already, such as an upstream's JSON. Transports write the bytes as they
 * are; whoever needs the value gets it parsed, once, when it is first asked for.
 */
export class WireBody {
  #value: unknown;
  #parsed = false;

  /**
   * @param bytes one JSON value in UTF-8
   * @param headers response headers that belong to these bytes, names in lower case
   */
  constructor(
    readonly bytes: Buffer,
    readonly headers?: Readonly<Record<string, string>>,
  ) {}

  /** The value that the bytes spell. */
  toJSON(): unknown {
    if (!this.#parsed) {
      this.#value = JSON.parse(this.bytes.toString('utf8'));
      this.#parsed = true;
    }
    return this.#value;
  }
}

/** A text that is written piece by piece, so that it is never held whole. */
export class WireText {
  private constructor(readonly pieces: AsyncIterable<string>) {}

  /**
   * A text as a field of the type String answers it over REST. It is typed as that text, since the
   * transport alone reads it; every other transport needs the text itself.
   */
  static of(pieces: AsyncIterable<string>): string {
    return new WireText(pieces) as unknown as string;
  }
}

/** Where a stream writes its events as bytes. The transport owns framing, pings and terminators. */
export interface WireSink {
  /**
   * Sends status and headers. Called once, before the first byte and as soon as the request is
   * admitted; a stream that fails before it is answered with the status of the failure.
   */
  head(headers: Readonly<Record<string, string>>): void;
  /**
   * Writes whole events (`data: …\n\n`), without the terminator.
   * @returns false when the client reads too slowly: wait for `drained` before the next write
   */
  write(bytes: Buffer): boolean;
  /** Resolves when the client has read on, or has gone away (`closed` tells). */
  drained(): Promise<void>;
  /** Writes a comment that clients ignore; it keeps proxies from closing an idle connection. */
  comment(text: string): void;
  /** Ends cleanly, with the terminator of the protocol. Not called after a failure. */
  end(): void;
  /** True when nobody reads any more; further writes have no effect. */
  readonly closed: boolean;
}

/** A stream of events that can write itself as bytes, beside being read as values. */
export interface WireStream extends AsyncIterable<unknown> {
  /**
   * Writes the stream to its end. Iterating and piping exclude each other.
   * @throws what made the stream fail; the sink then tells the client and does not end cleanly
   */
  pipe(sink: WireSink): Promise<void>;
}

/** True for a stream that can write itself. */
export function isWireStream(value: unknown): value is WireStream {
  return (
    typeof value === 'object' && value !== null && typeof Reflect.get(value, 'pipe') === 'function'
  );
}
