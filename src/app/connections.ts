import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A client that has opened a connection says something within this time. */
const SILENT_MS_MAX = 10_000;
/** A reader takes something of what waits for it within this time. */
const STALLED_MS_MAX = 30_000;
const LOOK_EVERY_MS = 5_000;

interface Watched {
  readonly openedMs: number;
  /** How much the reader had taken, and since when nothing more; absent while nothing waits. */
  stand: { readonly taken: string; readonly sinceMs: number } | undefined;
}

/**
 * The connections of a server, of HTTP and of sockets alike. One on which nothing was ever sent is
 * closed after 10 s. One whose reader takes nothing of what waits for it is ended after 30 s, and
 * what it held is settled as for any client that leaves; one that takes little at a time is not.
 */
export class Connections {
  private readonly open = new Map<Socket, Watched>();
  private timer: NodeJS.Timeout | undefined;

  /** @param nowMs a monotonic clock in milliseconds */
  constructor(
    server: Server,
    public nowMs: () => number = () => performance.now(),
  ) {
    server.on('connection', (socket: Socket) => this.add(socket));
  }

  /** How many there are. */
  get size(): number {
    return this.open.size;
  }

  /** How many of their readers have something to take. */
  get unread(): number {
    return [...this.open.keys()].filter(({ writableLength }) => writableLength > 0).length;
  }

  /** Closes those that have never sent a byte: for Node they are not idle, and it would wait. */
  closeSilent(): void {
    for (const socket of this.open.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Ends what has been silent, or not been read, for too long. */
  look(): void {
    const nowMs = this.nowMs();
    for (const [socket, watched] of this.open) {
      const isSilent = socket.bytesRead === 0 && nowMs - watched.openedMs >= SILENT_MS_MAX;
      if (isSilent || this.isStalled(socket, watched, nowMs)) socket.destroy();
    }
  }

  private isStalled(socket: Socket, watched: Watched, nowMs: number): boolean {
    if (socket.writableLength === 0) {
      watched.stand = undefined;
      return false;
    }
    const taken = takenOf(socket);
    if (watched.stand?.taken !== taken) watched.stand = { taken, sinceMs: nowMs };
    return nowMs - watched.stand.sinceMs >= STALLED_MS_MAX;
  }

  private add(socket: Socket): void {
    // One that is read anew after an offered upgrade is the same connection.
    if (this.open.has(socket)) return;
    this.open.set(socket, { openedMs: this.nowMs(), stand: undefined });
    this.timer ??= setInterval(() => this.look(), LOOK_EVERY_MS).unref();
    socket.once('close', () => {
      this.open.delete(socket);
      if (this.open.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    });
  }
}

/**
 * How far a reader has come: what was written and is not in our hands any more, and how much of the
 * write under way the system has not taken yet. Pings that are queued behind it change neither.
 */
function takenOf(socket: Socket): string {
  const { _handle: handle } = socket as { _handle?: { readonly writeQueueSize?: number } };
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize ?? 0}`;
}
