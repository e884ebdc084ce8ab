import { isWireStream, type WireSink } from '../../src/kernel/wire.js';
import type { ErrorBody } from '../reply.js';
import type { RowStream } from '../row.js';

/** Where the events of one answer go, and how it ends. */
export interface EventOutput {
  /** Sends status and headers; further calls have no effect. */
  head(headers: Readonly<Record<string, string>>): void;
  readonly headSent: boolean;
  write(bytes: Buffer | string): boolean;
  drained(): Promise<void>;
  /** Ends the answer with these bytes. */
  end(last?: string): void;
  readonly closed: boolean;
  /** Resolves when nobody reads any more. */
  readonly left: Promise<void>;
}

const PING_INTERVAL_MS = 15_000;
const PING = ': ping\n\n';
const DONE = 'data: [DONE]\n\n';

/** Headers of a stream that no proxy may buffer, change or compress. */
export const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/**
 * Writes a stream to its end. A failure before the headers is thrown, so that it gets its own
 * status; one after them is told as an event, and the stream ends without `[DONE]`.
 * @param failed makes the envelope of a failure
 * @returns true when the stream ended cleanly
 */
export async function writeEvents(
  stream: RowStream,
  output: EventOutput,
  failed: (error: unknown) => ErrorBody,
): Promise<boolean> {
  const ping = setInterval(() => {
    output.head({});
    output.write(PING);
  }, PING_INTERVAL_MS);
  try {
    return isWireStream(stream)
      ? await pipeBytes(stream, output)
      : await pipeValues(stream, output);
  } catch (error) {
    if (!output.headSent) throw error;
    output.write(`data: ${JSON.stringify(failed(error))}\n\n`);
    output.end();
    return false;
  } finally {
    clearInterval(ping);
  }
}

async function pipeBytes(
  stream: Extract<RowStream, { pipe: unknown }>,
  output: EventOutput,
): Promise<boolean> {
  let ended = false;
  let complete = false;
  const sink: WireSink = {
    head: (headers) => output.head(headers),
    write(bytes) {
      output.head({});
      return output.write(bytes);
    },
    drained: () => output.drained(),
    comment(text) {
      output.head({});
      output.write(`: ${text.replaceAll(/[\r\n]+/g, ' ')}\n\n`);
    },
    end() {
      if (ended) return;
      ended = true;
      complete = !output.closed;
      output.head({});
      output.end(DONE);
    },
    get closed() {
      return output.closed;
    },
  };
  await stream.pipe(sink);
  sink.end();
  return complete;
}

async function pipeValues(stream: AsyncIterable<unknown>, output: EventOutput): Promise<boolean> {
  output.head({});
  const events = stream[Symbol.asyncIterator]();
  const next = interruptible(events, output.left);
  for (let step = await next(); !step.done; step = await next()) {
    const flowing = output.write(`data: ${JSON.stringify(step.value ?? null)}\n\n`);
    if (!flowing) await output.drained();
  }
  if (output.closed) {
    // Not awaited: an async generator returns only after the event that it waits for.
    events.return?.()?.then(undefined, () => undefined);
    return false;
  }
  output.end(DONE);
  return true;
}

/**
 * The next step of an iterator, which ends when the client leaves. One reaction stands on the
 * promise of leaving for the whole stream; a race for each event would gather them there.
 */
function interruptible(
  events: AsyncIterator<unknown>,
  left: Promise<void>,
): () => Promise<IteratorResult<unknown>> {
  let interrupt: ((step: IteratorResult<unknown>) => void) | undefined;
  let gone = false;
  const end = { done: true, value: undefined } as const;
  left.then(
    () => {
      gone = true;
      interrupt?.(end);
    },
    () => undefined,
  );
  return () =>
    new Promise((resolve, reject) => {
      if (gone) return resolve(end);
      interrupt = resolve;
      events.next().then(resolve, reject);
    });
}
