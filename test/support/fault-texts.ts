import { parseAst } from 'rolldown/parseAst';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** Functions that make a fault, by which of their arguments says what is wrong. */
const WHAT_ARGUMENT: Readonly<Record<string, number>> = { fault: 2, fits: 2, present: 2 };

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function visit(value: unknown, seen: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const each of value) visit(each, seen);
  } else if (isNode(value)) {
    seen(value);
    for (const member of Object.values(value)) {
      if (typeof member === 'object') visit(member, seen);
    }
  }
}

/** What a variable of the file was begun with, by its name. */
function beginnings(program: unknown): ReadonlyMap<string, readonly Node[]> {
  const found = new Map<string, Node[]>();
  visit(program, (node) => {
    const { id, init } = node as { id?: Node; init?: Node };
    if (node.type !== 'VariableDeclarator' || !id || !init || typeof id.name !== 'string') return;
    found.set(id.name, [...(found.get(id.name) ?? []), init]);
  });
  return found;
}

const LEVELS_MAX = 3;

/** The texts that an expression may come to, `{}` standing for what is only known when it runs. */
function textsOf(
  node: unknown,
  begun: ReadonlyMap<string, readonly Node[]>,
  level = 0,
): readonly string[] {
  if (!isNode(node) || level > LEVELS_MAX) return ['{}'];
  const below = (inner: unknown) => textsOf(inner, begun, level + 1);
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : ['{}'];
    case 'TemplateLiteral':
      return templateTexts(node, below);
    case 'BinaryExpression':
      return below(node.left).flatMap((left) => below(node.right).map((right) => left + right));
    case 'ConditionalExpression':
      return [...textsOf(node.consequent, begun, level), ...textsOf(node.alternate, begun, level)];
    case 'LogicalExpression':
      // An empty text stands in for a value that is always there.
      return [...textsOf(node.left, begun, level), ...textsOf(node.right, begun, level)].filter(
        (text) => text !== '',
      );
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
      return textsOf(node.expression, begun, level);
    case 'Identifier': {
      const values = begun.get(String(node.name)) ?? [];
      const nearest = values.filter(({ start }) => start < node.start).at(-1);
      return nearest ? below(nearest) : ['{}'];
    }
    default:
      return ['{}'];
  }
}

function templateTexts(node: Node, below: (inner: unknown) => readonly string[]): string[] {
  const quasis = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
  const places = node.expressions as readonly unknown[];
  return quasis.reduce<string[]>(
    (texts, { value }, at) => {
      const filled = at === 0 ? [''] : below(places[at - 1]);
      return texts.flatMap((text) => filled.map((each) => text + each + value.cooked));
    },
    [''],
  );
}

/** Every fault that a source text writes out, of a sample path. */
export function faultTextsOf(source: string): readonly string[] {
  const program = parseAst(source, { lang: 'ts' });
  const begun = beginnings(program);
  const found: string[] = [];
  visit(program, (node) => {
    const { callee, arguments: given } = node as { callee?: Node; arguments?: unknown[] };
    const at = node.type === 'CallExpression' ? WHAT_ARGUMENT[String(callee?.name)] : undefined;
    if (at === undefined || !given?.[at]) return;
    for (const what of textsOf(given[at], begun)) {
      found.push(`input.field ${what}${what.endsWith('?') ? '' : '.'}`);
    }
  });
  return [...new Set(found)];
}
