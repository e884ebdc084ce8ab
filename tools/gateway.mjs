// The product as `tools/bundle.mjs` made it: one file of code, what V8 made of it, and the lines
// of the sources that it was made from.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { ROOT } from './project.mjs';

/** The code of the server with its packages. */
export const CODE = join(ROOT, 'dist', 'gateway.cjs');

/** The compiler of queries, which the code loads when it first needs Prisma. */
export const WASM = join(ROOT, 'dist', 'gateway.wasm');

/** What V8 had compiled of it after a rehearsal. Without it a start only takes longer. */
export const COMPILED = join(ROOT, 'dist', 'gateway.compiled');

/** Where the lines of the code come from: `sources`, and `runs` of lines as they stand there. */
export const LINES = join(ROOT, 'dist', 'gateway.lines.json');

const PLACE = new RegExp(`${CODE.replaceAll(/[^\w/]/g, '\\$&')}:(\\d+):\\d+`, 'g');

/**
 * Loads the product, which serves nothing yet.
 * @returns {{ gateway: typeof import('../src/app/main.js'), compiled: () => Buffer }} and what V8
 *   has compiled of it until then
 */
export function loadGateway() {
  const words = '(function (exports, require, module, __filename, __dirname) {';
  // Nothing but ASCII, which is read the faster for being taken as Latin-1.
  const text = `${words}${readFileSync(CODE, 'latin1')}\n})`;
  // Of another version of Node, or absent, it is ignored.
  const script = new Script(text, { filename: CODE, cachedData: readCompiled() });
  nameSourceLines();
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(CODE), module, CODE, dirname(CODE));
  return { gateway: module.exports, compiled: () => script.createCachedData() };
}

/** A checksum stands before it: V8 trusts what it compiled, and ends where a bit is wrong. */
const CHECKSUM_BYTES = 4;

/** Keeps what V8 has compiled; whoever starts meanwhile finds the old file or the new one. */
export function writeCompiled(compiled) {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(compiled));
  writeFileSync(`${COMPILED}.new`, Buffer.concat([checksum, compiled]));
  renameSync(`${COMPILED}.new`, COMPILED);
}

/** What V8 had compiled; undefined where that is absent or damaged. */
function readCompiled() {
  try {
    const file = readFileSync(COMPILED);
    const compiled = file.subarray(CHECKSUM_BYTES);
    return file.readUInt32LE() === crc32(compiled) ? compiled : undefined;
  } catch {
    return undefined;
  }
}

/** Stacks name lines of the sources. The table of lines is read when the first one is asked for. */
function nameSourceLines() {
  let lines;
  Error.prepareStackTrace = (error, calls) => {
    const stack = [String(error), ...calls].join('\n    at ');
    return stack.replace(PLACE, (place, line) => {
      lines ??= JSON.parse(readFileSync(LINES, 'utf8'));
      return sourceLine(lines, Number(line)) ?? place;
    });
  };
}

/** The run that a line is part of is the last one that does not begin after it. */
function sourceLine({ sources, runs }, line) {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle][0] <= line) low = middle + 1;
    else high = middle;
  }
  const run = runs[low - 1];
  if (!run) return undefined;
  const [first, source, sourceFirst] = run;
  return `${join(ROOT, sources[source])}:${sourceFirst + line - first}`;
}
