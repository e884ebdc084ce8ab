import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Behaviour, Received } from './upstream-double.mjs';

/** The double as its own process, for tests whose load must not share this one's event loop. */
export interface SpawnedDouble {
  readonly origin: string;
  script(lane: string, ...behaviours: readonly Behaviour[]): Promise<void>;
  received(lane: string): Promise<readonly Received[]>;
  close(): Promise<void>;
}

const FILE = fileURLToPath(new URL('./upstream-double.mjs', import.meta.url));

/** Starts the double as a process of its own. */
export async function spawnUpstreamDouble(): Promise<SpawnedDouble> {
  const child = spawn(process.execPath, [FILE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { origin } = await announced(child);
  return {
    origin,
    script: async (lane, ...behaviours) => {
      await fetch(`${origin}/control/${lane}`, {
        method: 'POST',
        body: JSON.stringify(behaviours),
      });
    },
    received: async (lane) => {
      const answer = await fetch(`${origin}/control/log`);
      const log = (await answer.json()) as Received[];
      return log.filter((entry) => entry.lane === lane);
    },
    close: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function announced(child: ChildProcess): Promise<{ origin: string }> {
  if (!child.stdout) throw new Error('the double has no output');
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error('the double ended before it announced its address');
}
