#!/usr/bin/env node
// The firewall's first pass over long texts, in script and in vectors, side by side. README.md
// tells what is measured.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { tell } from './lib/machine.mjs';

const ROOT = join(import.meta.dirname, '..');
const FIREWALL = join(ROOT, 'src', 'inference', 'firewall');
const CORPUS = join(ROOT, 'test', 'inference', 'firewall', 'corpus');

const { values: options } = parseArgs({
  options: {
    bytes: { type: 'string', default: '204800' },
    rounds: { type: 'string', default: '31' },
  },
});
const bytes = Number(options.bytes);

/** Both passes as a module of JavaScript. */
async function passes() {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-firewall-'));
  const input = join(folder, 'passes.ts');
  const lines = [
    ['openBlocks', 'prefilter/in-blocks.ts'],
    ['signalsInScript', 'prefilter/in-script.ts'],
  ].map(([name, file]) => `export { ${name} } from ${JSON.stringify(join(FIREWALL, file))};`);
  writeFileSync(input, lines.join('\n'));
  const bundle = await rolldown({ input, cwd: ROOT, platform: 'node' });
  // Inside of the project, as the data files are found from there.
  const file = join(ROOT, 'dist', `bench-firewall-${process.pid}.mjs`);
  try {
    await bundle.write({ file, format: 'esm' });
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file, { force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A text as a body brings it, of so many bytes and of one piece. */
function filled(text) {
  const long = text.repeat(Math.ceil(bytes / Buffer.byteLength(text)));
  const cut = Buffer.from(long).subarray(0, bytes).toString().replace(/�+$/, '');
  return JSON.parse(JSON.stringify(cut));
}

function texts() {
  const documents = readdirSync(ROOT)
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(ROOT, name), 'utf8'))
    .join('\n');
  const lines = readFileSync(join(CORPUS, 'harmless.jsonl'), 'utf8').trim().split('\n');
  const russian = lines.map((line) => JSON.parse(line).text).filter((text) => /[а-я]/.test(text));
  return {
    English: documents.match(/[A-Z][a-z]+(?: [a-z,]+){5,}\./g).join(' '),
    documents,
    Russian: russian.join('\n'),
  };
}

function cpuMicros(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const median = (values) => values.toSorted((left, right) => left - right)[values.length >> 1];

const TIMES = 20;

async function main() {
  const { openBlocks, signalsInScript } = await passes();
  const inBlocks = openBlocks();
  if (!inBlocks) throw new Error('this machine runs no vectors of WebAssembly');
  const given = Object.entries(texts()).map(([name, text]) => ({
    name,
    text: filled(text),
    script: [],
    vectors: [],
    ratios: [],
  }));
  const rounds = Number(options.rounds);
  for (let round = -3; round < rounds; round += 1) {
    for (const { text, script, vectors, ratios } of given) {
      const repeat = (pass) => () => {
        for (let time = 0; time < TIMES; time += 1) pass(text);
      };
      const before = cpuMicros(repeat(signalsInScript)) / TIMES;
      const now = cpuMicros(repeat(inBlocks)) / TIMES;
      if (round < 0) continue;
      script.push(before);
      vectors.push(now);
      ratios.push(now / before);
    }
  }
  tell(`CPU of the first pass over ${bytes} bytes, medians of ${rounds} rounds that take turns:`);
  for (const { name, script, vectors, ratios } of given) {
    const [before, now] = [script, vectors].map((values) => median(values).toFixed(0));
    tell(
      `${name}: ${before} µs in script, ${now} µs in vectors; ratio ${median(ratios).toFixed(2)}`,
    );
  }
}

await main();
