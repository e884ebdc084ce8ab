// The provider that every target calls: one process that answers at once with prepared bytes.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { exists, LOAD_CORE, spawnAt, tell, untilOpen } from './machine.mjs';

const PORT = 19_900;
const HERE = import.meta.dirname;

/** Where the upstream serves. */
export const UPSTREAM = { port: PORT, url: `http://127.0.0.1:${PORT}` };

/** Starts the upstream. @returns its process */
export async function startUpstream(work, events) {
  const command = [...program(work), '--port', String(PORT), '--chunks', String(events)];
  const child = spawnAt(LOAD_CORE, command, { stdio: 'ignore' });
  await untilOpen(PORT, 5_000);
  return child;
}

function program(work) {
  const binary = join(work, 'mock');
  const source = join(HERE, '../mock/mock.c');
  const isFresh = existsSync(binary) && statSync(binary).mtimeMs > statSync(source).mtimeMs;
  if (!isFresh && exists('cc', ['--version'])) {
    execFileSync('cc', ['-O2', '-o', binary, source], { stdio: 'pipe' });
  }
  if (existsSync(binary)) return [binary];
  tell(
    'There is no C compiler (apt-get install gcc): the upstream runs on Node, at twice the CPU.',
  );
  return [process.execPath, join(HERE, '../mock/mock.mjs')];
}

/** Sets the time between the events of a stream; 0 for all at once. */
export async function setGap(gapUs, events) {
  const settings = new URLSearchParams({ gap_us: String(gapUs), chunks: String(events) });
  const response = await fetch(`${UPSTREAM.url}/__mock?${settings}`, { method: 'POST' });
  await response.arrayBuffer();
}
