import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcess } from '../../support/gateway-process.js';

/** How long a gateway took to say that it is alive, beside what it was sent. */
export interface Probe {
  /** The longest answer in milliseconds since the last call. */
  worstMs(): number;
  stop(): Promise<void>;
}

const EVERY_MS = 10;

/**
 * Asks `/livez` without a pause that a blocked event loop could hide in. An answer took at most as
 * long as the thread of the event loop has worked meanwhile: what others do on the machine is no
 * blocking.
 */
export function probe({ url, pid }: Pick<GatewayProcess, 'url' | 'pid'>): Probe {
  let worst = 0;
  let isRunning = true;
  const run = async () => {
    while (isRunning) {
      const startedMs = performance.now();
      const workedMs = threadMs(pid);
      // A connection that was closed while it was idle says nothing: the next try has its own.
      const { status } = await alive(url).catch(() => alive(url));
      if (status !== 200) throw new Error(`the gateway is not alive: ${status}`);
      const waitedMs = performance.now() - startedMs;
      worst = Math.max(worst, Math.min(waitedMs, threadMs(pid) - workedMs));
      await sleep(EVERY_MS);
    }
  };
  const ended = run();
  ended.catch(() => undefined);
  return {
    worstMs() {
      const said = worst;
      worst = 0;
      return said;
    },
    async stop() {
      isRunning = false;
      await ended;
    },
  };
}

/** How long the first thread of a process has run, in milliseconds. */
function threadMs(pid: number): number {
  try {
    const [ran = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(ran) / 1e6;
  } catch {
    // Elsewhere than on Linux the whole wait counts.
    return performance.now();
  }
}

function alive(url: string): Promise<Response> {
  return fetch(`${url}/livez`);
}
