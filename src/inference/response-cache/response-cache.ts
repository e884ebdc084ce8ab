import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import type { ByteCache } from '../../platform/byte-cache/byte-cache.js';
import { VALUE_BYTES_MAX } from '../../platform/byte-cache/byte-cache.js';
import type { Listener } from '../../platform/database/listen.js';
import type { ChosenRoute } from '../stages/route.js';
import type { StreamAnswer, UpstreamAnswer, UsageChunk } from '../upstream/call.js';
import { UpstreamAborted } from '../upstream/failure.js';
import type { RawUsage } from '../upstream/usage.js';
import { RecordedStream, RecordingStream } from './recording.js';
import type { CacheWay } from './way.js';

/** An answer, and where it comes from. */
export interface CacheTurn {
  readonly answer: UpstreamAnswer;
  /** For how long it has been kept, in milliseconds; undefined where a provider has answered. */
  readonly cachedMs: number | undefined;
  /**
   * The request is over. Keeps a provider's answer that is whole and charged, and lets those have
   * it who wait for it; must be called, once or more often.
   */
  done(isWhole: boolean): void;
}

/** What is kept before the bytes of an answer. */
interface Head {
  readonly kind: 'whole' | 'stream';
  /** The deployment that has answered. */
  readonly deployment: string;
  readonly keptAtMs: number;
  readonly usage: RawUsage | UsageChunk | null;
  readonly count: number;
}

const LINE_END = 0x0a;

/**
 * Answers that are kept for equal requests of the same tenant. Of equal requests at the same time
 * one calls a provider, and the others wait for its answer; where that one is not kept, or takes
 * longer than ten seconds, each of them calls for itself.
 */
export class ResponseCache {
  private readonly flights = new Map<string, Promise<Buffer | undefined>>();

  constructor(private readonly bytes: ByteCache) {}

  /** The kept answer; undefined where there is none, or one is just being made. */
  async kept(
    ctx: AuthorizedCtx,
    { identity }: CacheWay,
    route: ChosenRoute,
  ): Promise<CacheTurn | undefined> {
    if (identity === undefined) return undefined;
    const name = `${answersOf(ctx.who.tenantId)}${identity}`;
    const bytes = this.flights.has(name) ? undefined : await this.bytes.get(name);
    return bytes && readKept(bytes, route);
  }

  /**
   * The kept answer, or that of `call`.
   * @throws whatever `call` throws; UpstreamAborted when the client leaves while it waits
   */
  async answer(
    ctx: AuthorizedCtx,
    { identity, keepMs }: CacheWay,
    route: ChosenRoute,
    call: () => Promise<UpstreamAnswer>,
  ): Promise<CacheTurn> {
    if (identity === undefined) return turnOf(await call());
    const name = `${answersOf(ctx.who.tenantId)}${identity}`;
    const running = this.flights.get(name);
    if (running !== undefined) {
      const made = await unlessAborted(running, ctx.signal);
      return (made && readKept(made, route)) ?? turnOf(await call());
    }
    let land: (kept: Buffer | undefined) => void = () => {};
    const flight = new Promise<Buffer | undefined>((resolve) => {
      land = resolve;
    });
    this.flights.set(name, flight);
    const end = (kept: Buffer | undefined) => {
      if (this.flights.get(name) === flight) this.flights.delete(name);
      land(kept);
    };
    try {
      const kept = await this.bytes.get(name);
      const found = kept && readKept(kept, route);
      if (found) {
        end(kept);
        return found;
      }
      return this.recording(await call(), (made) => {
        // One that an erasure has overtaken is not kept: its organization has asked before.
        if (made && this.flights.get(name) === flight) this.bytes.put(name, made, keepMs);
        end(made);
      });
    } catch (thrown) {
      end(undefined);
      throw thrown;
    }
  }

  /**
   * Drops the answers of a tenant wherever its personal data is erased, on every node. What was
   * told while the connection was down is lost, so whatever this node alone keeps is dropped then.
   */
  async follow(listener: Listener): Promise<void> {
    await listener.listen('gw_erased', (tenantId) => void this.forget(tenantId));
    const dropOwn = () => {
      this.flights.clear();
      this.bytes.dropOwn();
    };
    listener.onDisconnected(dropOwn);
    listener.onConnected(dropOwn);
  }

  /** Drops what is kept for a tenant; what is under way is not given to others. */
  async forget(tenantId: string): Promise<void> {
    const prefix = answersOf(tenantId);
    for (const name of this.flights.keys()) {
      if (name.startsWith(prefix)) this.flights.delete(name);
    }
    await this.bytes.drop(prefix);
  }

  /** Lets go of everything. */
  close(): Promise<void> {
    return this.bytes.close();
  }

  private recording(answer: UpstreamAnswer, land: (made: Buffer | undefined) => void): CacheTurn {
    let isOver = false;
    const over = (write: () => Buffer | undefined) => (isWhole: boolean) => {
      if (isOver) return;
      isOver = true;
      land(isWhole ? write() : undefined);
    };
    if (answer.kind === 'whole') {
      const { body, usage } = answer;
      return turnOf(
        answer,
        over(() => keptBytes(answer, body, usage ?? null, 0)),
      );
    }
    const stream = new RecordingStream(answer.stream, VALUE_BYTES_MAX);
    const write = () => {
      const made = stream.recording();
      return made && keptBytes(answer, made.events, made.usage ?? null, made.count);
    };
    return turnOf({ ...answer, stream } satisfies StreamAnswer, over(write));
  }
}

/** What the names of all answers of a tenant begin with, so that they can be dropped. */
function answersOf(tenantId: string): string {
  return `${tenantId} `;
}

/** The turn of an answer that is not kept. */
export function turnOf(answer: UpstreamAnswer, done: CacheTurn['done'] = () => {}): CacheTurn {
  return { answer, cachedMs: undefined, done };
}

function keptBytes(
  { kind, deployment }: UpstreamAnswer,
  bytes: Buffer,
  usage: Head['usage'],
  count: number,
): Buffer | undefined {
  const head: Head = { kind, deployment: deployment.key, keptAtMs: sharedNowMs(), usage, count };
  const whole = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes]);
  return whole.length <= VALUE_BYTES_MAX ? whole : undefined;
}

/** The answer as its deployment gave it; undefined where that one may not answer any more. */
function readKept(kept: Buffer, { chain }: ChosenRoute): CacheTurn | undefined {
  const end = kept.indexOf(LINE_END);
  const head = JSON.parse(kept.toString('utf8', 0, end)) as Head;
  const deployment = chain.find(({ key }) => key === head.deployment);
  if (!deployment) return undefined;
  const bytes = kept.subarray(end + 1);
  const trace = { deployment, attempts: [], skipped: [] };
  const answer: UpstreamAnswer =
    head.kind === 'whole'
      ? { kind: 'whole', ...trace, body: bytes, usage: (head.usage ?? undefined) as RawUsage }
      : { kind: 'stream', ...trace, stream: recorded(bytes, head) };
  return { answer, cachedMs: Math.max(0, sharedNowMs() - head.keptAtMs), done: () => {} };
}

function recorded(events: Buffer, { count, usage }: Head): RecordedStream {
  return new RecordedStream({ events, count, usage: (usage ?? undefined) as UsageChunk });
}

/** A slow reader of an equal request keeps the others no longer than this. */
const WAIT_MS_MAX = 10_000;

/** What comes in time; undefined where it does not, and a throw where the client leaves before. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new UpstreamAborted([]));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    const late = setTimeout(() => resolve(undefined), WAIT_MS_MAX);
    work.then(resolve, reject).finally(() => {
      clearTimeout(late);
      signal.removeEventListener('abort', leave);
    });
  });
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly responseCache: ResponseCache;
  }
}
