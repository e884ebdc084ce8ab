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

/**
 * Runs work that is stopped after a time, also in the middle of a loop.
 * @throws WorkStopped past the limit or the depth of the stack
 */
export function withinTime<T>(limitMs: number, work: () => T): T {
  ROOM.work = work;
  try {
    return CALL.runInContext(ROOM, { timeout: limitMs }) as T;
  } catch (thrown) {
    const isLate = (thrown as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    if (isLate) throw new WorkStopped(`took longer than ${limitMs} ms`, limitMs);
    if (thrown instanceof RangeError) throw new WorkStopped('went too deep', limitMs);
    throw thrown;
  } finally {
    ROOM.work = undefined;
  }
}
