import { createContext, Script } from 'node:vm';

/** Work that was stopped because it took too long or went too deep. It is no verdict. */
export class WorkStopped extends Error {
  readonly limitMs: number;

  constructor(what: string, limitMs: number) {
    super(what);
    this.limitMs = limitMs;
  }
}

const CALL = new Script('work()');
const ROOM = createContext({ work: (): unknown => undefined });

/** How often work is begun again that a busy machine has kept from its time. */
const RUNS_MAX = 4;

/**
 * Runs work that is stopped after a time, also in the middle of a loop. The time is that of the
 * processor: work that the machine gave less of it is begun again, so it must be repeatable.
 * @throws WorkStopped past the limit or the depth of the stack
 */
export function withinTime<T>(limitMs: number, work: () => T): T {
  ROOM.work = work;
  const before = process.cpuUsage();
  try {
    for (let run = 1; ; run += 1) {
      try {
        return CALL.runInContext(ROOM, { timeout: limitMs }) as T;
      } catch (thrown) {
        const isLate = (thrown as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
        if (thrown instanceof RangeError) throw new WorkStopped('went too deep', limitMs);
        if (!isLate) throw thrown;
        const { user, system } = process.cpuUsage(before);
        if (run < RUNS_MAX && user + system < limitMs * MICROSECONDS) continue;
        throw new WorkStopped(`took longer than ${limitMs} ms`, limitMs);
      }
    }
  } finally {
    ROOM.work = undefined;
  }
}

const MICROSECONDS = 1_000;
