import { loadTokenizer, type Tokenizer } from '../../catalog/providers/tokenizer.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Prepared } from '../bill.js';
import type { AttemptError, StreamAnswer, StreamEnd, UsageChunk } from '../upstream/call.js';
import { tokenBounds } from '../upstream/tokens.js';
import { ChunkShape } from './chunk-shape.js';
import { type SaidText, writeEvent } from './event-text.js';
import { OutputLimit } from './output-limit.js';

/**
 * How the events of a stream ended. `limited`: it passed its own output limit and was cut there.
 * `stopped`: it outlasted the time that a stopping node gives. `broken`: the fault is the gateway's
 * own.
 */
export type FlowEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: AttemptError }
  | { readonly kind: 'limited'; readonly choices: readonly unknown[] }
  | { readonly kind: 'broken'; readonly cause: unknown };

/** Where the chunks of a stream go. */
export interface FlowTarget {
  isClosed(): boolean;
  /** The figures that the provider states; the last ones count. */
  onUsage(usage: UsageChunk): void;
  /** Takes whole events. @returns a promise to wait for before more may come */
  onChunks(chunks: Buffer, count: number): Promise<void> | undefined;
}

const EVENT_END = '\n\n';

/** Whole events; `first` is the value of the first one, where it was parsed already. */
interface Come {
  readonly events: Buffer;
  readonly count: number;
  readonly first?: unknown;
}

/**
 * The way of a provider's events to the client: put into the shape of the wire, held against the
 * output limit of the request, and paced by the reader. Whatever is thrown on this way ends the
 * flow as broken; nothing is thrown into the upstream's own events.
 */
export class StreamFlow {
  private readonly shape: ChunkShape;
  private readonly limit: OutputLimit;
  private readonly backlog: Come[] = [];
  private tokenizer: Tokenizer | undefined;
  private loading: Promise<void> | undefined;
  private ended = false;
  private resolve: (end: FlowEnd) => void = () => {};

  constructor(
    private readonly prepared: Prepared,
    private readonly answer: StreamAnswer,
    said: SaidText,
    private readonly target: FlowTarget,
  ) {
    const { request, route } = prepared;
    const bounds = tokenBounds(request, answer.deployment, route.outputTokensCap);
    this.shape = new ChunkShape(request.choices, request.includeUsage);
    this.limit = new OutputLimit(bounds.outputTokensMax, said);
  }

  /** Lets the events come. @returns how they ended, once */
  run(): Promise<FlowEnd> {
    const { stream } = this.answer;
    return new Promise((resolve) => {
      this.resolve = resolve;
      stream.start({
        onEvents: (events, count, first) => this.guarded(() => this.take({ events, count, first })),
        onUsage: (chunk) => this.guarded(() => this.takeUsage(chunk)),
        onEnd: (end) => {
          if (this.loading !== undefined) void this.loading.then(() => this.end(endOf(end)));
          else this.end(endOf(end));
        },
      });
    });
  }

  private end(end: FlowEnd): void {
    if (this.ended) return;
    this.ended = true;
    this.resolve(end);
    if (end.kind === 'limited' || end.kind === 'broken') this.answer.stream.abort();
  }

  private guarded(work: () => boolean): boolean {
    if (this.ended) return false;
    try {
      return work();
    } catch (cause) {
      this.end({ kind: 'broken', cause });
      return false;
    }
  }

  private takeUsage(chunk: UsageChunk): boolean {
    this.target.onUsage(chunk);
    if (!chunk.choices?.length) return true;
    const { includeUsage } = this.prepared.request;
    const rest: JsonObject = { ...chunk, usage: includeUsage ? null : undefined };
    return this.take({ events: writeEvent(rest), count: 1, first: rest });
  }

  /** The members of the first chunk that name the answer. */
  get frame(): JsonObject {
    return this.shape.frame;
  }

  /** @returns false when the provider must wait */
  private take(come: Come): boolean {
    const { events, count } = come;
    if (this.target.isClosed()) {
      this.answer.stream.abort();
      return false;
    }
    if (this.loading !== undefined) {
      this.backlog.push(come);
      return false;
    }
    return this.limit.isFarFrom(events, count) ? this.pass(come) : this.takeEach(come);
  }

  /** Near the limit, event by event. */
  private takeEach({ events, count, first }: Come): boolean {
    const firstAt = (place: number) => (place === 0 ? first : undefined);
    let goesOn = true;
    let at = 0;
    for (let left = count; left > 0; left -= 1) {
      const found = left === 1 ? -1 : events.indexOf(EVENT_END, at);
      const end = found < 0 ? events.length : found + EVENT_END.length;
      const event = events.subarray(at, end);
      const verdict = this.limit.isFarFrom(event, 1)
        ? 'passes'
        : this.limit.judge(event, this.tokenizer);
      if (verdict === 'unknown') {
        this.backlog.push({ events: events.subarray(at), count: left, first: firstAt(at) });
        this.load();
        return false;
      }
      if (verdict === 'beyond') {
        this.end({ kind: 'limited', choices: this.shape.begunChoices });
        return false;
      }
      goesOn = this.pass({ events: event, count: 1, first: firstAt(at) }) && goesOn;
      at = end;
    }
    return goesOn;
  }

  /** The tokenizer is loaded for the first stream that is suspected; until then events wait. */
  private load(): void {
    this.loading = loadTokenizer().then(
      (tokenizer) => {
        this.tokenizer = tokenizer;
        this.loading = undefined;
        const goesOn = this.guarded(() => this.takeBacklog());
        if (goesOn && !this.ended) this.answer.stream.resume();
      },
      (cause) => this.end({ kind: 'broken', cause }),
    );
  }

  private takeBacklog(): boolean {
    let goesOn = true;
    for (const come of this.backlog.splice(0)) {
      if (this.ended) return false;
      goesOn = this.take(come) && goesOn;
    }
    return goesOn;
  }

  private pass({ events, count, first }: Come): boolean {
    this.limit.advance(events, count);
    const chunks = this.shape.push(events, count, first);
    if (chunks.length === 0) return true;
    const drained = this.target.onChunks(chunks, count);
    if (drained === undefined) return true;
    void drained.then(() => this.answer.stream.resume());
    return false;
  }
}

function endOf(end: StreamEnd): FlowEnd {
  if (end.kind !== 'failed') return { kind: end.kind };
  if (end.error === 'internal') return { kind: 'broken', cause: end.cause };
  return { kind: 'failed', error: end.error };
}
