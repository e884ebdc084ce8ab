import type { Deployment } from '../../catalog/providers/model.js';
import type { Jurisdiction, Operation } from '../../catalog/providers/vocabulary.js';
import type { Trace } from '../../kernel/trace.rules.js';
import type { RequestSpans } from '../../platform/request-spans.js';

import type { RawUsage } from './usage.js';

/** One call to whichever deployment of a chain answers. */
export interface UpstreamCall {
  readonly operation: Operation;
  /** The request in the bytes that this deployment gets: its own model name is in them. */
  bodyFor(deployment: Deployment): Buffer;
  readonly stream: boolean;
  /** Decides who is asked where a model has several deployments; the same in every attempt. */
  readonly requestId?: string;
  /** About how many tokens it will take, prompt and answer, for the limits of a deployment. */
  tokensOf?(deployment: Deployment): number;
  /** Aborted when the client goes away; the upstream connection is closed at once. */
  readonly signal: AbortSignal;
  /** Routes that the data may take. A deployment of another is refused where sockets open. */
  readonly jurisdictionsAllowed: readonly Jurisdiction[];
  /** The trace of the request, which every attempt carries on. */
  readonly trace?: Trace | undefined;
  /** Notes each attempt for a collector; absent where nobody asks for it. */
  readonly spans?: RequestSpans | undefined;
}

/**
 * Why an attempt may fail. `next` is what may follow: nothing more, another deployment only, or the
 * same one again too, where the cause passes by itself. `shows` is what it says about the provider:
 * a fault of its own, which counts against it, or that it is there; what is not its doing shows
 * nothing. `told` is what customers read. `internal` is a fault of this process: of its sockets, or
 * of the reader of a stream.
 */
export const ATTEMPT_ERRORS = {
  connect_failed: { next: 'repeat', shows: 'fault', told: 'it could not be reached' },
  connect_timeout: { next: 'repeat', shows: 'fault', told: 'it could not be reached in time' },
  tls_failed: {
    next: 'move',
    shows: 'fault',
    told: 'no secure connection to it could be made',
  },
  first_byte_timeout: { next: 'move', shows: 'fault', told: 'it did not begin to answer in time' },
  gap_timeout: { next: 'move', shows: 'fault', told: 'it stopped in the middle of its answer' },
  total_timeout: { next: 'stop', shows: 'nothing', told: 'its answer took too long' },
  reset: { next: 'repeat', shows: 'fault', told: 'it closed the connection' },
  cut: { next: 'repeat', shows: 'fault', told: 'its answer was cut' },
  invalid_answer: { next: 'move', shows: 'fault', told: 'its answer could not be read' },
  rejected: { next: 'stop', shows: 'presence', told: 'it refused the request' },
  rate_limited: { next: 'move', shows: 'presence', told: 'it is at its rate limit' },
  credentials_refused: {
    next: 'move',
    shows: 'presence',
    told: 'it refused the credentials of this server',
  },
  server_error: { next: 'repeat', shows: 'fault', told: 'it failed inside' },
  aborted: { next: 'stop', shows: 'nothing', told: 'the call was given up' },
  internal: { next: 'stop', shows: 'nothing', told: 'this server could not make the call' },
} as const;

/** Why an attempt did not answer. */
export type AttemptError = keyof typeof ATTEMPT_ERRORS;

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

/** Hears of every attempt of a request, for the figures of the operator. */
export interface AttemptWatch {
  /** It has answered, or failed. */
  attempted(attempt: Attempt): void;
  /** It has failed, and another deployment was asked after it. */
  fellBack(from: Attempt): void;
}

/**
 * A deployment that was passed over without a request. `set_aside`: it is slow, silent, failing,
 * refuses our key or is not proven yet, and another one answered. `rate_limited`: one more request
 * would pass a limit of it. `forced_down`: an operator has taken it out.
 */
export interface Skip {
  readonly deployment: string;
  readonly reason: 'breaker_open' | 'jurisdiction' | 'set_aside' | 'rate_limited' | 'forced_down';
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
   * @param first the value of the first event, where it was parsed already
   */
  onEvents(events: Buffer, count: number, first?: unknown): boolean;
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
