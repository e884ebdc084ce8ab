import { url as inspectorUrl } from 'node:inspector';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { CELL, newCells, type Watched } from './cells.js';
import { BEAT_EVERY_MS } from './silence.rules.js';

/** What `tools/bundle.mjs` makes of watching-thread.ts, beside the product. */
const THREAD = 'gateway.watch.cjs';

/** True while a debugger is attached, which may hold the event loop for as long as it likes. */
export function isDebugged(): boolean {
  return inspectorUrl() !== undefined;
}

/** The watch over the event loop of this process. */
export interface LoopWatch {
  /** The stop that begins now is ended after these milliseconds, whatever the event loop does. */
  endWithin(ms: number): void;
}

/**
 * Has the event loop of this process watched by a thread, for as long as the process lives: one
 * that has been blocked for the timeout is ended by SIGKILL, after a line on standard error.
 */
export function watchLoop(hangTimeoutMs: number, log: Logger): LoopWatch {
  const cells = newCells();
  const beat = () => {
    Atomics.store(cells, CELL.debugged, isDebugged() ? 1 : 0);
    Atomics.add(cells, CELL.beats, 1);
  };
  const workerData: Watched = { cells, hangTimeoutMs };
  // Without the options of the process: what is loaded into it is not meant for the thread.
  const thread = new Worker(join(import.meta.dirname, THREAD), {
    workerData,
    env: {},
    execArgv: [],
  });
  thread.unref();
  thread.on('error', (error) => log.error({ err: error }, 'the event loop is no longer watched'));
  beat();
  setInterval(beat, BEAT_EVERY_MS).unref();
  return { endWithin: (ms) => void Atomics.store(cells, CELL.stopMsMax, ms) };
}
