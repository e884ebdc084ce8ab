import { type Expression, expressionIn } from './expressions.js';
import { FunctionBody, type Names, numberOf, signed, typeCode, unsigned } from './function-body.js';

type List = readonly Expression[];

function isList(expression: Expression): expression is List {
  return typeof expression !== 'string';
}

/** The lists in a list that begin with a word. */
function partsOf(list: List, word: string): List[] {
  return list.filter(isList).filter(([first]) => first === word);
}

function text(quoted: Expression | undefined): number[] {
  const bytes = new TextEncoder().encode(String(quoted).slice(1, -1));
  return [...unsigned(bytes.length), ...bytes];
}

function counted(entries: readonly (readonly number[])[]): number[] {
  return [...unsigned(entries.length), ...entries.flat()];
}

/** A section, or nothing where it has no entries. */
function section(id: number, entries: readonly (readonly number[])[]): number[] {
  if (entries.length === 0) return [];
  const content = counted(entries);
  return [id, ...unsigned(content.length), ...content];
}

/** Named parameters and locals: `(param $units i32)`. Those of an import have no names. */
function declared(list: List, word: 'param' | 'local'): { names: string[]; types: number[] } {
  const parts = partsOf(list, word).map((part) => part.slice(1));
  const named = parts.filter(([first]) => String(first).startsWith('$'));
  return {
    names: named.map(([name]) => String(name)),
    types: parts
      .flatMap((part) => part.filter((each) => !String(each).startsWith('$')))
      .map(typeCode),
  };
}

function signatureOf(list: List): number[] {
  const results = partsOf(list, 'result').flatMap((part) => part.slice(1).map(typeCode));
  const { types } = declared(list, 'param');
  return [0x60, ...counted(types.map((type) => [type])), ...counted(results.map((type) => [type]))];
}

/** The types of locals as runs of the same type. */
function runsOf(types: readonly number[]): number[][] {
  const runs: { type: number; count: number }[] = [];
  for (const type of types) {
    const last = runs.at(-1);
    if (last?.type === type) last.count += 1;
    else runs.push({ type, count: 1 });
  }
  return runs.map(({ type, count }) => [...unsigned(count), type]);
}

const NOT_INSTRUCTIONS = new Set(['export', 'param', 'result', 'local']);

function codeOf(list: List, names: Omit<Names, 'locals'>): number[] {
  const locals = declared(list, 'local');
  const body = new FunctionBody({
    ...names,
    locals: [...declared(list, 'param').names, ...locals.names],
  });
  const instructions = list
    .slice(nameOf(list).startsWith('$') ? 2 : 1)
    .filter((part) => !(isList(part) && NOT_INSTRUCTIONS.has(String(part[0]))));
  body.write(instructions);
  const code = [...counted(runsOf(locals.types)), ...body.bytes, 0x0b];
  return [...unsigned(code.length), ...code];
}

function globalOf(list: List): number[] {
  const [type, initial] = list.filter(isList).filter(([first]) => first !== 'export');
  const value = numberOf(initial?.[1]);
  return [typeCode(type?.[1]), 0x01, 0x41, ...signed(value), 0x0b];
}

function exportsOf(lists: readonly List[], kind: number, first: number): number[][] {
  return lists.flatMap((list, index) =>
    partsOf(list, 'export').map(([, name]) => [...text(name), kind, ...unsigned(first + index)]),
  );
}

/** The name that a list gives itself: `(func $confirm …)`. */
function nameOf(list: List): string {
  return String(list[1]);
}

/**
 * The bytes of a module that is written in the text format of WebAssembly, of which the assembler
 * knows what our programs use: imported functions, one memory, changeable globals of type i32,
 * functions with operands in brackets.
 * @throws TypeError for what it does not know
 */
export function assembled(source: string): Uint8Array<ArrayBuffer> {
  const module = expressionIn(source);
  if (!isList(module) || module[0] !== 'module') throw new TypeError('the text is no module');
  const imports = partsOf(module, 'import').map((list) => ({ list, taken: list[3] as List }));
  const functions = partsOf(module, 'func');
  const globals = partsOf(module, 'global');
  const memories = partsOf(module, 'memory');
  const signatures = [...imports.map(({ taken }) => taken), ...functions].map(signatureOf);
  const types = [...new Map(signatures.map((each) => [each.join(), each])).values()];
  const typeOf = (index: number) =>
    unsigned(types.findIndex((each) => each.join() === signatures[index]?.join()));
  const names = {
    functions: [...imports.map(({ taken }) => nameOf(taken)), ...functions.map(nameOf)],
    globals: globals.map(nameOf),
  };
  const taken = imports.map(({ list }, index) => [
    ...text(list[1]),
    ...text(list[2]),
    0x00,
    ...typeOf(index),
  ]);
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, types),
    ...section(2, taken),
    ...section(
      3,
      functions.map((_, index) => typeOf(imports.length + index)),
    ),
    ...section(
      5,
      memories.map((list) => [0x00, ...unsigned(numberOf(list.at(-1)))]),
    ),
    ...section(6, globals.map(globalOf)),
    ...section(7, [
      ...exportsOf(memories, 2, 0),
      ...exportsOf(globals, 3, 0),
      ...exportsOf(functions, 0, imports.length),
    ]),
    ...section(
      10,
      functions.map((list) => codeOf(list, names)),
    ),
  ]);
}
