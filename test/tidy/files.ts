import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { type Token, tokensOf } from './lexer.js';

/** A file of the repository, read once. */
export interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  /** Empty for what is not code. */
  readonly tokens: readonly Token[];
}

const NOT_OURS = new Set(
  'node_modules dist data coverage .git .cache src/generated bench/out package-lock.json'.split(
    ' ',
  ),
);
const IS_CODE = /\.m?[jt]s$/;
const IS_TEXT = /\.(m?[jt]s|graphql|prisma|sql|json|md|tsv|csv|ya?ml|html|css|txt|toml|sh)$/;

/** Every text file that people wrote, in the order of their paths. */
export const FILES: readonly SourceFile[] = filesBelow(projectRoot()).map(readSource);

/** The files of code below one of the folders. */
export function codeBelow(...folders: string[]): SourceFile[] {
  return FILES.filter(
    ({ path }) => IS_CODE.test(path) && folders.some((folder) => path.startsWith(`${folder}/`)),
  );
}

/** The text of a file, by its path from the root. */
export function readText(path: string): string {
  return readFileSync(join(projectRoot(), path), 'utf8');
}

/** A breach of a rule, as it is shown. */
export function at(file: SourceFile, line: number, what: string): string {
  return `${file.path}:${line} ${what}`;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = join(folder, entry.name);
    if (NOT_OURS.has(pathOf(full))) return [];
    if (entry.isDirectory()) return filesBelow(full);
    return entry.isFile() && IS_TEXT.test(entry.name) ? [pathOf(full)] : [];
  });
}

function pathOf(full: string): string {
  return relative(projectRoot(), full).split(sep).join('/');
}

function readSource(path: string): SourceFile {
  const text = readText(path);
  return { path, text, lines: text.split('\n'), tokens: IS_CODE.test(path) ? tokensOf(text) : [] };
}
