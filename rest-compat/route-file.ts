import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type OperationDefinitionNode,
  parse,
  Source,
  type Token,
  TokenKind,
} from 'graphql';
import type { Fragments } from './projection.js';

/** One file of routes, parsed. */
export interface RouteFile {
  /** The name of the module: the file's name without its ending. */
  readonly module: string;
  /** As people read it in messages. */
  readonly path: string;
  /** The comment that the file begins with, set off from what follows by an empty line. */
  readonly about: string;
  readonly text: string;
  readonly document: DocumentNode;
  readonly operations: readonly OperationDefinitionNode[];
  readonly fragments: Fragments;
}

/**
 * Reads every `*.graphql` file of a directory, in the order of their names. A file that does not
 * parse is reported to `wrong` and left out.
 */
export function readRouteFiles(directory: string, wrong: (message: string) => void): RouteFile[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.graphql'));
  return names.sort().flatMap((name) => {
    const text = readFileSync(join(directory, name), 'utf8');
    const path = `rest-compat/routes/${name}`;
    if (!/^\s*[^\s#]/m.test(text)) return [];
    try {
      return [routeFile(name.replace(/\.graphql$/, ''), path, text)];
    } catch (error) {
      wrong(describe(error, path));
      return [];
    }
  });
}

/** What a newcomer needs before all else, and what makes the things that other files are about. */
const READ_FIRST = ['auth', 'keys', 'billing', 'policies', 'core', 'tools', 'prompts'];

/** The order of the documents: nothing is read of before it can be made. Else that of the names. */
export function inReadingOrder(files: readonly RouteFile[]): RouteFile[] {
  const placeOf = ({ module }: RouteFile) => {
    const place = READ_FIRST.indexOf(module);
    return place < 0 ? READ_FIRST.length : place;
  };
  return [...files].sort((one, other) => placeOf(one) - placeOf(other));
}

/** sha256 over the paths and texts of files, as the build takes it over the folder. */
export function hashOfRows(files: readonly RouteFile[]): string {
  const hash = createHash('sha256');
  for (const { path, text } of files) hash.update(`${path}\0${text}\0`);
  return hash.digest('hex');
}

function routeFile(module: string, path: string, text: string): RouteFile {
  const document = parse(new Source(text, path));
  const operations: OperationDefinitionNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === 'OperationDefinition') operations.push(definition);
    if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition);
  }
  return { module, path, about: aboutOf(text), text, document, operations, fragments };
}

function aboutOf(text: string): string {
  const [head = ''] = /^(?:#.*\n)+(?=\n)/.exec(text) ?? [];
  return head.replace(/^#\s*/gm, '').trim().replaceAll('\n', ' ');
}

/** An error with file and line in front, as far as it has them. */
export function describe(error: unknown, path: string, fallbackLine?: number): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = error instanceof GraphQLError ? error.locations?.[0]?.line : undefined;
  const at = line ?? fallbackLine;
  return at === undefined ? `${path}: ${message}` : `${path}:${at}: ${message}`;
}

/** The line on which a definition begins. */
export function lineOf(operation: OperationDefinitionNode): number | undefined {
  return operation.loc?.startToken.line;
}

/** The `#` comment directly above an operation: its first paragraph, and the others. */
export function commentOf(operation: OperationDefinitionNode): {
  readonly summary: string;
  readonly description: string;
} {
  const lines: string[] = [];
  let below: Token | undefined = operation.loc?.startToken;
  for (let token = below?.prev ?? undefined; token?.kind === TokenKind.COMMENT; ) {
    if (below && token.line !== below.line - 1) break;
    lines.unshift(token.value.trim());
    below = token;
    token = token.prev ?? undefined;
  }
  const [summary = '', ...others] = lines.join('\n').split(/\n{2,}/);
  const paragraph = (text: string) => text.replaceAll('\n', ' ').trim();
  return {
    summary: paragraph(summary),
    description: others
      .map(paragraph)
      .filter((text) => text !== '')
      .join('\n\n'),
  };
}
