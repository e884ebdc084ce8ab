import { setTimeout as sleep } from 'node:timers/promises';

/** How long a gateway took to say that it is alive, beside what it was sent. */
export interface Probe {
  /** The longest answer in milliseconds since the last call. */
  worstMs(): number;
  stop(): Promise<void>;
}

const EVERY_MS = 10;

/** Asks `/livez` without a pause that a blocked event loop could hide in. */
export function probe(url: string): Probe {
  let worst = 0;
  let isRunning = true;
  const run = async () => {
    while (isRunning) {
      const startedMs = performance.now();
      // A connection that was closed while it was idle says nothing: the next try has its own.
      const { status } = await alive(url).catch(() => alive(url));
      if (status !== 200) throw new Error(`the gateway is not alive: ${status}`);
      worst = Math.max(worst, performance.now() - startedMs);
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

function alive(url: string): Promise<Response> {
  return fetch(`${url}/livez`);
}
