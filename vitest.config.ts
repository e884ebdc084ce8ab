import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';
import { findChromium } from './tools/chromium.mjs';
import { findProgram } from './tools/find-program.mjs';
import { findMemoryFolder } from './tools/memory-folder.mjs';

const require = createRequire(import.meta.url);

const folder = process.env.TMPDIR ?? findMemoryFolder();
if (folder !== undefined) process.env.TMPDIR = folder;

/**
 * What starts or ends processes, is long, or needs modules of its own: each file in a process of
 * its own. They come first, so that a long one does not trail behind the others.
 */
const OWN_PROCESS = [
  'test/faults/**/*.test.ts',
  'test/platform/database/**/*.test.ts',
  'test/**/*.process.test.ts',
];

/**
 * Looks at the pages in a real browser. Where there is none they are no tests at all, since nothing
 * may be skipped where the whole is judged; `npm run look` fails there.
 */
const LOOKS = ['test/**/*.look.test.ts'];
const hasBrowser = findChromium() !== undefined;

/** The same of what asks the program of Prometheus (Debian: apt-get install prometheus). */
const PROMTOOLS = ['test/**/*.promtool.test.ts'];
const hasPromtool = findProgram('promtool') !== undefined;

/** And of what dumps and restores a database (Debian: apt-get install postgresql-client). */
const PGDUMPS = ['test/**/*.pgdump.test.ts'];
const hasPgDump = findProgram('pg_dump') !== undefined && findProgram('pg_restore') !== undefined;

/** What is a test only where the machine has something. */
const WHERE_POSSIBLE = [
  ...(hasBrowser ? LOOKS : []),
  ...(hasPromtool ? PROMTOOLS : []),
  ...(hasPgDump ? PGDUMPS : []),
];

// graphql 16 ships a CommonJS and an ES copy side by side. Vite would give one to our files while
// Node gives the other to Pothos and Yoga; one alias makes every importer share one realm.
const resolve = { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }] };

// Errors, ids and rights of every module are there in each test, as they are in the process.
const setupFiles = ['src/app/modules.ts'];

const limits = { setupFiles, testTimeout: 30_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    // Of the run as a whole: what extended it would start a PostgreSQL of its own.
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    experimental: { fsModuleCache: true },
    projects: [
      {
        resolve,
        test: {
          name: 'process',
          include: [...OWN_PROCESS, ...WHERE_POSSIBLE],
          ...limits,
        },
      },
      {
        resolve,
        test: {
          name: 'product',
          include: ['test/**/*.test.ts'],
          exclude: [...OWN_PROCESS, ...LOOKS, ...PROMTOOLS, ...PGDUMPS],
          // The product is loaded once for each worker, not for each file.
          isolate: false,
          ...limits,
        },
      },
    ],
  },
});
