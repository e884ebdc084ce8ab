import type { Deployment } from '../../catalog/providers/model.js';
import type { Jurisdiction, Operation } from '../../catalog/providers/vocabulary.js';

import type { RawUsage } from './usage.js';

/** One call to whichever deployment of a chain answers. */
export interface UpstreamCall {
  readonly operation: Operation;
  /** The request in the bytes that this deployment gets: its own model name is in them. */
  bodyFor(deployment: Deployment): Buffer;
  readonly stream: boolean;
  /** Aborted when the client goes away; the upstream connection is closed at once. */
  readonly signal: AbortSignal;
  /** Routes that the data may take. A deployment of another is refused where sockets open. */
  readonly jurisdictionsAllowed: readonly Jurisdiction[];
}

/** Why an attempt did not answer. */
export type AttemptError =
  | 'connect_failed'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'gap_timeout'
  | 'total_timeout'
  | 'reset'
  | 'cut'
  | 'invalid_answer'
  | 'rejected'
  | 'rate_limited'
  | 'credentials_refused'
  | 'server_error'
  | 'aborted'
  /** A fault of this process: of its sockets, or of the reader of a stream. */
  | 'internal';

/** One request that was sent to a deployment. */
export interface Attempt {
  readonly deployment: string;
  readonly providerId: string;
  readonly modelId: string;
  /** The status of the upstream, or null when none came. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** Whether the failure counts in the breaker of the deployment; only the provider's own does. */
  readonly counted: boolean;
  /** To the first content byte or whole answer, or to the failure, in milliseconds. */
  readonly latencyMs: number;
}

/**
 * A deployment that was passed over without a request. `set_aside`: it is slow, silent, failing,
 * refuses our key or is not proven yet, and another one answered.
 */
export interface Skip {
  readonly deployment: string;
  readonly reason: 'breaker_open' | 'jurisdiction' | 'set_aside';
}

/** What every answer tells about how it came about. */
export interface AnswerTrace {
  readonly deployment: Deployment;
  readonly attempts: readonly Attempt[];
  readonly skipped: readonly Skip[];
}

/** A whole answer with status 200. The body is JSON of the operation's shape. */
export interface WholeAnswer extends AnswerTrace {
  readonly kind: 'whole';
  readonly body: Buffer;
  /** The usage object of the body as the provider wrote it. */
  readonly usage: RawUsage | undefined;
}

/** An answer that has begun: its first content event is there and waits for `start`. */
export interface StreamAnswer extends AnswerTrace {
  readonly kind: 'stream';
  readonly stream: UpstreamStream;
}

/** What `Upstream.call` resolves to; `whole` for `stream: false`, else `stream`. */
export type UpstreamAnswer = WholeAnswer | StreamAnswer;

/**
 * How a stream ended. After `failed` the customer's stream must not end cleanly. The error
 * `internal` is a fault of ours: its `cause` is what the sink threw.
 */
export type StreamEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'aborted' }
  | {
      readonly kind: 'failed';
      readonly error: AttemptError;
      readonly message: string;
      readonly cause?: unknown;
    };

/** A chunk of a chat stream as parsed where it carries usage. */
export interface UsageChunk {
  readonly usage: RawUsage;
  readonly choices?: readonly unknown[];
  readonly [key: string]: unknown;
}

/**
 * Receives a stream. The bytes are whole events, each `data: …` and a blank line, as the upstream
 * wrote them. Comments, `[DONE]`, error events and events that are no JSON objects never come
 * here. What a sink throws ends the stream as `failed` with `internal` and is held against nobody.
 */
export interface StreamSink {
  /**
   * One or more events without usage figures. Return false to stop reading the upstream; reading
   * goes on after `UpstreamStream.resume()`. Some events may still come before it stops.
   */
  onEvents(events: Buffer, count: number): boolean;
  /** An event that carries usage. `choices` may be filled too. Returns as `onEvents`. */
  onUsage(chunk: UsageChunk, event: Buffer): boolean;
  /** Called once, last. */
  onEnd(end: StreamEnd): void;
}

/** The reading end of a stream. */
export interface UpstreamStream {
  /** Hands over what has come and then what comes. Call once. */
  start(sink: StreamSink): void;
  /** Reads on after a sink returned false. */
  resume(): void;
  /** Closes the upstream connection; the sink sees `aborted`. Nothing happens after the end. */
  abort(): void;
}
