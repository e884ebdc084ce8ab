import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { fail } from '../../../kernel/errors/fail.js';
import type { FirewallModes } from '../../../kernel/firewall/vocabulary.js';
import { PARSED_FILES } from '../../../platform/build-facts.js';
import { UpstreamAborted } from '../../upstream/failure.js';
import type { FirewallOut, RequestInspection, ResponseInspection } from '../inspect.js';
import { type PackedVault, Vault } from '../mask.js';
import type { TokenReadings } from '../survey.js';
import { ScanAbandoned, ScanThread, ScanTooLong, ScanUnbegun, type Turn } from './scan-thread.js';
import { perform, type Results, ScanLost, sentModes, type Work } from './work.js';

/** What `tools/bundle.mjs` makes of scanning-thread.ts, beside the product. */
const THREAD = 'gateway.scan.cjs';

/** What one scan is given at most, in the thread that scans. */
const SCAN_SECONDS_MAX = 20;
export const THREAD_MIB_MAX = 512;
/** How long a scan waits for its turn at most: longer than one scan before it can take. */
const WAIT_SECONDS_MAX = 30;
/** By then the texts that were in the way have had their turns, or are refused too. */
const RETRY_AFTER_MS = 10_000;

/** Who waits for a scan: owners take turns, and a scan of a client that has left is left out. */
export type Asker = Pick<Turn, 'owner' | 'signal'>;

/** Does work, here or elsewhere. */
type Doing = <K extends Work['kind']>(
  work: Extract<Work, { kind: K }>,
  turn: Turn,
) => Promise<Results[K]>;

/** Sources that were not built have no file to start: there the work is done where it is asked. */
const IS_BUILT = Object.keys(PARSED_FILES).length > 0;

function newThread(): Worker {
  // Without the options of the process: what is loaded into it is not meant for the thread.
  return new Worker(join(import.meta.dirname, THREAD), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MIB_MAX },
  });
}

function doing(): Doing {
  if (IS_BUILT) {
    const thread = new ScanThread(newThread, SCAN_SECONDS_MAX * 1_000);
    return (work, turn) => thread.run(work, turn);
  }
  return async (work) => structuredClone(perform(structuredClone(work)));
}

/**
 * The threads of a process, each with a queue. Streams have one to themselves: no request and no
 * answer can end the thread in which they are kept.
 */
export const THREADS = { requests: doing(), answers: doing(), streams: doing() };

/**
 * `inspectRequest` without holding the event loop.
 * @throws invalid_request where the body is nested too deep, firewall_scan_too_long,
 * firewall_busy, or UpstreamAborted where the client has left before its turn came
 */
export async function inspectRequestApart<T extends object>(
  body: T,
  modes: FirewallModes,
  readings: TokenReadings,
  asker: Asker,
): Promise<RequestInspection<T>> {
  try {
    const work = { kind: 'request', body, modes: sentModes(modes), readings } as const;
    const { vault, body: read, ...found } = await THREADS.requests(work, waiting(asker));
    return { ...found, body: (read as T | undefined) ?? body, vault: await unpacked(vault) };
  } catch (thrown) {
    if (thrown instanceof ScanAbandoned) throw new UpstreamAborted([]);
    if (thrown instanceof ScanUnbegun) return failBusy();
    if (!(thrown instanceof ScanTooLong)) throw thrown;
    return fail('firewall_scan_too_long', { values: { seconds: SCAN_SECONDS_MAX } });
  }
}

function waiting(asker: Asker): Turn {
  return { ...asker, waitMsMax: WAIT_SECONDS_MAX * 1_000 };
}

function failBusy(): never {
  return fail('firewall_busy', {
    values: { seconds: WAIT_SECONDS_MAX },
    retryAfterMs: RETRY_AFTER_MS,
  });
}

/**
 * `inspectResponse` without holding the event loop.
 * @throws upstream_failed where the answer takes too long, firewall_busy
 */
export async function inspectResponseApart<T extends object>(
  body: T,
  modes: FirewallModes,
  vault: Vault,
  asker: Asker,
): Promise<ResponseInspection<T>> {
  const work = { kind: 'answer', body, modes: sentModes(modes), vault: vault.packed() } as const;
  const { body: read, ...found } = await ofAnswer(() => THREADS.answers(work, waiting(asker)));
  return { ...found, body: (read as T | undefined) ?? body };
}

/**
 * `scanSaid` without holding the event loop.
 * @throws upstream_failed where it takes too long, firewall_busy
 */
export function scanSaidApart(
  text: string,
  modes: FirewallModes,
  vault: Vault,
  asker: Asker,
): Promise<FirewallOut> {
  const work = { kind: 'said', text, modes: sentModes(modes), vault: vault.packed() } as const;
  return ofAnswer(() => THREADS.answers(work, waiting(asker)));
}

let streams = 0;

type OfStream = Extract<Work, { kind: 'begin' | 'events' | 'flush' }>;

/** A stream that has brought more than this is not read again from its beginning. */
const READ_AGAIN_BYTES_MAX = 2_097_152;
/** So often work is asked for where the thread is ended each time. */
const TRIES_MAX = 3;

/**
 * The rewriter of one stream, in the thread. A call begins when the one before it has succeeded:
 * after one that has failed nobody knows what the thread has read, so that all others fail alike.
 * Where another stream has ended the thread, this one is read again in a new one, up to a bound.
 * Calls throw upstream_failed where one takes too long, firewall_busy, and firewall_scan_lost where
 * the thread was ended and the stream is beyond the bound.
 */
export class StreamApart {
  private readonly stream = ++streams;
  private readonly beginning: Extract<Work, { kind: 'begin' }>;
  private last: Promise<unknown> = Promise.resolve();
  /** What the thread has read since the beginning; undefined beyond the bound. */
  private read: Uint8Array[] | undefined = [];
  private readBytes: number;
  private isForgotten = false;

  /** @param before what the stream has brought until now */
  constructor(
    model: string,
    modes: FirewallModes,
    vault: Vault,
    private readonly asker: Asker,
    before: readonly Uint8Array[],
  ) {
    const sent = { model, modes: sentModes(modes), vault: vault.packed(), before };
    this.beginning = { kind: 'begin', stream: this.stream, ...sent };
    this.readBytes = before.reduce((sum, { length }) => sum + length, 0);
    void this.next(this.beginning);
  }

  /** Events as they may be written now. */
  async push(events: Uint8Array): Promise<Buffer> {
    const rewritten = await this.next({ kind: 'events', stream: this.stream, events });
    this.keep(events);
    return Buffer.from(rewritten);
  }

  /** What was held back, and all that was found; the stream has ended. */
  async flush(): Promise<{ readonly events: Buffer; readonly found: FirewallOut }> {
    const { events, found } = await this.next({ kind: 'flush', stream: this.stream });
    return { events: Buffer.from(events), found };
  }

  /** The thread forgets the stream. */
  forget(): void {
    this.isForgotten = true;
    const { owner } = this.asker;
    THREADS.streams({ kind: 'forget', stream: this.stream }, { owner }).catch(() => undefined);
  }

  private next<K extends OfStream['kind']>(work: Extract<Work, { kind: K }>): Promise<Results[K]> {
    const done = this.last.then(() => ofAnswer(() => this.done(work)));
    this.last = done;
    done.catch(() => undefined);
    return done;
  }

  /** @throws ScanLost where the thread was ended and the stream cannot be read again */
  private async done<K extends OfStream['kind']>(
    work: Extract<Work, { kind: K }>,
  ): Promise<Results[K]> {
    const ask = <W extends OfStream['kind']>(one: Extract<Work, { kind: W }>) =>
      THREADS.streams(one, waiting(this.asker)) as Promise<Results[W]>;
    for (let tries = 1; ; tries += 1) {
      try {
        if (tries > 1) {
          await ask(this.beginning);
          // One by one, as they came: what each of them says has left already.
          for (const events of this.read ?? []) {
            await ask({ kind: 'events', stream: this.stream, events });
          }
        }
        return await ask(work);
      } catch (thrown) {
        const mayTry = this.read !== undefined && !this.isForgotten && tries < TRIES_MAX;
        if (!(thrown instanceof ScanLost) || !mayTry) throw thrown;
      }
    }
  }

  private keep(events: Uint8Array): void {
    this.readBytes += events.length;
    if (this.readBytes > READ_AGAIN_BYTES_MAX) this.read = undefined;
    this.read?.push(events);
  }
}

async function ofAnswer<T>(scanned: () => Promise<T>): Promise<T> {
  try {
    return await scanned();
  } catch (thrown) {
    if (thrown instanceof ScanUnbegun) return failBusy();
    if (thrown instanceof ScanLost) return fail('firewall_scan_lost');
    if (!(thrown instanceof ScanTooLong)) throw thrown;
    const reason = `the firewall takes longer than ${SCAN_SECONDS_MAX} s to read its answer`;
    return fail('upstream_failed', { values: { reason } });
  }
}

async function unpacked(packed: PackedVault): Promise<Vault> {
  const unpacking = Vault.unpacking(packed);
  for (;;) {
    const { done, value } = unpacking.next();
    if (done) return value;
    await nextTurn();
  }
}
