import { constants, openSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { CELL, newCells, type Watched } from './cells.js';
import { BEAT_EVERY_MS, countedMs, hasHung, nextSilenceMs } from './silence.rules.js';

const STDERR = 2;

/**
 * Watches the event loop of the process from a thread, which needs nothing of it: ends the process
 * when the loop has hung, or when a stop takes too long. The build bundles this module as a file of
 * its own.
 */
function watch({ cells, hangTimeoutMs }: Watched): void {
  let lookedMs = performance.now();
  let beats = Atomics.load(cells, CELL.beats);
  let silenceMs = 0;
  let stoppingMs = 0;
  for (;;) {
    Atomics.wait(cells, CELL.pause, 0, BEAT_EVERY_MS);
    const nowMs = performance.now();
    const elapsedMs = nowMs - lookedMs;
    const counted = Atomics.load(cells, CELL.beats);
    const hasBeaten = counted !== beats;
    const isDebugged = Atomics.load(cells, CELL.debugged) === 1;
    silenceMs = nextSilenceMs(silenceMs, { elapsedMs, hasBeaten, isDebugged });
    [lookedMs, beats] = [nowMs, counted];
    const stopMsMax = Atomics.load(cells, CELL.stopMsMax);
    if (stopMsMax > 0) stoppingMs += countedMs(elapsedMs);
    if (hasHung(silenceMs, hangTimeoutMs, true)) {
      end(`the event loop has been blocked for ${seconds(silenceMs)} (GW_HANG_TIMEOUT_MS)`);
      return;
    }
    if (stopMsMax > 0 && stoppingMs >= stopMsMax) {
      end(`the stop has taken ${seconds(stoppingMs)} (GW_DRAIN_TIMEOUT_MS)`);
      return;
    }
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** What the system takes at most to end a process. */
const KILL_MS_MAX = 1_000;

/** Ends the process by a signal that nothing in it has to handle. */
function end(reason: string): void {
  tell(`${reason}; the process ends itself with SIGKILL, to be started again`);
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(newCells(), CELL.pause, 0, KILL_MS_MAX);
  tell('Linux protects process 1 of a container from its own SIGKILL: run it under an init (tini)');
}

/** Opened anew it never blocks: the loop may hang because nobody reads what is written there. */
function tell(line: string): void {
  try {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK;
    writeSync(openSync(`/proc/self/fd/${STDERR}`, flags), `${line}\n`);
  } catch {
    tellPlainly(line);
  }
}

/** Sockets cannot be opened anew, and other systems than Linux have no such path. */
function tellPlainly(line: string): void {
  try {
    writeSync(STDERR, `${line}\n`);
  } catch {
    // A process that has nobody to tell has to end all the same.
  }
}

watch(workerData as Watched);
