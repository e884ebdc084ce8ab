// How long the disk takes to keep what was written.
import { closeSync, fdatasyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { summary } from './http1.mjs';

const FLUSHES = 200;
const PAGE = Buffer.alloc(8_192, 1);

/** Times of fdatasync after a page was appended to a file of this folder, in microseconds. */
export function flushTimes(folder) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'flushed');
  const file = openSync(path, 'w');
  const times = [];
  for (let each = 0; each < FLUSHES; each += 1) {
    writeSync(file, PAGE);
    const startedMs = performance.now();
    fdatasyncSync(file);
    times.push((performance.now() - startedMs) * 1_000);
  }
  closeSync(file);
  rmSync(path);
  return summary(times);
}
