import type { WireSink } from '../../kernel/wire.js';
import { parseEvents } from './event-text.js';

const WAITING_MAX = 64;

/** A sink that hands the events of a stream out as values, one a chunk. */
export class ChunkQueue implements WireSink {
  private readonly waiting: unknown[] = [];
  private wake: (() => void) | undefined;
  private readonly drainers: (() => void)[] = [];
  private finished = false;
  private failure: unknown;
  private left = false;
  private ignored = false;

  get closed(): boolean {
    return this.left;
  }

  head(): void {}

  comment(): void {}

  write(bytes: Buffer): boolean {
    if (this.ignored) return true;
    this.waiting.push(...parseEvents(bytes));
    this.wake?.();
    return this.waiting.length < WAITING_MAX;
  }

  drained(): Promise<void> {
    if (this.left || this.waiting.length < WAITING_MAX) return Promise.resolve();
    return new Promise((resolve) => this.drainers.push(resolve));
  }

  end(): void {
    this.finish();
  }

  /** No more chunks come; with a failure the reader gets it after the last chunk. */
  finish(failure?: unknown): void {
    this.failure ??= failure;
    this.finished = true;
    this.wake?.();
  }

  /** The reader goes away. */
  leave(): void {
    this.left = true;
    this.drain();
  }

  /** Nobody reads any more, but the stream goes on to its end. */
  ignore(): void {
    this.ignored = true;
    this.waiting.length = 0;
    this.drain();
  }

  /** The chunks in order. @throws what the stream failed with */
  async *chunks(): AsyncGenerator<unknown> {
    for (;;) {
      const chunk = this.waiting.shift();
      if (chunk !== undefined) {
        if (this.waiting.length < WAITING_MAX) this.drain();
        yield chunk;
        continue;
      }
      if (this.finished) break;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    if (this.failure !== undefined) throw this.failure;
  }

  private drain(): void {
    for (const resolve of this.drainers.splice(0)) resolve();
  }
}
