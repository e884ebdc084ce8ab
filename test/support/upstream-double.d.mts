/** How the double answers one request. Nothing set = an ordinary answer. */
export interface Behaviour {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  /** The whole body, for answers that are not of the wire. */
  readonly raw?: string;
  readonly text?: string;
  /** Sends the words of the text this many times. */
  readonly repeat?: number;
  readonly delayMs?: number;
  readonly firstByteDelayMs?: number;
  readonly gapMs?: number;
  readonly reset?: boolean;
  /** The share of requests that are reset, in tenths: 0.3 for three of any ten. */
  readonly resetShare?: number;
  readonly blackHole?: boolean;
  readonly silentAfterHeaders?: boolean;
  readonly silentAfter?: number;
  readonly cutAfter?: number;
  readonly errorAfter?: number;
  /** Writes this text, as it stands, before the event of this number of a stream. */
  readonly insertAfter?: number;
  readonly insert?: string;
  /** Writes a stream at once, so that it arrives in as few reads as it can. */
  readonly oneWrite?: boolean;
  /** Writes every character of a stream as one byte, so that text beyond ASCII is no UTF-8. */
  readonly latin?: boolean;
  readonly withoutDone?: boolean;
  readonly withoutFinish?: boolean;
  readonly neverEnds?: boolean;
  readonly usage?: Readonly<Record<string, unknown>> | null;
  readonly splitBytes?: number;
  readonly carriageReturns?: boolean;
}

/** One exchange as the double saw it. */
export interface Received {
  readonly lane: string;
  /** How many requests the lane had before. */
  readonly index: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly atMs: number;
  readonly chunks: number;
  readonly end: 'open' | 'finished' | 'aborted' | 'reset';
  readonly endMs: number | null;
}

export interface UpstreamDouble {
  readonly origin: string;
  readonly log: readonly Received[];
  /** Behaviours of a lane, one a request; the last one stays. */
  script(lane: string, ...behaviours: readonly Behaviour[]): void;
  received(lane: string): readonly Received[];
  close(): Promise<void>;
}

/** Starts the double in this process on a free port of the loopback. */
export function startUpstreamDouble(port?: number): Promise<UpstreamDouble>;
