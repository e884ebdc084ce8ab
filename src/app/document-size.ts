import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  Lexer,
  type SelectionSetNode,
  Source,
  TokenKind,
} from 'graphql';
import { SELECTIONS_MAX, TOKENS_MAX } from '../graph/limits.js';
import { GatewayError } from '../kernel/errors/fail.js';

/** The fragments of a document by name. */
export function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/**
 * How many selections a document has when each spread is written out. Each fragment is counted
 * once, so that the work is linear in the document. A fragment within itself counts as empty:
 * validation refuses it.
 */
function writtenOutSelections(document: DocumentNode): number {
  const fragments = fragmentsOf(document);
  const counts = new Map<string, number>();
  const ofFragment = (name: string): number => {
    const known = counts.get(name);
    if (known !== undefined) return known;
    counts.set(name, 0);
    const fragment = fragments.get(name);
    const count = fragment ? ofSet(fragment.selectionSet) : 0;
    counts.set(name, count);
    return count;
  };
  const ofSet = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        return sum + 1 + ofFragment(selection.name.value);
      return sum + 1 + (selection.selectionSet ? ofSet(selection.selectionSet) : 0);
    }, 0);
  return document.definitions.reduce(
    (sum, definition) => sum + ('selectionSet' in definition ? ofSet(definition.selectionSet) : 0),
    0,
  );
}

/** Lists, objects and selections within one another: the parser goes as deep on its stack. */
const NESTING_MAX = 128;
const OPENING: readonly string[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L];
const CLOSING: readonly string[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R];

/**
 * Refuses a document with too many tokens, or too many levels of brackets, before it is parsed.
 * @throws GraphQLError as query_too_complex
 */
export function requireShallow(source: string | Source): void {
  const lexer = new Lexer(typeof source === 'string' ? new Source(source) : source);
  let levels = 0;
  for (let count = 0; ; count += 1) {
    const { kind } = lexer.advance();
    if (kind === TokenKind.EOF) return;
    if (OPENING.includes(kind)) levels += 1;
    if (CLOSING.includes(kind)) levels -= 1;
    if (count >= TOKENS_MAX) refuse(`The document has more than ${TOKENS_MAX} tokens.`);
    if (levels > NESTING_MAX) refuse(`The document has more than ${NESTING_MAX} levels.`);
  }
}

function refuse(reason: string): never {
  const originalError = new GatewayError('query_too_complex', { values: { reason } });
  throw new GraphQLError(reason, { originalError });
}

/**
 * Refuses a document that is larger than it looks. What follows (validation, the price, the log,
 * execution) may walk each spread anew: within this bound that is little work.
 * @throws GraphQLError as query_too_complex
 */
export function requireWrittenOut(document: DocumentNode): DocumentNode {
  if (writtenOutSelections(document) <= SELECTIONS_MAX) return document;
  const asked = 'fields with its fragments written out';
  return refuse(`The document has more than ${SELECTIONS_MAX} ${asked}.`);
}
