import '../../src/app/modules.js';
import { PERMISSIONS } from '../../src/graph/permissions.js';
import { MODULES } from '../../src/graph/registration.js';
import { at, codeBelow } from './files.js';
import { EDGES, ORDER } from './import-rules.js';

const SOURCES = codeBelow('src');
const ROW = /^src\/(.+)\/module\.ts$/;
const ROWS = new Set(SOURCES.flatMap(({ path }) => ROW.exec(path)?.[1] ?? []));

/** Folders with a row that is not registered under the folder's name, or out of order. */
export function unlistedModules(): string[] {
  const places = [...MODULES.keys()].map((folder) => ORDER.indexOf(folder.split('/')[0] ?? ''));
  return [
    ...[...ROWS].filter((folder) => !MODULES.has(folder)).map((each) => `${each} is not listed`),
    ...[...MODULES.keys()].filter((each) => !ROWS.has(each)).map((each) => `${each} is no folder`),
    ...[...MODULES.keys()]
      .filter((_, at) => (places[at] ?? -1) < Math.max(0, ...places.slice(0, at)))
      .map((folder) => `${folder} comes too late`),
  ];
}

/** Imports of a module's row, or of the modules of a context, from anywhere but the list above. */
export function strayModules(): string[] {
  return EDGES.filter(({ from, to }) => {
    if (ROW.test(to)) return from.path !== `src/${to.split('/')[1]}/modules.ts`;
    const isList = /^src\/(?!app\/)\w+\/modules\.ts$/.test(to);
    return isList && from.path !== 'src/app/modules.ts';
  }).map(({ from, line, to }) => at(from, line, `imports ${to}`));
}

/** What the rows may read at once, so that all of them stand before the first module is loaded. */
const READ_BY_ROWS = /^src\/(graph\/(permissions|registration)|.+\/errors)\.ts$/;

/** Imports of rows that load more than the tables of the row. */
export function heavyRows(): string[] {
  return EDGES.filter(
    ({ from, to, loaded }) => ROW.test(from.path) && !loaded && !READ_BY_ROWS.test(to),
  ).map(({ from, line, to }) => at(from, line, `reads ${to}`));
}

/** Files that add to the schema and belong to no module. */
export function unregisteredSchemas(): string[] {
  return EDGES.filter(({ from, to, names }) => {
    const adds = to === 'src/graph/builder.ts' && names.includes('builder');
    return adds && /^src\/(?!app\/|graph\/)/.test(from.path) && !isOfModule(from.path);
  }).map(({ from, line }) => at(from, line, 'belongs to no module'));
}

function isOfModule(path: string): boolean {
  const folders = path.split('/').slice(1, -1);
  return folders.some((_, at) => ROWS.has(folders.slice(0, at + 1).join('/')));
}

/** Permissions that stand in a row and that nothing asks for. */
export function unaskedPermissions(): string[] {
  const asked = new Set(
    SOURCES.filter(({ path }) => !ROW.test(path)).flatMap(({ tokens }) =>
      tokens.filter(({ kind }) => kind === 'text').map(({ text }) => text),
    ),
  );
  return Object.keys(PERMISSIONS).filter((permission) => !asked.has(permission));
}
