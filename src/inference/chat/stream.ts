import type { AuthorizedCtx, Ctx } from '../../graph/ctx.js';
import type { JsonObject } from '../../kernel/json.js';
import type { WireSink, WireStream } from '../../kernel/wire.js';
import { type Bill, billOf, type Prepared } from '../bill.js';
import { scanSaidApart } from '../firewall/apart/apart.js';
import { isHeavy } from '../firewall/apart/weight.js';
import type { FirewallOut } from '../firewall/inspect.js';
import { attemptUnderKey } from '../kept-answer.js';
import { measure } from '../measure.js';
import { prepare } from '../prepare.js';
import type { InferenceRequest } from '../request.js';
import { fetchAnswer, isKeepable } from '../response-cache/fetch.js';
import type { CacheTurn } from '../response-cache/response-cache.js';
import { authenticate } from '../stages/authenticate.js';
import { rewritesAnswer } from '../stages/firewall-out.js';
import { trialHeaders } from '../stages/receipts.js';
import { release, settle } from '../stages/settle.js';
import type { StreamAnswer, UsageChunk } from '../upstream/call.js';
import { UpstreamAborted } from '../upstream/failure.js';
import { askedRequest } from './asked.js';
import { Checkpoints } from './checkpoints.js';
import { ChunkQueue } from './chunk-queue.js';
import { SaidText } from './event-text.js';
import { lastChunk, limitedChunk } from './own-chunks.js';
import { ReplayedStream } from './replayed-stream.js';
import { RewrittenStream } from './rewritten-stream.js';
import type {} from './running-streams.js';
import { StreamDelivery } from './stream-delivery.js';
import { failureOfCut, isCut, type StreamEnd } from './stream-end.js';
import { type FlowEnd, StreamFlow } from './stream-flow.js';
import { PassthroughRewriter, scanSaid } from './stream-rewriter.js';

/** After this long without an answer the headers go out, so that proxies see a live stream. */
const HEAD_AFTER_MS = 10_000;

/**
 * Answers a chat request as a stream. When it resolves, the request is admitted and funds are
 * held; the provider is called when the stream is read. A repeated key gets the first stream.
 * @throws what a stage before the call refuses with
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
  const asked = askedRequest(caller, body);
  const read = asked instanceof Promise ? await asked : asked;
  const request = asStream(read);
  caller.transport.spans?.passed('read');
  const prepared = await prepare(caller, request);
  return new ChatStream(prepared);
}

/** The field that is called decides that the answer is a stream. */
function asStream(request: InferenceRequest): InferenceRequest {
  const { stream, needs, filledAnew } = request;
  return {
    ...request,
    stream: true,
    needs: stream ? needs : [...needs, 'streaming'],
    filledAnew: filledAnew && (async (ctx) => asStream(await filledAnew(ctx))),
  };
}

/** One stream from provider to client; it is billed when it ends, however it ends. */
class ChatStream implements WireStream {
  private readonly said = new SaidText();
  /** None under a key: what a crash cuts is free, since its client comes back for the whole. */
  private readonly checkpoints: Checkpoints | undefined;
  private readonly delivery: StreamDelivery;
  private frame: JsonObject = {};
  private firstTokenMs: number | undefined;
  private usage: UsageChunk | undefined;
  private forwarded = 0;
  private turn: CacheTurn | undefined;
  private rewritten: RewrittenStream | undefined;
  private stop: () => void = () => {};

  constructor(private readonly prepared: Prepared) {
    const { keyed } = prepared.ctx;
    this.delivery = new StreamDelivery(keyed !== undefined, () => this.stop());
    this.checkpoints = keyed ? undefined : new Checkpoints(prepared);
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
    if (this.delivery.kept) return queue.ignore();
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
      this.turn?.done('left');
      this.rewritten?.end();
    }
  }

  private async run(sink: WireSink): Promise<void> {
    const { prepared } = this;
    const calledMs = performance.now();
    const answer = await this.open(sink);
    const { spans } = prepared.ctx.transport;
    spans?.passed('call');
    const rewriter = this.rewriterOf(answer);
    const flowed = await this.forward(answer, rewriter, sink);
    await this.delivery.idle();
    const upstreamMs = performance.now() - calledMs;
    spans?.passed('stream');
    const end = await this.readToEnd(sink, answer, rewriter, flowed);
    if (end.kind === 'broken') throw end.cause;
    const isFree = this.isFree(end);
    if (end.kind === 'aborted' && isFree) {
      return release(prepared, new UpstreamAborted(answer.attempts));
    }
    const { providerName } = answer.deployment;
    const failure = isCut(end) ? failureOfCut(end, providerName, isFree) : undefined;
    if (failure && isFree) throw failure;
    const bill = await this.bill(answer, end, upstreamMs);
    if (end.kind === 'aborted' || isCut(end)) {
      await settle(prepared, bill, { answer: Buffer.alloc(0), unread: end.kind === 'aborted' });
      if (failure) throw failure;
      return;
    }
    const last = lastChunk(prepared, this.frame, bill, end.found);
    const { kept = [] } = this.delivery;
    await settle(prepared, bill, { answer: Buffer.concat([...kept, last]) });
    this.turn?.done(end.kind === 'done' && isKeepable(prepared, bill) ? 'kept' : 'own');
    this.write(sink, last);
    sink.end();
  }

  /** Sends what is still held back of a whole answer, and looks at what nobody has looked at. */
  private async readToEnd(
    sink: WireSink,
    answer: StreamAnswer,
    rewriter: RewrittenStream | PassthroughRewriter,
    end: FlowEnd,
  ): Promise<StreamEnd> {
    try {
      this.delivery.requireWritten();
      if (end.kind !== 'done' && end.kind !== 'limited') return end;
      this.write(sink, await rewriter.flush());
      if (end.kind === 'limited') this.writeLimited(sink, answer, end.choices);
      return { kind: end.kind, found: await this.found() };
    } catch (fault) {
      return { kind: 'unread', fault };
    }
  }

  /**
   * A client with a key comes back for the whole answer and shall pay for that one alone; what
   * nobody has got is free as well.
   */
  private isFree(end: StreamEnd): boolean {
    if (this.forwarded === 0 || this.delivery.kept !== undefined) return true;
    return end.kind === 'unread' && this.textOf(end) === '';
  }

  /** The text that is billed: what was produced, or what was delivered where the fault is ours. */
  private textOf({ kind }: StreamEnd): string {
    const isRewritten = kind === 'unread' && this.rewritten !== undefined;
    return isRewritten ? this.delivery.rewrittenText : this.said.text();
  }

  private async bill(
    { deployment, attempts }: StreamAnswer,
    end: StreamEnd,
    upstreamMs: number,
  ): Promise<Bill> {
    const { request, inspected } = this.prepared;
    const measured = await measure(request, {
      sent: inspected.inspection.body,
      raw: end.kind === 'unread' ? undefined : this.usage?.usage,
      text: () => this.textOf(end),
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
    const early = setTimeout(() => sink.head(trialHeaders(this.prepared)), HEAD_AFTER_MS);
    try {
      this.turn = await fetchAnswer(this.prepared);
      const { answer } = this.turn;
      if (answer.kind !== 'stream') throw new TypeError('a stream was asked for');
      const { id, providerId } = answer.deployment;
      sink.head({
        'x-gw-model': id,
        'x-gw-provider': providerId,
        'x-gw-firewall': inspected.inspection.verdict,
        ...trialHeaders(this.prepared),
      });
      return answer;
    } finally {
      clearTimeout(early);
    }
  }

  /** The way of the events of an answer, which names the model that answers. */
  private rewriterOf({ deployment }: StreamAnswer): RewrittenStream | PassthroughRewriter {
    const { admission, inspected, ctx } = this.prepared;
    if (!rewritesAnswer(admission.policy, inspected)) return new PassthroughRewriter(deployment.id);
    this.rewritten = new RewrittenStream({
      publicModel: deployment.id,
      modes: admission.policy.answerFirewall,
      vault: inspected.inspection.vault,
      asker: { owner: ctx.who.tenantId },
    });
    return this.rewritten;
  }

  private async forward(
    answer: StreamAnswer,
    rewriter: RewrittenStream | PassthroughRewriter,
    sink: WireSink,
  ): Promise<FlowEnd> {
    const { runningStreams } = this.prepared.ctx.services;
    const flow = new StreamFlow(this.prepared, answer, this.said, {
      isClosed: () => sink.closed,
      onUsage: (usage) => {
        this.usage = usage;
      },
      onChunks: (chunks, count) => {
        this.note(chunks, count, flow.frame);
        this.checkpoints?.advance(count, answer.deployment);
        const events = rewriter.push(chunks, count);
        if (events instanceof Promise) return this.delivery.writeLater(sink, events);
        return this.write(sink, events) ? undefined : sink.drained();
      },
    });
    this.stop = () => answer.stream.abort();
    const forget = runningStreams.add(this.stop);
    const end = await flow.run().finally(forget);
    const byNode = end.kind === 'aborted' && runningStreams.areEnding && !sink.closed;
    return byNode ? { kind: 'stopped' } : end;
  }

  private note(chunks: Buffer, count: number, frame: JsonObject): void {
    if (this.forwarded === 0) {
      this.firstTokenMs = performance.now() - this.prepared.startedMs;
      this.frame = frame;
    }
    this.forwarded += count;
    this.said.add(chunks);
  }

  private write(sink: WireSink, events: Buffer): boolean {
    if (!this.rewritten) return this.delivery.write(sink, events);
    return this.delivery.writeRewritten(sink, events);
  }

  /** The end of an answer that passed its own limit, which speaks against its deployment. */
  private writeLimited(sink: WireSink, { deployment }: StreamAnswer, choices: readonly unknown[]) {
    this.prepared.ctx.services.upstream.discredit(deployment, 'output_beyond_limit');
    this.write(sink, limitedChunk(this.prepared, this.frame, deployment.id, choices));
  }

  /** What the firewall saw in the answer: on the way, or in the text that passed. */
  private found(): FirewallOut | Promise<FirewallOut | undefined> {
    if (this.rewritten) return this.rewritten.found();
    const { admission, inspected, ctx } = this.prepared;
    const { vault } = inspected.inspection;
    const said = [this.said.text(), admission.policy.answerFirewall] as const;
    if (!isHeavy(...said)) return scanSaid(...said, vault);
    const found = scanSaidApart(...said, vault, { owner: ctx.who.tenantId });
    // Nothing of it was to be replaced, and all of it has left: that it is not counted is no cut.
    return found.catch((err: unknown) => {
      const { requestId, services } = ctx;
      services.log.warn({ err, requestId }, 'the text of a stream that passed was not looked at');
      return undefined;
    });
  }
}
