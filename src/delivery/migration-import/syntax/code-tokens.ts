import type { SyntaxNodeRef, Tree } from '@lezer/common';
import type { Token } from '../observation.js';
import { unquoted } from './quotes.js';

const HOLDERS = new Set(['FormatString', 'TemplateString']);
const TEXTS = new Set(['String', 'JSXAttributeValue']);
const IDENTIFIERS = new Set([
  ...['VariableName', 'PropertyName', 'VariableDefinition', 'PropertyDefinition', 'TypeName'],
  ...['TypeDefinition', 'PrivatePropertyName', 'PrivatePropertyDefinition', 'Label'],
  ...['LabelDefinition', 'JSXIdentifier', 'JSXLowerCase', 'JSXBuiltin'],
]);
const CONSTANTS = new Set(['Boolean', 'BooleanLiteral', 'None', 'null', 'this', 'super']);
/** Nodes of Python that bind the names that stand directly in them. */
const BINDERS = new Set([
  ...['ParamList', 'ImportStatement', 'FunctionDefinition', 'ClassDefinition', 'ForStatement'],
  ...['WithStatement', 'ArrayComprehensionExpression', 'ComprehensionExpression'],
  'TupleExpression',
]);
const DEFINES = /Definition$/;
const MARK = /^[^\p{L}\p{N}_$"'`#\s]{1,4}$/u;

/** The names that code binds, and the place up to which it parses without a fault. */
interface Proved {
  readonly bound: ReadonlySet<string>;
  readonly to: number;
}

/** The tokens of parsed code. What is no name, mark, number or text, such as comments, is none. */
export function codeTokens(tree: Tree, content: string): Token[] {
  const walk = new TokenWalk(content, provedIn(tree, content));
  tree.iterate({
    enter: (node) => {
      const isInside = walk.enter(node);
      if (!isInside) walk.leave(node);
      return isInside;
    },
    leave: (node) => walk.leave(node),
  });
  return walk.tokens;
}

function provedIn(tree: Tree, content: string): Proved {
  const bound = new Set<string>();
  let faultAt = tree.length;
  tree.iterate({
    enter: (node) => {
      if (node.type.isError) faultAt = Math.min(faultAt, node.from);
      if (IDENTIFIERS.has(node.name) && isBound(node)) bound.add(content.slice(node.from, node.to));
    },
  });
  if (faultAt === tree.length && tree.length === content.length) return { bound, to: faultAt };
  const statement = tree.topNode.childBefore(faultAt) ?? tree.topNode.firstChild;
  return { bound, to: statement?.from ?? 0 };
}

function isBound({ name, node }: SyntaxNodeRef): boolean {
  if (DEFINES.test(name) || BINDERS.has(node.parent?.name ?? '')) return true;
  const next = node.nextSibling?.name;
  return next === 'AssignOp' || next === 'TypeDef';
}

/** Goes over a tree and keeps the place up to which tokens were made. */
class TokenWalk {
  readonly tokens: Token[] = [];
  private readonly holders: { readonly to: number; readonly close: number }[] = [];
  private readonly parents: string[] = [];
  private chunkFrom = 0;
  /** Whether the last identifier was a bound one: then a property of it is a name as well. */
  private isOfBound = false;

  constructor(
    private readonly content: string,
    private readonly proved: Proved,
  ) {}

  /** @returns whether the children of the node are to be looked at */
  enter({ name, from, to, type }: SyntaxNodeRef): boolean {
    const parent = this.parents.at(-1) ?? '';
    this.parents.push(name);
    // Texts and escapes of a text with places in it are looked at together, as its pieces.
    if (HOLDERS.has(parent) && !name.startsWith('Interpol') && name !== 'FormatReplacement') {
      return false;
    }
    if (HOLDERS.has(parent)) this.chunk(from);
    const source = this.content.slice(from, to);
    if (HOLDERS.has(name)) this.open(source, from, to);
    else if (type.isError) return false;
    else if (TEXTS.has(name)) this.add('text', from, to, unquoted(source));
    else if (name === 'Number') this.add('number', from, to);
    else if (IDENTIFIERS.has(name)) this.identifier(name, source, from, to);
    else if (CONSTANTS.has(name) || name === source || MARK.test(source))
      this.add('mark', from, to);
    return !TEXTS.has(name) && name !== 'RegExp';
  }

  leave({ name, to }: SyntaxNodeRef): void {
    this.parents.pop();
    if (HOLDERS.has(this.parents.at(-1) ?? '')) this.chunkFrom = Math.max(this.chunkFrom, to);
    if (!HOLDERS.has(name)) return;
    const holder = this.holders.pop();
    if (!holder) return;
    this.chunk(holder.close);
    if (holder.close < holder.to) this.add('mark', holder.close, holder.to);
  }

  private open(source: string, from: number, to: number): void {
    const [whole = '', quote = ''] = /^[a-zA-Z]{0,2}("""|'''|["'`])/.exec(source) ?? [];
    const isClosed = source.length >= whole.length + quote.length && source.endsWith(quote);
    this.add('mark', from, from + whole.length);
    this.chunkFrom = from + whole.length;
    this.holders.push({ to, close: isClosed ? to - quote.length : to });
  }

  private chunk(to: number): void {
    if (to > this.chunkFrom) this.add('text', this.chunkFrom, to);
    this.chunkFrom = to;
  }

  private identifier(name: string, source: string, from: number, to: number): void {
    const isProperty = name === 'PropertyName' && this.isOfBound;
    const isNamed = isProperty || this.proved.bound.has(source) || DEFINES.test(name);
    this.isOfBound = isNamed || source === 'self';
    const kind = isNamed && from < this.proved.to ? 'identifier' : 'name';
    this.add(kind, from, to);
  }

  private add(kind: Token['kind'], from: number, to: number, text?: string): void {
    const last = this.tokens.at(-1);
    if (to > from && from >= (last?.to ?? 0)) this.tokens.push({ kind, from, to, text });
  }
}
