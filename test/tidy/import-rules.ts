import { at, codeBelow, FILES, type SourceFile } from './files.js';
import {
  type ExportedName,
  exportsOf,
  type ImportLine,
  importsOf,
  resolveImport,
} from './modules.js';

/** The contexts, lowest first: each may import those before it. */
export const ORDER = [
  'kernel',
  'platform',
  'graph',
  'records',
  'money',
  'access',
  'catalog',
  'pricing',
  'finops',
  'prompts',
  'routing',
  'inference',
  'actions',
  'delivery',
  'growth',
  'assurance',
  'app',
];

/** Files that something outside the code starts. */
const ENTRY = /^((tools|bench)\/|test\/.*\.test\.ts|[^/]*\.config\.ts)/;

/** Files that a tool names as a string, so that no import shows them. */
const STARTED_BY_NAME = new Map([
  ['src/app/main.ts', 'the build bundles it, and the tools call what it exports'],
  ['src/app/hangs/watching-thread.ts', 'the build bundles it, and the process starts it'],
  [
    'src/inference/firewall/apart/scanning-thread.ts',
    'the build bundles it, and the process starts it',
  ],
  ['test/support/global-setup.ts', 'vitest.config.ts names it'],
  ['test/rest-compat/generated-client/make-client.mjs', 'a test runs it as a process'],
  ['test/support/blocked-loop.mjs', 'a test loads it into the gateways that it starts'],
  ['test/support/shifted-clock.mjs', 'a test loads it into the gateways that it starts'],
  ['src/app/pages/browser/beacon.js', 'pages of the operator load it'],
  ['src/app/pages/browser/cockpit.js', 'the page of the cockpit loads it'],
  ['src/app/pages/browser/copy.js', 'every page of text loads it'],
  ['src/app/pages/browser/explorer.js', 'the page of the explorer loads it'],
  ['src/app/pages/browser/reset.js', 'the page for a new password loads it'],
  ['src/app/pages/browser/reference.js', 'the page of the API reference loads it'],
]);

const LATER = 'groups that are not served yet build on it';

/**
 * What only tests need so far, each with the reason to keep it: a file with all that it exports, or
 * one exported name of a file.
 */
const KEPT = new Map([
  ['src/records/contracts.ts contractHistory', LATER],
  ['src/records/journals.ts countByValue', LATER],
  ['src/records/feed.ts readFeed', LATER],
  ['src/kernel/language/negotiator.d.ts default', 'the package is imported by its own name'],
  ['src/graph/argument-guard.ts ArgumentGuardPlugin', 'the declaration of the plugin names it'],
]);

interface Edge extends ImportLine {
  readonly from: SourceFile;
  /** The path of the imported file. */
  readonly to: string;
  /** True where the row of a module loads a file for what it does: it needs none of its names. */
  readonly loaded: boolean;
}

const CODE = [
  ...codeBelow('src', 'rest-compat', 'test', 'tools', 'bench'),
  ...FILES.filter(({ path }) => /^[^/]*\.config\.ts$/.test(path)),
];

/** Every import of a file by another one. */
export const EDGES: readonly Edge[] = CODE.flatMap((from) =>
  importsOf(from.tokens).flatMap((line) => {
    const to = resolveImport(from.path, line.specifier);
    const loaded = from.path.endsWith('/module.ts') && line.names.includes('*');
    return to === undefined ? [] : [{ ...line, names: loaded ? [] : line.names, from, to, loaded }];
  }),
);

/** Imports that go up, or sideways out of what a folder may know. */
export function wrongImports(): string[] {
  return EDGES.filter((edge) => !isAllowed(edge)).map((edge) =>
    at(edge.from, edge.line, `imports ${edge.to}`),
  );
}

function isAllowed(edge: Edge): boolean {
  const [fromRoot, fromContext = ''] = edge.from.path.split('/');
  const [toRoot, toContext = ''] = edge.to.split('/');
  if (fromRoot !== 'src' && fromRoot !== 'rest-compat') return true;
  if (fromRoot === toRoot && fromContext === toContext) return true;
  if (toRoot === 'src' && toContext === 'generated') return true;
  if (fromRoot === 'rest-compat') {
    const isCtx = edge.to === 'src/graph/ctx.ts' && edge.typeOnly;
    return toRoot === 'rest-compat' || (toRoot === 'src' && toContext === 'kernel') || isCtx;
  }
  if (toRoot === 'rest-compat') return fromContext === 'app';
  const isKnown = ORDER.includes(fromContext) && ORDER.includes(toContext);
  return toRoot === 'src' && isKnown && ORDER.indexOf(toContext) < ORDER.indexOf(fromContext);
}

/** Packages whose dangers one place knows: everybody else goes through that place. */
const ROOMS: readonly (readonly [string, string])[] = [
  ['ajv', 'src/kernel/json-schema/'],
  ['ajv-formats', 'src/kernel/json-schema/'],
  ['re2js', 'src/kernel/'],
  ['node:vm', 'src/kernel/json-schema/within-time.ts'],
];

/** Imports of such a package from elsewhere. */
export function importsPastARoom(): string[] {
  return codeBelow('src', 'rest-compat').flatMap((from) =>
    importsOf(from.tokens).flatMap(({ specifier, line }) =>
      ROOMS.filter(
        ([name, room]) =>
          (specifier === name || specifier.startsWith(`${name}/`)) && !from.path.startsWith(room),
      ).map(([name, room]) => at(from, line, `imports ${name}, which belongs to ${room}`)),
    ),
  );
}

/** Imports of files that do not exist. */
export function brokenImports(): string[] {
  const paths = new Set(CODE.map(({ path }) => path));
  return EDGES.filter(({ to }) => !paths.has(to) && !/^(src\/generated|dist)\//.test(to)).map(
    (edge) => at(edge.from, edge.line, `imports ${edge.to}, which is not there`),
  );
}

/** Circles of files that import each other, each circle once. */
export function importCircles(): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of EDGES) targets.set(from.path, [...(targets.get(from.path) ?? []), to]);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path);
    if (start >= 0) circles.push([...trail.slice(start), path].join(' -> '));
    if (start >= 0 || done.has(path)) return;
    for (const to of targets.get(path) ?? []) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return circles;
}

/**
 * Files that no other file needs. What only tests import is not needed by the product. Since
 * there are no circles, what is left can be reached from the program's entry points. A file that
 * adds to the types of another one (`declare module`) is read by the compiler, not imported.
 */
export function unusedFiles(): string[] {
  return filesWithoutImporter().filter((path) => !KEPT.has(path));
}

/** The imports of each file, by its path. */
const IMPORTERS = new Map<string, Edge[]>();
for (const edge of EDGES) {
  const known = IMPORTERS.get(edge.to);
  if (known) known.push(edge);
  else IMPORTERS.set(edge.to, [edge]);
}

function importersOf(path: string): readonly Edge[] {
  return IMPORTERS.get(path) ?? [];
}

function filesWithoutImporter(): string[] {
  return CODE.filter(({ path, text }) => {
    if (ENTRY.test(path) || STARTED_BY_NAME.has(path) || /^declare module /m.test(text)) {
      return false;
    }
    const implementation = path.replace(/\.d\.mts$/, '.mjs');
    const importers = new Set([path, implementation].flatMap(importersOf));
    return ![...importers].some(({ from }) => isNeed(from.path, path));
  }).map(({ path }) => path);
}

/** Exported names that no other file needs. */
export function unusedExports(): string[] {
  return CODE.filter(({ path }) => !KEPT.has(path)).flatMap((file) =>
    exportsWithoutImporter(file)
      .filter(({ name }) => !KEPT.has(`${file.path} ${name}`))
      .map(({ name, line }) => at(file, line, `exports ${name}`)),
  );
}

/**
 * A name is needed when another file of the product imports it, or when its own file uses it and
 * a test looks at it from close by. A type may also serve the other exports of its own file.
 */
function exportsWithoutImporter(file: SourceFile): ExportedName[] {
  if (STARTED_BY_NAME.has(file.path) || /\.d\.mts$/.test(file.path)) return [];
  const isStarted = ENTRY.test(file.path);
  const importers = importersOf(file.path);
  const namesIn = (edges: readonly Edge[]) => new Set(edges.flatMap(({ names }) => names));
  const needed = namesIn(importers.filter(({ from }) => isNeed(from.path, file.path)));
  const tested = namesIn(importers);
  if (needed.has('*')) return [];
  return exportsOf(file.tokens).filter(({ name, isType }) => {
    if (isStarted && name === 'default') return false;
    const mentions = file.tokens.filter(({ kind, text }) => kind === 'word' && text === name);
    const isUsedHere = mentions.length > 1;
    return !needed.has(name) && !(isUsedHere && (isType || tested.has(name)));
  });
}

/** Exceptions that are not needed any more. */
export function staleExceptions(): string[] {
  const files = new Set(filesWithoutImporter());
  const names = new Set(
    CODE.flatMap((file) => exportsWithoutImporter(file).map(({ name }) => `${file.path} ${name}`)),
  );
  return [...KEPT.keys()].filter((key) => !files.has(key) && !names.has(key));
}

/** Files that only pass on what others define. */
export function barrels(): string[] {
  return CODE.flatMap((file) =>
    importsOf(file.tokens)
      .filter(({ reExport }) => reExport)
      .map(({ line, specifier }) => at(file, line, `passes on ${specifier}`)),
  );
}

/** Vocabularies whose constants neither the schema nor a rule reads. */
export function unregisteredVocabularies(): string[] {
  return CODE.filter(({ path }) => /^src\/.*\/vocabulary\.ts$/.test(path))
    .filter(({ path }) => path !== 'src/kernel/vocabulary.ts')
    .filter(({ path, tokens }) => {
      const constants = exportsOf(tokens).filter(({ isType }) => !isType);
      const readers = EDGES.filter(
        ({ from, to }) =>
          to === path && /(^|[./-])(schema|rules|reference|tables)\.ts$/.test(from.path),
      );
      return !constants.some(({ name }) => readers.some(({ names }) => names.includes(name)));
    })
    .map(({ path }) => path);
}

/** Product code is needed by product code; test support by tests. */
function isNeed(importer: string, imported: string): boolean {
  return imported.startsWith('test/') || !importer.startsWith('test/');
}
