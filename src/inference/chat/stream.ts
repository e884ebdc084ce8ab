import type { AuthorizedCtx, Ctx } from '../../graph/ctx.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import type { WireSink, WireStream } from '../../kernel/wire.js';
import { type Bill, billOf, type Prepared } from '../bill.js';
import { unmaskText } from '../firewall/mask.js';
import { attemptUnderKey } from '../kept-answer.js';
import { measure } from '../measure.js';
import { prepare } from '../prepare.js';
import type { InferenceRequest } from '../request.js';
import { fetchAnswer, isKeepable } from '../response-cache/fetch.js';
import type { CacheTurn } from '../response-cache/response-cache.js';
import { authenticate } from '../stages/authenticate.js';
import { type FirewallOut, rewritesAnswer } from '../stages/firewall-out.js';
import { prompt } from '../stages/prompt.js';
import { receipts } from '../stages/receipts.js';
import { release, settle } from '../stages/settle.js';
import type { StreamAnswer, UsageChunk } from '../upstream/call.js';
import { UpstreamAborted } from '../upstream/failure.js';
import { wireUsage } from '../upstream/usage.js';
import { Checkpoints } from './checkpoints.js';
import { ChunkQueue } from './chunk-queue.js';
import { firstEvent, parseEvents, SaidText, writeEvent } from './event-text.js';
import { readChatRequest } from './request.js';
import type {} from './running-streams.js';
import { type FlowEnd, StreamFlow } from './stream-flow.js';
import {
  MaskingRewriter,
  PassthroughRewriter,
  type StreamRewriter,
  scanSaid,
} from './stream-rewriter.js';

/** After this long without an answer the headers go out, so that proxies see a live stream. */
const HEAD_AFTER_MS = 10_000;

/**
 * Answers a chat request as a stream. When it resolves, the request is admitted and funds are
 * held; the provider is called when the stream is read. Under a key, a stream that stands already
 * is given again.
 * @throws whatever a stage before the call refuses with
 */
export async function streamChat(ctx: Ctx, body: unknown): Promise<WireStream> {
  const caller = authenticate(ctx);
  if (!caller.keyed) return begin(caller, body);
  const attempt = await attemptUnderKey(caller, caller.keyed);
  return attempt.kind === 'answered'
    ? new ReplayedStream(attempt.answer)
    : begin(attempt.ctx, body);
}

async function begin(caller: AuthorizedCtx, body: unknown): Promise<WireStream> {
  const asked = prompt(caller, body);
  const given = asked instanceof Promise ? await asked : asked;
  const read = readChatRequest(given.body, given.bodyBytes, given.prompt);
  const request = read.stream ? read : asStream(read);
  caller.transport.spans?.passed('read');
  const prepared = await prepare(caller, request);
  return new ChatStream(prepared);
}

/** The field that is called decides that the answer is a stream. */
function asStream(request: InferenceRequest): InferenceRequest {
  return { ...request, stream: true, needs: [...request.needs, 'streaming'] };
}

/** One stream from provider to client; it is billed when it ends, however it ends. */
class ChatStream implements WireStream {
  private readonly said = new SaidText();
  /** None under a key: what a crash cuts is free, since its client comes back for the whole. */
  private readonly checkpoints: Checkpoints | undefined;
  /** What went to the client, where it is kept for a key. */
  private readonly kept: Buffer[] | undefined;
  private frame: JsonObject = {};
  private firstTokenMs: number | undefined;
  private usage: UsageChunk | undefined;
  private forwarded = 0;
  private turn: CacheTurn | undefined;
  private stop: () => void = () => {};

  constructor(private readonly prepared: Prepared) {
    this.kept = prepared.ctx.keyed ? [] : undefined;
    this.checkpoints = this.kept ? undefined : new Checkpoints(prepared);
  }

  /** The chunks as values. A reader that leaves before its first chunk leaves no hold behind. */
  [Symbol.asyncIterator](): AsyncIterableIterator<unknown> {
    const queue = new ChunkQueue();
    const chunks = queue.chunks();
    let piping: Promise<void> | undefined;
    const start = () => {
      piping ??= this.pipe(queue).then(
        () => queue.finish(),
        (error) => queue.finish(error),
      );
    };
    const iterator: AsyncIterableIterator<unknown> = {
      [Symbol.asyncIterator]: () => iterator,
      next() {
        start();
        return chunks.next();
      },
      // Not of a generator: it would run nothing when it was never asked for a chunk, and would
      // wait for the next chunk when it is asked for one now.
      return: async () => {
        await this.leave(queue, piping);
        return { done: true, value: undefined };
      },
    };
    return iterator;
  }

  /** The reader goes away. Under a key the answer is made all the same: it will be asked for. */
  private async leave(queue: ChunkQueue, piping: Promise<void> | undefined): Promise<void> {
    if (piping === undefined) return release(this.prepared, new UpstreamAborted([]));
    if (this.kept !== undefined) return queue.ignore();
    queue.leave();
    this.stop();
    await piping;
  }

  /** Every way out settles or releases: what the story does not settle is released here. */
  async pipe(sink: WireSink): Promise<void> {
    try {
      await this.run(sink);
    } catch (thrown) {
      await release(this.prepared, thrown);
      throw thrown;
    } finally {
      this.turn?.done(false);
    }
  }

  private async run(sink: WireSink): Promise<void> {
    const { prepared } = this;
    const calledMs = performance.now();
    const answer = await this.open(sink);
    const { spans } = prepared.ctx.transport;
    spans?.passed('call');
    const rewriter = this.rewriterOf(answer);
    const end = await this.forward(answer, rewriter, sink);
    const upstreamMs = performance.now() - calledMs;
    spans?.passed('stream');
    if (end.kind === 'broken') throw end.cause;
    // A client with a key comes back for the whole answer and shall pay for that one alone.
    const isFree = this.forwarded === 0 || this.kept !== undefined;
    if (end.kind === 'aborted' && isFree) {
      return release(prepared, new UpstreamAborted(answer.attempts));
    }
    if (end.kind === 'failed' && isFree) throw this.failure(end.message);
    if (end.kind === 'done' || end.kind === 'limited') this.write(sink, rewriter.flush());
    if (end.kind === 'limited') this.writeLimited(sink, answer, end.choices);
    const bill = await this.bill(answer, end, upstreamMs);
    if (end.kind === 'aborted' || end.kind === 'failed') {
      await settle(prepared, bill, { answer: Buffer.alloc(0), unread: end.kind === 'aborted' });
      if (end.kind === 'failed') throw this.failure(end.message);
      return;
    }
    const last = this.lastChunk(bill, this.found(rewriter));
    await settle(prepared, bill, { answer: Buffer.concat([...(this.kept ?? []), last]) });
    this.turn?.done(end.kind === 'done' && isKeepable(prepared, bill));
    this.write(sink, last);
    sink.end();
  }

  private async bill(
    { deployment, attempts }: StreamAnswer,
    end: FlowEnd,
    upstreamMs: number,
  ): Promise<Bill> {
    const { request } = this.prepared;
    const measured = await measure(request, {
      raw: this.usage?.usage,
      text: () => this.said.text(),
      deployment: this.turn?.cachedMs === undefined ? deployment : undefined,
    });
    const isWhole = end.kind === 'done' || end.kind === 'limited';
    return billOf(this.prepared, {
      usage: measured.usage,
      usageSource: measured.usageSource,
      rawUsage: measured.rawUsage,
      usageFault: measured.usageFault,
      claimed: measured.claimed,
      deployment,
      attempts,
      status: isWhole ? 'complete' : 'partial',
      finishReason: end.kind === 'limited' ? 'length' : this.said.finishReason(),
      timeToFirstTokenMs: this.firstTokenMs,
      upstreamMs,
      cachedMs: this.turn?.cachedMs,
    });
  }

  /** Calls the provider; headers wait for it, but not for ever. */
  private async open(sink: WireSink): Promise<StreamAnswer> {
    const { inspected } = this.prepared;
    const early = setTimeout(() => sink.head({}), HEAD_AFTER_MS);
    try {
      this.turn = await fetchAnswer(this.prepared);
      const { answer } = this.turn;
      if (answer.kind !== 'stream') throw new TypeError('a stream was asked for');
      const { id, providerId } = answer.deployment;
      sink.head({
        'x-gw-model': id,
        'x-gw-provider': providerId,
        'x-gw-firewall': inspected.inspection.verdict,
      });
      return answer;
    } finally {
      clearTimeout(early);
    }
  }

  /** The way of the events of an answer, which names the model that answers. */
  private rewriterOf({ deployment }: StreamAnswer): StreamRewriter {
    const { admission, inspected } = this.prepared;
    if (!rewritesAnswer(admission.policy, inspected)) return new PassthroughRewriter(deployment.id);
    const { answerFirewall } = admission.policy;
    return new MaskingRewriter(deployment.id, answerFirewall, inspected.inspection.vault);
  }

  private async forward(
    answer: StreamAnswer,
    rewriter: StreamRewriter,
    sink: WireSink,
  ): Promise<FlowEnd> {
    const { runningStreams } = this.prepared.ctx.services;
    const flow = new StreamFlow(this.prepared, answer, this.said, {
      isClosed: () => sink.closed,
      onUsage: (usage) => {
        this.usage = usage;
      },
      onChunks: (chunks, count) => {
        this.note(chunks, count);
        this.checkpoints?.advance(count, answer.deployment);
        return this.write(sink, rewriter.push(chunks)) ? undefined : sink.drained();
      },
    });
    this.stop = () => answer.stream.abort();
    const forget = runningStreams.add(this.stop);
    const end = await flow.run().finally(forget);
    const byNode = end.kind === 'aborted' && runningStreams.areEnding && !sink.closed;
    return byNode ? NODE_STOPS : end;
  }

  private note(chunks: Buffer, count: number): void {
    if (this.forwarded === 0) {
      this.firstTokenMs = performance.now() - this.prepared.startedMs;
      const { id, object, created } = firstEvent(chunks) ?? {};
      this.frame = { id, object, created };
    }
    this.forwarded += count;
    this.said.add(chunks);
  }

  /** A provider may repeat what it was sent: the client reads its own values. */
  private failure(words: string): GatewayError {
    const reason = unmaskText(words, this.prepared.inspected.inspection.vault);
    return new GatewayError('upstream_failed', { values: { reason } });
  }

  private write(sink: WireSink, events: Buffer): boolean {
    if (events.length === 0) return true;
    this.kept?.push(events);
    return sink.write(events);
  }

  /** The end of an answer that passed its own limit, which speaks against its deployment. */
  private writeLimited(
    sink: WireSink,
    { deployment }: StreamAnswer,
    choices: readonly unknown[],
  ): void {
    this.prepared.ctx.services.upstream.discredit(deployment, 'output_beyond_limit');
    const chunk = writeEvent({
      object: 'chat.completion.chunk',
      ...this.frame,
      model: deployment.id,
      choices: choices.map((index) => ({
        index,
        delta: {},
        logprobs: null,
        finish_reason: 'length',
      })),
      ...(this.prepared.request.includeUsage ? { usage: null } : {}),
    });
    this.write(sink, chunk);
  }

  private lastChunk(bill: Bill, found: FirewallOut): Buffer {
    const { request } = this.prepared;
    const { usage, rawUsage, deployment } = bill.outcome;
    const stated = bill.overrun || bill.outcome.usageFault ? undefined : asObject(rawUsage);
    const told = request.includeUsage ? { usage: { ...stated, ...wireUsage(usage) } } : {};
    return writeEvent({
      object: 'chat.completion.chunk',
      ...this.frame,
      model: deployment.id,
      choices: [],
      ...told,
      ...receipts(this.prepared, bill, found),
    });
  }

  /** What the firewall saw in the answer: on the way, or in the text that passed. */
  private found(rewriter: StreamRewriter): FirewallOut {
    const { admission, inspected } = this.prepared;
    if (rewriter instanceof MaskingRewriter) return rewriter.found();
    const { answerFirewall } = admission.policy;
    return scanSaid(this.said.text(), answerFirewall, inspected.inspection.vault);
  }
}

/** How a stream ends that outlasts the time which a stopping node gives. */
const NODE_STOPS: FlowEnd = {
  kind: 'failed',
  message: 'the gateway is stopping; what was produced so far is charged',
};

/** A stream that was answered before, given again from the bytes that were kept. */
class ReplayedStream implements WireStream {
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
