import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import type { ByteCache } from '../../platform/byte-cache/byte-cache.js';
import { VALUE_BYTES_MAX } from '../../platform/byte-cache/byte-cache.js';
import type { Listener } from '../../platform/database/listen.js';
import type { ChosenRoute } from '../stages/route.js';
import type { StreamAnswer, UpstreamAnswer, UsageChunk } from '../upstream/call.js';
import { UpstreamAborted } from '../upstream/failure.js';
import type { RawUsage } from '../upstream/usage.js';
import { streamOf, type WholeForm, wholeOf } from './either-form.js';
import { RecordedStream, type Recording, RecordingStream } from './recording.js';
import type { CacheWay } from './way.js';

/** An answer, and where it comes from. */
export interface CacheTurn {
  readonly answer: UpstreamAnswer;
  /** For how long it has been kept, in milliseconds; undefined where a provider has answered. */
  readonly cachedMs: number | undefined;
  /**
   * The request is over. Keeps a provider's answer that is whole and charged, and lets those have
   * it who wait for it; must be called, once or more often: the first call counts.
   */
  done(end: TurnEnd): void;
}

/**
 * How the request of a turn ended. `kept`: its answer is for others too. `own`: it is for this one
 * alone, as one that was cut. `left`: there is none, since the client went away or the call failed.
 */
export type TurnEnd = 'kept' | 'own' | 'left';

/** What those are told that wait: the answer, or how it ended without one. */
type Landed = Buffer | Exclude<TurnEnd, 'kept'>;

/** What is kept before the bytes of an answer. */
interface Head {
  readonly kind: 'whole' | 'stream';
  /** The deployment that has answered. */
  readonly deployment: string;
  readonly keptAtMs: number;
  /** Until when the longest contract keeps it; absent in what was kept before this was written. */
  readonly keptUntilMs?: number;
  readonly usage: RawUsage | UsageChunk | null;
  readonly count: number;
}

const LINE_END = 0x0a;

/**
 * Answers that are kept for equal requests of the same tenant, plain and streamed. Of equal
 * requests at the same time one calls a provider, and the others wait for its answer. Where its
 * client leaves or its call fails, the next of them calls and the others wait for that one; where
 * its answer is not kept, or the wait is longer than ten seconds, each calls for itself. Those for
 * whom it is too old have one of them call, too.
 */
export class ResponseCache {
  private readonly flights = new Map<string, Promise<Landed>>();
  private fresh = 0;
  /** How often answers were dropped: a look-up that began before that finds nothing. */
  private drops = 0;

  constructor(private readonly bytes: ByteCache) {}

  /** The kept answer; undefined where there is none, or one is just being made. */
  async kept(
    ctx: AuthorizedCtx,
    way: CacheWay,
    route: ChosenRoute,
  ): Promise<CacheTurn | undefined> {
    const { identity, isFresh } = way;
    if (identity === undefined || isFresh) return undefined;
    const name = `${answersOf(ctx.who.tenantId)}${identity}`;
    if (this.flights.has(name)) return undefined;
    const { drops } = this;
    const bytes = await this.bytes.get(name);
    return bytes && drops === this.drops ? readKept(bytes, route, way) : undefined;
  }

  /**
   * The kept answer, or that of `call`.
   * @throws whatever `call` throws; UpstreamAborted when the client leaves while it waits
   */
  async answer(
    ctx: AuthorizedCtx,
    way: CacheWay,
    route: ChosenRoute,
    call: () => Promise<UpstreamAnswer>,
  ): Promise<CacheTurn> {
    const { identity, isFresh } = way;
    if (identity === undefined) return turnOf(await call());
    const name = `${answersOf(ctx.who.tenantId)}${identity}`;
    if (isFresh) {
      // Nobody waits for it, and it waits for nobody; an erasure ends its flight like any other.
      this.fresh += 1;
      return this.called(`${name} ${this.fresh}`, { name, way }, call);
    }
    const untilMs = performance.now() + WAIT_MS_MAX;
    let isAgain = false;
    for (;;) {
      const running = this.flights.get(name);
      if (running === undefined) break;
      const landed = await unlessAborted(running, ctx.signal, untilMs - performance.now());
      if (landed === 'left') continue;
      if (!isAgain && Buffer.isBuffer(landed) && isTooOld(headOf(landed), way)) {
        isAgain = true;
        continue;
      }
      const made = Buffer.isBuffer(landed) ? readKept(landed, route, way) : undefined;
      return made ?? turnOf(await call());
    }
    return this.called(name, { name, way }, call, (kept) => readKept(kept, route, way));
  }

  /** Calls a provider in a flight of this name, unless an answer is found before. */
  private async called(
    flown: string,
    { name, way }: { readonly name: string; readonly way: CacheWay },
    call: () => Promise<UpstreamAnswer>,
    find?: (kept: Buffer) => CacheTurn | undefined,
  ): Promise<CacheTurn> {
    let land: (landed: Landed) => void = () => {};
    const flight = new Promise<Landed>((resolve) => {
      land = resolve;
    });
    this.flights.set(flown, flight);
    const isCurrent = () => this.flights.get(flown) === flight;
    // Of one that an erasure has overtaken nobody gets anything: those who wait asked before it, so
    // each calls for itself and leaves nothing to others either.
    const end = (landed: Landed) => {
      land(isCurrent() ? landed : 'own');
      if (isCurrent()) this.flights.delete(flown);
    };
    try {
      const found = await this.bytes.get(name);
      const kept = isCurrent() ? found : undefined;
      const turn = kept && find?.(kept);
      if (turn) {
        end(kept);
        return turn;
      }
      // A contract with a shorter term takes nothing from those that keep the answer longer.
      const untilMs = kept ? (headOf(kept).keptUntilMs ?? 0) : 0;
      return this.recording(await call(), { keepMs: way.keepMs, untilMs }, (landed) => {
        if (Buffer.isBuffer(landed) && isCurrent()) {
          this.bytes.put(name, landed, Math.max(way.keepMs, untilMs - sharedNowMs()));
        }
        end(landed);
      });
    } catch (thrown) {
      end('left');
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
      this.drops += 1;
      this.flights.clear();
      this.bytes.dropOwn();
    };
    listener.onDisconnected(dropOwn);
    listener.onConnected(dropOwn);
  }

  /** Drops what is kept for a tenant; what is under way is not given to others. */
  async forget(tenantId: string): Promise<void> {
    const prefix = answersOf(tenantId);
    this.drops += 1;
    for (const name of this.flights.keys()) {
      if (name.startsWith(prefix)) this.flights.delete(name);
    }
    await this.bytes.drop(prefix);
  }

  /** Lets go of everything. */
  close(): Promise<void> {
    return this.bytes.close();
  }

  private recording(answer: UpstreamAnswer, term: Term, land: (landed: Landed) => void): CacheTurn {
    let isOver = false;
    const over = (write: () => Buffer | undefined) => (end: TurnEnd) => {
      if (isOver) return;
      isOver = true;
      land(end === 'kept' ? (write() ?? 'own') : end);
    };
    if (answer.kind === 'whole') {
      const { body, usage } = answer;
      return turnOf(
        answer,
        over(() => keptBytes(answer, term, body, { usage: usage ?? null, count: 0 })),
      );
    }
    const stream = new RecordingStream(answer.stream, VALUE_BYTES_MAX);
    const write = () => {
      const made = stream.recording();
      const { count, usage = null } = made ?? { count: 0 };
      return made && keptBytes(answer, term, made.events, { usage, count });
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

/** For how long an answer is kept: for a time, and not less than until an instant. */
interface Term {
  readonly keepMs: number;
  readonly untilMs: number;
}

function keptBytes(
  { kind, deployment }: UpstreamAnswer,
  { keepMs, untilMs }: Term,
  bytes: Buffer,
  counted: Pick<Head, 'usage' | 'count'>,
): Buffer | undefined {
  const keptAtMs = sharedNowMs();
  const keptUntilMs = Math.max(keptAtMs + keepMs, untilMs);
  const head: Head = { kind, deployment: deployment.key, keptAtMs, keptUntilMs, ...counted };
  const whole = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes]);
  return whole.length <= VALUE_BYTES_MAX ? whole : undefined;
}

/**
 * The answer as its deployment gave it, in the form that is asked for; undefined where that one may
 * not answer any more, for what has no such form, and for one that is older than the contract of
 * its reader allows, however long the contract that kept it does.
 */
function readKept(
  kept: Buffer,
  { chain }: ChosenRoute,
  { form, keepMs }: Pick<CacheWay, 'form' | 'keepMs'>,
): CacheTurn | undefined {
  const head = headOf(kept);
  const end = kept.indexOf(LINE_END);
  const deployment = chain.find(({ key }) => key === head.deployment);
  const cachedMs = ageMs(head);
  if (!deployment || isTooOld(head, { keepMs })) return undefined;
  const trace = { deployment, attempts: [], skipped: [] };
  const told = form === 'whole' ? wholeFrom(head, kept.subarray(end + 1)) : undefined;
  const recording = form === 'stream' ? streamFrom(head, kept.subarray(end + 1)) : undefined;
  const answer: UpstreamAnswer | undefined = told
    ? { kind: 'whole', ...trace, ...told }
    : recording && { kind: 'stream', ...trace, stream: new RecordedStream(recording) };
  if (!answer) return undefined;
  return { answer, cachedMs, done: () => {} };
}

function headOf(kept: Buffer): Head {
  return JSON.parse(kept.toString('utf8', 0, kept.indexOf(LINE_END))) as Head;
}

function ageMs({ keptAtMs }: Head): number {
  return Math.max(0, sharedNowMs() - keptAtMs);
}

/** Whether an answer is older than the contract of its reader allows. */
function isTooOld(head: Head, { keepMs }: Pick<CacheWay, 'keepMs'>): boolean {
  return ageMs(head) >= keepMs;
}

function wholeFrom({ kind, usage }: Head, bytes: Buffer): WholeForm | undefined {
  if (kind === 'whole') return { body: bytes, usage: (usage ?? undefined) as RawUsage };
  return wholeOf({ events: bytes, usage: (usage ?? undefined) as UsageChunk });
}

function streamFrom({ kind, count, usage }: Head, bytes: Buffer): Recording | undefined {
  if (kind === 'whole') return streamOf(bytes);
  return { events: bytes, count, usage: (usage ?? undefined) as UsageChunk };
}

/** A slow reader of an equal request keeps the others no longer than this. */
const WAIT_MS_MAX = 10_000;

/** What comes in time; undefined where it does not, and a throw where the client leaves before. */
function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  waitMs: number,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new UpstreamAborted([]));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    const late = setTimeout(() => resolve(undefined), waitMs);
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
