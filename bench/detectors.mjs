#!/usr/bin/env node
// What the firewall costs to read a request, by kind of text, side by side with other checkouts of
// this repository. README.md tells what is measured.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { tell } from './lib/machine.mjs';

const ROOT = join(import.meta.dirname, '..');
const CORPUS = join(ROOT, 'test', 'inference', 'firewall', 'corpus');

const { values: options } = parseArgs({
  options: {
    bytes: { type: 'string', default: '65536' },
    rounds: { type: 'string', default: '41' },
    before: { type: 'string', multiple: true, default: [] },
  },
});
const bytes = Number(options.bytes);

/** How a checkout reads the body of a request. */
async function reader(checkout, index) {
  const input = join(checkout, 'src', 'inference', 'firewall', 'inspect.ts');
  const modes = join(checkout, 'src', 'kernel', 'firewall', 'vocabulary.ts');
  const bundle = await rolldown({
    input: { inspect: input, vocabulary: modes },
    cwd: checkout,
    platform: 'node',
  });
  // Inside of the checkout, as the data files are found from there.
  const folder = join(checkout, 'dist', `bench-detectors-${process.pid}-${index}`);
  mkdirSync(folder, { recursive: true });
  try {
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' });
    const load = (name) => import(pathToFileURL(join(folder, `${name}.mjs`)).href);
    const [{ inspectRequest }, { DEFAULT_MODES }] = [
      await load('inspect'),
      await load('vocabulary'),
    ];
    return (body) => inspectRequest(body, DEFAULT_MODES);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A text of so many bytes, as a body brings it. */
function filled(text) {
  const long = text.repeat(Math.ceil(bytes / Buffer.byteLength(text)));
  return JSON.parse(JSON.stringify(Buffer.from(long).subarray(0, bytes).toString()));
}

function sources() {
  const folder = join(ROOT, 'src', 'money', 'ledger');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

const asked = (content) => ({ model: 'm', messages: [{ role: 'user', content }] });

/** What a body has of each kind of text. */
function bodies() {
  const documents = ['ARCHITECTURE.md', 'OPERATIONS.md', 'CONTRIBUTING.md', 'SECURITY.md']
    .map((name) => readFileSync(join(ROOT, name), 'utf8'))
    .join('\n');
  const lines = readFileSync(join(CORPUS, 'harmless.jsonl'), 'utf8').trim().split('\n');
  const said = lines.map((line) => JSON.parse(line).text);
  const russian = said.filter((text) => /[а-я]/.test(text));
  const prose = russian.filter((text) => !/\d{4}/.test(text));
  const short = said.filter((text) => text.length <= 120);
  const messages = Array.from({ length: 400 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: short[index % short.length],
  }));
  const calm = prose.flatMap((text) => text.match(/[^.!?]{12,100}[.!?]/g) ?? []);
  return {
    'English prose': asked(filled(documents.match(/[A-Z][a-z]+(?: [a-z,]+){5,}\./g).join(' '))),
    'documents with code': asked(filled(documents)),
    'Russian prose': asked(filled(prose.join('\n'))),
    'Russian business texts': asked(filled(russian.join('\n'))),
    'source code': asked(filled(sources())),
    JSON: asked(filled(readFileSync(join(ROOT, 'package-lock.json'), 'utf8').slice(20_000))),
    'short messages of business': { model: 'm', messages },
    'short messages': {
      model: 'm',
      messages: messages.map(({ role }, index) => ({ role, content: calm[index % calm.length] })),
    },
  };
}

function cpuMicros(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const median = (values) => values.toSorted((left, right) => left - right)[values.length >> 1];

const TIMES = 8;
const WARM_ROUNDS = 6;

async function main() {
  const checkouts = [ROOT, ...options.before.map((folder) => resolve(folder))];
  const readers = [];
  for (const [index, checkout] of checkouts.entries()) {
    readers.push(await reader(checkout, index));
  }
  const given = Object.entries(bodies()).map(([name, body]) => ({
    name,
    body,
    micros: checkouts.map(() => []),
  }));
  const rounds = Number(options.rounds);
  for (let round = -WARM_ROUNDS; round < rounds; round += 1) {
    for (const { body, micros } of given) {
      for (const index of round % 2 === 0 ? readers.keys() : [...readers.keys()].reverse()) {
        const spent = cpuMicros(() => {
          for (let time = 0; time < TIMES; time += 1) readers[index](body);
        });
        if (round >= 0) micros[index].push(spent / TIMES);
      }
    }
  }
  tell(`CPU of reading one request, medians of ${rounds} rounds that take turns, in µs:`);
  for (const { name, micros } of given) {
    const [own = [], ...others] = micros;
    const ratios = others.map((before, index) => {
      const ratio = median(own.map((micro, round) => micro / before[round]));
      return `${median(before).toFixed(0)} in ${options.before[index]} (ratio ${ratio.toFixed(2)})`;
    });
    tell(`${name}: ${[median(own).toFixed(0), ...ratios].join('; ')}`);
  }
}

await main();
