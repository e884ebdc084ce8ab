import type { Capability } from '../../catalog/providers/vocabulary.js';
import type { Ctx } from '../../graph/ctx.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import type { JsonObject } from '../../kernel/json.js';
import type { WireSink, WireStream } from '../../kernel/wire.js';
import { type Measured, measure, tokensIn } from '../measure.js';
import { abandon, prepare } from '../prepare.js';
import { giveBack } from '../stages/admit.js';
import { authenticate } from '../stages/authenticate.js';
import { call } from '../stages/call.js';
import { answerModes, type FirewallOut, rewritesAnswer } from '../stages/firewall-out.js';
import { prompt } from '../stages/prompt.js';
import { receipts } from '../stages/receipts.js';
import { type Prepared, type Settled, settle } from '../stages/settle.js';
import type { StreamAnswer, StreamEnd, UpstreamStream, UsageChunk } from '../upstream/call.js';
import { UpstreamAborted } from '../upstream/failure.js';
import { wireUsage } from '../upstream/usage.js';
import { Checkpoints } from './checkpoints.js';
import { ChunkQueue } from './chunk-queue.js';
import { ChunkShape } from './chunk-shape.js';
import { firstEvent, SaidText, writeEvent } from './event-text.js';
import { MaskingRelay, PassingRelay, type Relay } from './relay.js';
import { readChatRequest } from './request.js';
import type {} from './running-streams.js';
import { scanSaid } from './said.js';

/** After this long without an answer the headers go out, so that proxies see a live stream. */
const HEAD_AFTER_MS = 10_000;

/**
 * Answers a chat request as a stream. When it resolves, the request is admitted and funds are
 * held; the provider is called when the stream is read.
 * @throws whatever a stage before the call refuses with
 */
export async function streamChat(ctx: Ctx, body: unknown): Promise<WireStream> {
  const caller = authenticate(ctx);
  const asked = prompt(caller, body);
  const given = asked instanceof Promise ? await asked : asked;
  const read = readChatRequest(given.body, given.bodyBytes, given.prompt);
  const request = read.stream ? read : { ...read, stream: true, needs: streamingToo(read.needs) };
  const prepared = await prepare(caller, request);
  return new ChatStream(prepared);
}

function streamingToo(needs: readonly Capability[]): Capability[] {
  return [...needs, 'streaming'];
}

/** One stream from provider to client; it is billed when it ends, however it ends. */
class ChatStream implements WireStream {
  private readonly said = new SaidText();
  private readonly shape: ChunkShape;
  private readonly checkpoints: Checkpoints;
  private frame: JsonObject = {};
  private firstTokenMs: number | undefined;
  private usage: UsageChunk | undefined;
  private forwarded = 0;
  private stop: () => void = () => {};

  constructor(private readonly prepared: Prepared) {
    const { choices, includeUsage } = prepared.request;
    this.shape = new ChunkShape(choices, includeUsage);
    this.checkpoints = new Checkpoints(prepared);
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
        queue.leave();
        this.stop();
        if (piping !== undefined) await piping;
        else await abandon(this.prepared, new UpstreamAborted([]));
        return { done: true, value: undefined };
      },
    };
    return iterator;
  }

  async pipe(sink: WireSink): Promise<void> {
    const calledMs = performance.now();
    const answer = await this.open(sink);
    const relay = this.relayOf(answer);
    const end = await this.forward(answer, relay, sink);
    const upstreamMs = performance.now() - calledMs;
    if (end.kind !== 'done' && this.forwarded === 0) return this.fail(end, answer);
    if (end.kind === 'done') this.write(sink, relay.flush());
    const { measured, settled } = await this.charge(answer, end, upstreamMs);
    giveBack(this.prepared.ctx, this.prepared.admission, tokensIn(measured.usage));
    if (end.kind === 'aborted') return;
    if (end.kind === 'failed') throw streamFailure(end.message);
    this.write(sink, this.lastChunk(measured, settled, this.found(relay)));
    sink.end();
  }

  /** Charges what was produced. When that cannot be, nothing stays held. */
  private async charge(
    { deployment, attempts }: StreamAnswer,
    end: StreamEnd,
    upstreamMs: number,
  ): Promise<{ measured: Measured; settled: Settled }> {
    try {
      const measured = await this.measure();
      const outcome = {
        usage: measured.usage,
        usageSource: measured.usageSource,
        rawUsage: measured.rawUsage,
        deployment,
        attempts,
        status: end.kind === 'done' ? ('complete' as const) : ('partial' as const),
        finishReason: this.said.finishReason(),
        timeToFirstTokenMs: this.firstTokenMs,
        upstreamMs,
      };
      return { measured, settled: await settle(this.prepared, outcome, end.kind === 'aborted') };
    } catch (thrown) {
      await abandon(this.prepared, thrown);
      throw thrown;
    }
  }

  /** Calls the provider; headers wait for it, but not for ever. */
  private async open(sink: WireSink): Promise<StreamAnswer> {
    const { ctx, request, inspected, route } = this.prepared;
    const early = setTimeout(() => sink.head({}), HEAD_AFTER_MS);
    try {
      const answer = await call(ctx, request, inspected, route);
      if (answer.kind !== 'stream') throw new TypeError('a stream was asked for');
      const { id, providerId } = answer.deployment;
      sink.head({
        'x-gw-model': id,
        'x-gw-provider': providerId,
        'x-gw-firewall': inspected.inspection.verdict,
      });
      return answer;
    } catch (thrown) {
      await abandon(this.prepared, thrown);
      throw thrown;
    } finally {
      clearTimeout(early);
    }
  }

  /** The way of the events of an answer, which names the model that answers. */
  private relayOf({ deployment }: StreamAnswer): Relay {
    const { admission, inspected } = this.prepared;
    if (!rewritesAnswer(admission.policy, inspected)) return new PassingRelay(deployment.id);
    const modes = answerModes(admission.policy);
    return new MaskingRelay(deployment.id, modes, inspected.inspection.vault);
  }

  private forward(
    { stream, deployment }: StreamAnswer,
    relay: Relay,
    sink: WireSink,
  ): Promise<StreamEnd> {
    const { runningStreams } = this.prepared.ctx.services;
    return new Promise((resolve) => {
      this.stop = () => stream.abort();
      const forget = runningStreams.add(this.stop);
      stream.start({
        onEvents: (events, count) => {
          const chunks = this.shape.push(events, count);
          if (chunks.length === 0) return this.flows(sink, stream, chunks);
          this.note(chunks, count);
          this.checkpoints.advance(count, deployment);
          return this.flows(sink, stream, relay.push(chunks));
        },
        onUsage: (chunk, event) => {
          this.usage = chunk;
          if (!chunk.choices?.length) return true;
          this.note(event, 1);
          const rest: JsonObject = this.prepared.request.includeUsage
            ? { ...chunk, usage: null }
            : { ...chunk, usage: undefined };
          return this.flows(sink, stream, relay.push(this.shape.push(writeEvent(rest), 1)));
        },
        onEnd: (end) => {
          forget();
          const byNode = end.kind === 'aborted' && runningStreams.areEnding && !sink.closed;
          resolve(byNode ? NODE_STOPS : end);
        },
      });
    });
  }

  private note(events: Buffer, count: number): void {
    if (this.forwarded === 0) {
      this.firstTokenMs = performance.now() - this.prepared.startedMs;
      const { id, object, created } = firstEvent(events) ?? {};
      this.frame = { id, object, created };
    }
    this.forwarded += count;
    this.said.add(events);
  }

  /** Writes, and says whether the provider may go on; a full client pauses the provider. */
  private flows(sink: WireSink, stream: UpstreamStream, events: Buffer): boolean {
    if (sink.closed) {
      stream.abort();
      return false;
    }
    if (this.write(sink, events)) return true;
    void sink.drained().then(() => stream.resume());
    return false;
  }

  private write(sink: WireSink, events: Buffer): boolean {
    return events.length === 0 || sink.write(events);
  }

  private measure(): Promise<Measured> {
    return measure(this.prepared.request, this.usage?.usage, () => this.said.text());
  }

  private lastChunk(measured: Measured, settled: Settled, found: FirewallOut): Buffer {
    const { request } = this.prepared;
    const usage = request.includeUsage
      ? { usage: { ...(measured.rawUsage as JsonObject | null), ...wireUsage(measured.usage) } }
      : {};
    const added = receipts(this.prepared, settled, found);
    return writeEvent({
      object: 'chat.completion.chunk',
      ...this.frame,
      model: settled.outcome.deployment.id,
      choices: [],
      ...usage,
      ...added,
    });
  }

  /** What the firewall saw in the answer: on the way, or in the text that passed. */
  private found(relay: Relay): FirewallOut {
    const { admission, inspected } = this.prepared;
    if (relay instanceof MaskingRelay) return relay.found();
    return scanSaid(this.said.text(), answerModes(admission.policy), inspected.inspection.vault);
  }

  private async fail(end: StreamEnd, { attempts }: StreamAnswer): Promise<void> {
    if (end.kind !== 'failed') return abandon(this.prepared, new UpstreamAborted(attempts));
    const failure = streamFailure(end.message);
    await abandon(this.prepared, failure);
    throw failure;
  }
}

/** How a stream ends that outlasts the time which a stopping node gives. */
const NODE_STOPS: StreamEnd = {
  kind: 'failed',
  error: 'aborted',
  message: 'the gateway is stopping; what was produced so far is charged',
};

function streamFailure(reason: string): GatewayError {
  return new GatewayError('upstream_failed', { values: { reason } });
}
