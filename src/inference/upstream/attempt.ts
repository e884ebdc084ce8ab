import type { Operation } from '../../catalog/providers/vocabulary.js';
import { asObject } from '../../kernel/json.js';
import { utf8Text } from '../../kernel/utf8.js';
import { answers, surelyAnswers } from './answer-shape.js';
import {
  AttemptFailure,
  endOf,
  failureOfErrorBody,
  failureOfSocket,
  failureOfStatus,
} from './attempt-failure.js';
import type { StreamEnd, StreamSink, UpstreamStream, UsageChunk } from './call.js';
import type { Carrier, CarrierHandle, CarrierReceiver, CarrierRequest } from './carrier.js';
import { Deferred } from './deferred.js';
import { EMPTY_RUN, EmptyRun } from './empty-run.js';
import { allJson, hasContent, lookForContent } from './first-content.js';
import type { Gate, Passage } from './gate.js';
import { bodyWithoutOwnNames, eventWithoutOwnNames } from './own-members.js';
import { errorOfStatus } from './retry.js';
import { SseReader, type SseReceiver } from './sse.js';
import type { Told } from './told.rules.js';
import { type Expired, Watch, type WatchLimits } from './watch.js';

const WHOLE_BYTES_MAX = 32 * 1024 * 1024;
const ERROR_BYTES_MAX = 64 * 1024;
/** A stream that says this much without content is taken as begun. */
const HELD_BYTES_MAX = 64 * 1024;
/** How long a message may go on after its `[DONE]`. */
const LINGER_MS = 2_000;

/** How an exchange is run. */
export interface ExchangeOptions {
  readonly stream: boolean;
  readonly operation: Operation;
  readonly signal: AbortSignal;
  readonly limits: WatchLimits;
  /** They hear what the provider says of its limits, and of what a stream used. */
  readonly gate?: Gate;
  readonly passage?: Passage | undefined;
  /** Told once how an answer ended that had come or begun: undefined when it is complete. */
  readonly onAnswerEnded: (failure: AttemptFailure | undefined) => void;
}

/** `status` = none yet, `error` = reads the text of a failure, `begun` = content is there. */
type Phase = 'status' | 'error' | 'whole' | 'probing' | 'begun' | 'over';

/** `first` is the value of the first event where it was parsed, since it may have mebibytes. */
type Held = Readonly<{ events: Buffer; count: number; usage?: UsageChunk; first?: unknown }>;

/**
 * One attempt from its request to its end: resolves with the whole body, or at the first content
 * of a stream, whose reading end it then is. Until then every failure rejects, so another
 * deployment can take over; after it a failure is the end of the stream.
 */
export class Exchange implements CarrierReceiver, SseReceiver, UpstreamStream {
  status: number | null = null;

  readonly #deployment: CarrierRequest['deployment'];
  readonly #handle: CarrierHandle;
  readonly #watch: Watch;
  readonly #reader = new SseReader(this);
  readonly #onAbort = () => this.abort();
  readonly #answer = new Deferred<Buffer | undefined, AttemptFailure>();
  #linger: NodeJS.Timeout | undefined;
  #phase: Phase = 'status';
  #retryAfterMs: number | undefined;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Chunks of a stream that came in the current read. */
  #gathered: Buffer[] = [];
  #held: Held[] | undefined = [];
  #sink: StreamSink | undefined;
  #end: StreamEnd | undefined;
  #told = false;
  /** A chunk has given the customer something. */
  #gave = false;
  #paused = false;
  readonly #empty = new EmptyRun();
  #lastEvents: Buffer | undefined;

  /** @throws ForbiddenRoute when the carrier refuses the route */
  constructor(
    private readonly carrier: Carrier,
    request: CarrierRequest,
    private readonly options: ExchangeOptions,
  ) {
    this.#deployment = request.deployment;
    this.#handle = carrier.send(request, this);
    this.#watch = new Watch(options.limits, (which) => this.#onExpired(which));
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal.aborted) this.abort();
  }

  /** The body of a whole answer; undefined when a stream has begun. Rejects as AttemptFailure. */
  get answered(): Promise<Buffer | undefined> {
    return this.#answer.promise;
  }

  onStatus(status: number, retryAfterMs: number | undefined, told?: Told): void {
    if (told) this.options.gate?.told(told);
    this.status = status;
    this.#retryAfterMs = retryAfterMs;
    if (errorOfStatus(status) !== null) this.#phase = 'error';
    else this.#phase = this.options.stream ? 'probing' : 'whole';
  }

  onData(chunk: Buffer): boolean {
    this.#watch.active();
    if (this.#phase === 'whole' || this.#phase === 'error') this.#collect(chunk);
    else if (this.#phase !== 'over') this.#gather(chunk);
    return this.#phase !== 'begun' || (this.#sink !== undefined && !this.#paused);
  }

  onEnd(): void {
    this.#readGathered();
    clearTimeout(this.#linger);
    if (this.#phase === 'whole') this.#finishWhole();
    else if (this.#phase === 'error') this.#finishError();
    else if (this.#phase !== 'over') {
      let whole = true;
      this.#readEvents(() => {
        whole = this.#reader.end();
      });
      // Some upstreams send no `[DONE]`. A finish reason then shows that nothing is missing.
      if (whole && this.#phase === 'begun' && this.#sawFinish()) this.#finish({ kind: 'done' });
      else this.#fail(new AttemptFailure('cut', 'the provider cut its answer', this.status));
    }
  }

  onError(error: Error): void {
    this.#readGathered();
    clearTimeout(this.#linger);
    if (this.#phase === 'error') this.#finishError();
    else this.#fail(failureOfSocket(error, this.status !== null));
  }

  onEvents(events: Buffer, count: number): void {
    if (this.#phase === 'over') return;
    this.#lastEvents = events;
    const looked = this.#gave ? undefined : lookForContent(events);
    this.#gave ||= looked?.gives === true;
    this.#forward({ events, count, first: looked?.first }, looked?.gives);
    this.#beginIfGiven();
  }

  onMarked(payload: Buffer, came: Buffer): void {
    if (this.#phase === 'over') return;
    const said = asObject(JSON.parse(payload.toString('utf8')));
    if (!said) return;
    const { chunk, event } = eventWithoutOwnNames(said as UsageChunk, came);
    const failure = failureOfErrorBody(chunk);
    if (failure) {
      this.#fail(failure);
      return;
    }
    const hasUsage = typeof chunk.usage === 'object' && chunk.usage !== null;
    if (hasUsage) this.options.passage?.used(chunk.usage);
    this.#lastEvents = chunk.choices?.length ? event : this.#lastEvents;
    const gives = hasContent(chunk);
    this.#gave ||= gives;
    const one = { events: event, count: 1, first: chunk };
    this.#forward(hasUsage ? { ...one, usage: chunk } : one, gives);
    this.#beginIfGiven();
  }

  onDone(): void {
    if (this.#phase === 'begun' && this.#gave) {
      this.#finish({ kind: 'done' });
      // The connection can be used again once the message ends; one that does not end is closed.
      this.#linger = setTimeout(() => this.#handle.abort(), LINGER_MS);
      this.#handle.resume();
    } else if (this.#phase === 'begun' || this.#phase === 'probing') {
      this.#fail(new AttemptFailure('invalid_answer', 'the provider sent no answer', this.status));
    }
  }

  start(sink: StreamSink): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#sink = sink;
    for (const one of held) this.#deliver(sink, one);
    if (this.#end) this.#tell(sink, this.#end);
    else if (!this.#paused) this.resume();
  }

  resume(): void {
    this.#paused = false;
    if (this.#phase === 'over') return;
    this.#watch.pause(false);
    this.#handle.resume();
  }

  abort(): void {
    this.#fail(new AttemptFailure('aborted', 'the client closed the request', this.status));
  }

  /**
   * One read of a socket brings many events, each as a chunk of its own. They are put together
   * until the read is over, so that they are understood once and leave as one write.
   */
  #gather(chunk: Buffer): void {
    if (this.#gathered.push(chunk) === 1) process.nextTick(() => this.#readGathered());
  }

  #readGathered(): void {
    const [only, second] = this.#gathered;
    if (only === undefined) return;
    const bytes = second === undefined ? only : Buffer.concat(this.#gathered);
    this.#gathered = [];
    if (this.#phase !== 'over') this.#readEvents(() => this.#reader.push(bytes));
  }

  #readEvents(read: () => void): void {
    try {
      read();
    } catch {
      this.#fail(new AttemptFailure('invalid_answer', UNREADABLE, this.status));
    }
  }

  #collect(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#phase === 'error' && this.#bytes > ERROR_BYTES_MAX) this.#finishError();
    else if (this.#bytes > WHOLE_BYTES_MAX) {
      this.#fail(new AttemptFailure('invalid_answer', 'the answer passes 32 MiB', this.status));
    } else this.#pieces.push(chunk);
  }

  #finishWhole(): void {
    const [only] = this.#pieces;
    const body = only && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces);
    const { operation } = this.options;
    let parsed: unknown;
    const sure = surelyAnswers(body, operation);
    let honest = body;
    this.#readEvents(() => {
      if (!sure) parsed = JSON.parse(utf8Text(body));
      honest = bodyWithoutOwnNames(body);
    });
    if (this.#phase === 'over') return;
    const failure = failureOfErrorBody(parsed);
    if (failure === undefined && (sure || answers(parsed, operation))) {
      this.#close();
      this.#answer.resolve(honest);
      this.options.onAnswerEnded(undefined);
      return;
    }
    const message = 'the provider sent something that is no answer';
    this.#fail(failure ?? new AttemptFailure('invalid_answer', message, this.status));
  }

  #finishError(): void {
    const said = Buffer.concat(this.#pieces).toString('utf8');
    this.#fail(failureOfStatus(this.status ?? 0, said, this.#retryAfterMs));
  }

  /** Events that say much without content are taken as begun. */
  #beginIfGiven(): void {
    if (this.#phase !== 'probing') return;
    if (this.#gave || this.#bytes > HELD_BYTES_MAX) this.#begin();
  }

  #begin(): void {
    this.#phase = 'begun';
    this.#watch.begin();
    this.#watch.pause(true);
    this.#answer.resolve(undefined);
  }

  /** @param gives whether it has content; undefined where nobody has looked */
  #forward(one: Held, gives: boolean | undefined): void {
    if (this.#empty.isTooLong(one.events, one.count, gives)) {
      this.#fail(new AttemptFailure('invalid_answer', EMPTY_RUN, this.status));
    } else if (this.#sink) this.#deliver(this.#sink, one);
    else {
      this.#bytes += one.events.length;
      this.#held?.push(one);
    }
  }

  #deliver(sink: StreamSink, { events, count, usage, first }: Held): void {
    if (this.#told) return;
    try {
      const more = usage ? sink.onUsage(usage, events) : sink.onEvents(events, count, first);
      if (!more && !this.#paused && this.#phase !== 'over') {
        this.#paused = true;
        this.#watch.pause(true);
      }
    } catch (cause) {
      this.#failAtSink(sink, events, cause);
    }
  }

  /** The sink threw: by our fault, unless what it was given cannot be read. */
  #failAtSink(sink: StreamSink, events: Buffer, cause: unknown): void {
    const ours = allJson(events);
    const failure = ours
      ? new AttemptFailure('internal', 'the answer could not be passed on')
      : new AttemptFailure('invalid_answer', UNREADABLE, this.status);
    if (this.#phase === 'over') this.#end = endOf(failure, ours ? cause : undefined);
    else this.#fail(failure, ours ? cause : undefined);
    if (this.#end) this.#tell(sink, this.#end);
  }

  #tell(sink: StreamSink, end: StreamEnd): void {
    if (this.#told) return;
    this.#told = true;
    try {
      sink.onEnd(end);
    } catch {
      // The sink has no further call to learn of it, and nobody else waits for this stream.
    }
  }

  #onExpired(which: Expired): void {
    this.#fail(new AttemptFailure(which, 'the provider did not answer in time', this.status));
  }

  #sawFinish(): boolean {
    return /"finish_reason"\s*:\s*"/.test(this.#lastEvents?.toString('latin1') ?? '');
  }

  #fail(unmasked: AttemptFailure, cause?: unknown): void {
    if (this.#phase === 'over') return;
    const begun = this.#phase === 'begun';
    const failure = unmasked.maskedBy((text) => this.carrier.masked(this.#deployment, text));
    this.#handle.abort();
    if (begun) {
      this.#finish(endOf(failure, cause), failure);
      return;
    }
    this.#close();
    this.#answer.reject(failure);
  }

  #finish(end: StreamEnd, failure?: AttemptFailure): void {
    this.#close();
    this.#end = end;
    this.options.onAnswerEnded(failure);
    if (this.#sink) this.#tell(this.#sink, end);
  }

  #close(): void {
    this.#phase = 'over';
    this.#watch.stop();
    this.options.signal.removeEventListener('abort', this.#onAbort);
  }
}

const UNREADABLE = 'the provider sent a stream that cannot be read';
