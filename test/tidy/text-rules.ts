import { posix } from 'node:path';
import { at, codeBelow, FILES, type SourceFile } from './files.js';
import { functionsOf } from './functions.js';
import { endsValue, type Token } from './lexer.js';

const CODE = codeBelow('src', 'rest-compat', 'test', 'tools', 'bench');
const FILE_LINES_MAX = 350;
const FUNCTION_LINES_MAX = 70;
const CODE_COLUMNS_MAX = 100;
const ROUTE_COLUMNS_MAX = 160;

/** What stands before a type. A value named `any` may follow some of these only with a colon. */
const TYPE_FOLLOWS = new Set([':', '<', '|', '&', '=>', 'as', 'is', 'extends', 'satisfies']);

/** Files of code with too many lines. */
export function longFiles(): string[] {
  return CODE.flatMap((file) => {
    const count = file.lines.length - (file.text.endsWith('\n') ? 1 : 0);
    return count > FILE_LINES_MAX ? [at(file, count, 'is the last line')] : [];
  });
}

/** Functions with too many lines. */
export function longFunctions(): string[] {
  return CODE.flatMap((file) =>
    functionsOf(file.tokens)
      .filter(({ lineCount }) => lineCount > FUNCTION_LINES_MAX)
      .map(({ name, line, lineCount }) => at(file, line, `${name} has ${lineCount} lines`)),
  );
}

/** Lines with too many columns. An address cannot be broken, so its line may be long. */
export function longLines(): string[] {
  const routes = FILES.filter(({ path }) => /^rest-compat\/.*\.graphql$/.test(path));
  const over = (file: SourceFile, columnsMax: number) =>
    file.lines.flatMap((line, index) => {
      const columns = [...line].length;
      const isLong = columns > columnsMax && !/\w:\/\/\S/.test(line);
      return isLong ? [at(file, index + 1, `has ${columns} columns`)] : [];
    });
  return [
    ...CODE.flatMap((file) => over(file, CODE_COLUMNS_MAX)),
    ...routes.flatMap((file) => over(file, ROUTE_COLUMNS_MAX)),
  ];
}

/** Places where the type check is switched off. */
export function looseTypes(): string[] {
  return CODE.flatMap((file) => [
    ...file.tokens.flatMap((token, index) => {
      const previous = file.tokens[index - 1];
      const next = file.tokens[index + 1];
      const isAny = token.kind === 'word' && token.text === 'any' && isType(previous, next);
      if (isAny) return [at(file, token.line, 'has the type any')];
      const isMark = token.kind === 'mark' && token.text === '!';
      const isAssertion = isMark && endsValue(previous) && previous?.line === token.line;
      return isAssertion ? [at(file, token.line, 'asserts that a value is not null')] : [];
    }),
    ...matchingLines(file, /@ts-(ignore|nocheck|expect-error)/, 'switches the type check off'),
  ]);
}

function isType(previous: Token | undefined, next: Token | undefined): boolean {
  if (next?.text === ':' || next?.text === '(') return false;
  const before = previous?.text ?? '';
  return TYPE_FOLLOWS.has(before) || (before === ',' && next?.text === '>');
}

/** Names that say nothing about what a file holds. */
export function emptyNames(): string[] {
  return CODE.filter(({ path }) =>
    /^(index|utils?|helpers?|types?|manager|misc|common)\b/.test(posix.basename(path)),
  ).map(({ path }) => path);
}

/** Words that belong to the making of the code, not to the code. */
export function workTraces(): string[] {
  const machinePath = /(^|[^\w.:/-])\/(work|tmp\/brief|home\/\w+|Users\/\w+)\//;
  const packageHost = /:\/\/[\w.-]*(npm[j]s|registr[y]|artifactor[y]|nexu[s]|mirro[r])[\w-]*[.:]/;
  const unfinished = /\b(TO[D]O|FIX[M]E|XX[X])\b/;
  return FILES.flatMap((file) => [
    ...matchingLines(file, machinePath, 'names a folder of one machine'),
    ...matchingLines(file, unfinished, 'says that something is unfinished'),
    ...matchingLines(file, packageHost, 'names a host of packages'),
  ]);
}

/** Contexts with code and without a README. */
export function contextsWithoutReadme(): string[] {
  const contexts = new Set(codeBelow('src').map(({ path }) => path.split('/')[1] ?? ''));
  return [...contexts]
    .map((context) => `src/${context}/README.md`)
    .filter((path) => !FILES.some((file) => file.path === path));
}

/** Statements and calls that would change what must only grow. */
export function changedHistory(): string[] {
  const tables = appendOnlyTables();
  const models = tables.map((table) =>
    table.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()),
  );
  const statement = new RegExp(`\\b(UPDATE|DELETE\\s+FROM)\\s+"?(${tables.join('|')})\\b`, 'i');
  const call = new RegExp(`\\.(${models.join('|')})\\s*\\.(update|delete|upsert)`);
  return codeBelow('src', 'rest-compat').flatMap((file) => {
    const flat = file.text.replaceAll('\n', ' ');
    return [statement, call].flatMap((pattern) => {
      const index = flat.search(pattern);
      const line = file.text.slice(0, index).split('\n').length;
      return index < 0 ? [] : [at(file, line, 'changes a table that may only grow')];
    });
  });
}

/** The tables that the migrations close to changes. */
export function appendOnlyTables(): string[] {
  return FILES.filter(({ path }) => /^prisma\/migrations\/.*\.sql$/.test(path)).flatMap(
    ({ text }) =>
      [...text.matchAll(/^CALL make_append_only\('(\w+)'\)/gm)].map((match) => match[1] ?? ''),
  );
}

function matchingLines(file: SourceFile, pattern: RegExp, what: string): string[] {
  return file.lines.flatMap((line, index) =>
    pattern.test(line) ? [at(file, index + 1, what)] : [],
  );
}
