import type { Config } from '../../platform/config.js';
import { AskedCounters } from '../../platform/counters/asked.js';
import { causeOf } from '../failure.js';
import { isDebugged, watchLoop } from '../hangs/loop-watch.js';
import { BEAT_EVERY_MS } from '../hangs/silence.rules.js';
import { type RunningServer, startServer } from '../server.js';
import type { PrimaryMessage, SentSeat, WorkerMessage } from './messages.js';
import type { WorkerSeat } from './seat.js';

const FATAL = 1;

/** What a worker says to its primary, and is told by it. */
class Link {
  private seated: (seat: SentSeat) => void = () => {};
  private readonly wanted = new Map<number, (text: string) => void>();
  private last = 0;
  private readonly counters = new AskedCounters((calls) => say({ kind: 'counted', calls }));
  private ownFigures: () => Promise<string> = async () => '';

  constructor() {
    process.on('message', (message: PrimaryMessage) => this.heard(message));
    setInterval(() => say({ kind: 'beat', isDebugged: isDebugged() }), BEAT_EVERY_MS).unref();
  }

  /** What the primary gives this worker. */
  async seat(): Promise<WorkerSeat> {
    const sent = await new Promise<SentSeat>((resolve) => {
      this.seated = resolve;
      say({ kind: 'here' });
    });
    return { ...sent, counters: this.counters, figures: () => this.figures() };
  }

  /** The worker serves. */
  serving({ url, services }: RunningServer): void {
    this.ownFigures = () => services.metrics.text();
    say({ kind: 'serving', url });
  }

  private figures(): Promise<string> {
    this.last += 1;
    const id = this.last;
    say({ kind: 'figures_wanted', id });
    return new Promise((resolve) => this.wanted.set(id, resolve));
  }

  private heard(message: PrimaryMessage): void {
    if (message.kind === 'seat') this.seated(message.seat);
    else if (message.kind === 'answers') this.counters.answered(message.answers);
    else if (message.kind === 'own_figures_wanted') void this.tellOwnFigures(message.id);
    else {
      this.wanted.get(message.id)?.(message.text);
      this.wanted.delete(message.id);
    }
  }

  private async tellOwnFigures(id: number): Promise<void> {
    say({ kind: 'own_figures', id, text: await this.ownFigures() });
  }
}

/** A primary that is gone takes its workers along, so nobody waits for an answer in vain. */
function say(message: WorkerMessage, whenSaid: () => void = () => {}): void {
  process.send?.(message, undefined, undefined, whenSaid);
}

/**
 * Serves as one of several workers until the primary says that it is enough. A Ctrl-C reaches all
 * processes of a terminal; it is the primary who passes it on.
 */
export async function serveAsWorker(config: Config): Promise<void> {
  process.on('SIGINT', () => {});
  const link = new Link();
  let server: RunningServer;
  try {
    server = await startServer(config, await link.seat());
  } catch (error) {
    const reason = causeOf(error) ?? (error instanceof Error ? error.stack : undefined);
    say({ kind: 'failed', reason: reason ?? String(error) }, () => process.exit(FATAL));
    return;
  }
  let isStopping = false;
  process.on('SIGTERM', () => {
    if (isStopping) return;
    isStopping = true;
    server.stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(FATAL);
      },
    );
  });
  // The primary kills it earlier; a primary that is gone does not.
  watchLoop(config.GW_HANG_TIMEOUT_MS * 2, server.services.log);
  link.serving(server);
}
