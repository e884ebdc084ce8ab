import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { type Asker, StreamApart } from '../firewall/apart/apart.js';
import { atOnceMax } from '../firewall/apart/weight.js';
import type { FirewallOut } from '../firewall/inspect.js';
import type { Vault } from '../firewall/mask.js';
import { MaskingRewriter } from './stream-rewriter.js';

/** Bytes of an event that are not its text, about. */
const FRAME_BYTES = 512;
/** So many bytes beyond the frames of its events are rewritten here, of one stream. */
const DENSE_BYTES_MAX = 65_536;
/** And so many bytes in all: what is held back until the end is at most as much. */
const BYTES_MAX = 524_288;

/** What a rewriter of a stream works with. */
export interface Rewriting {
  readonly publicModel: string;
  readonly modes: FirewallModes;
  readonly vault: Vault;
  readonly asker: Asker;
}

/**
 * The rewriting of a stream that cannot hold the event loop, whatever its provider sends. An
 * ordinary one is rewritten as it comes; from where it is long, or few events bring much text, it
 * is rewritten apart. Both write the same.
 */
export class RewrittenStream {
  private readonly here: MaskingRewriter;
  private before: Buffer[] = [];
  private bytes = 0;
  private dense = 0;
  private apart: StreamApart | undefined;
  private seen: FirewallOut | undefined;

  constructor(private readonly rewriting: Rewriting) {
    const { publicModel, modes, vault } = rewriting;
    this.here = new MaskingRewriter(publicModel, modes, vault);
  }

  /** Events as they may be written now; empty when all of it waits. */
  push(events: Buffer, count: number): Buffer | Promise<Buffer> {
    this.bytes += events.length;
    this.dense += Math.max(0, events.length - count * FRAME_BYTES);
    if (this.isHere()) {
      this.before.push(events);
      return this.here.push(events);
    }
    this.apart ??= this.goneApart();
    return this.apart.push(events);
  }

  private isHere(): boolean {
    const isLight = this.dense <= DENSE_BYTES_MAX && this.bytes <= BYTES_MAX;
    return this.apart === undefined && isLight && atOnceMax(this.rewriting.modes) > 0;
  }

  private goneApart(): StreamApart {
    const { publicModel, modes, vault, asker } = this.rewriting;
    const { before } = this;
    this.before = [];
    return new StreamApart(publicModel, modes, vault, asker, before);
  }

  /** What was held back; the stream has ended. */
  async flush(): Promise<Buffer> {
    if (!this.apart) return this.here.flush();
    const { events, found } = await this.apart.flush();
    this.seen = found;
    return events;
  }

  /** What was found on the way, once it has been flushed. */
  found(): FirewallOut {
    return this.seen ?? this.here.found();
  }

  /** Nothing more is asked of it. */
  end(): void {
    this.apart?.forget();
  }
}
