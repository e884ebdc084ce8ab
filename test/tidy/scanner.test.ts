import { describe, expect, it } from 'vitest';
import { functionsOf } from './functions.js';
import { tokensOf } from './lexer.js';
import { exportsOf, importsOf, resolveImport } from './modules.js';

const words = (source: string) => tokensOf(source).map(({ kind, text }) => `${kind} ${text}`);

describe('tokens', () => {
  it('comments are none, wherever they stand', () => {
    expect(words('a /* b { */ // c `\n* d')).toEqual(['word a', 'mark *', 'word d']);
    expect(words("'// no' + `/* no */`")).toEqual(['text // no', 'mark +', 'text /* no */']);
  });

  it('a slash divides after a value and begins a pattern elsewhere', () => {
    expect(words('a / b / c')).toEqual(['word a', 'mark /', 'word b', 'mark /', 'word c']);
    expect(words('(a) / 2')).toEqual(['mark (', 'word a', 'mark )', 'mark /', 'number 2']);
    expect(words('return /[/"]{/g')).toEqual(['word return', 'regex /[/"]{/g']);
    expect(words("x = /'/")).toEqual(['word x', 'mark =', "regex /'/"]);
  });

  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the text is a program.
  it('a template holds text, and code in its places, nested too', () => {
    expect(words('`a${b(`c${ {d} }`)}e` + f')).toEqual([
      'text a',
      'mark ${',
      'word b',
      'mark (',
      'text c',
      'mark ${',
      'mark {',
      'word d',
      'mark }',
      'mark }',
      'text ',
      'mark )',
      'mark }',
      'text e',
      'mark +',
      'word f',
    ]);
  });
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the text is a program.

  it('lines are counted through comments and templates', () => {
    const [a, template, b] = tokensOf('/*\n*/ a `\n\n` b');
    expect([a?.line, template?.line, template?.endLine, b?.line]).toEqual([2, 2, 4, 4]);
  });
});

describe('functions', () => {
  const spans = (source: string) =>
    functionsOf(tokensOf(source)).map(({ name, line, lineCount }) => [name, line, lineCount]);

  it('finds declarations, methods and both kinds of arrow', () => {
    expect(spans('function f<T>(\n  a: T,\n): T[] {\n  return [a];\n}')).toEqual([['f', 1, 5]]);
    expect(spans('class A {\n  async m({ b }: C): Promise<{ d: E }> {\n  }\n}')).toEqual([
      ['m', 2, 2],
    ]);
    expect(spans('const a = (b) => {\n  b();\n};')).toEqual([['a function', 1, 3]]);
    expect(spans('const a = (b) =>\n  c(\n    b,\n  );')).toEqual([['a function', 1, 4]]);
  });

  it('takes a table of fields for none, and counts what stands in its rows', () => {
    const table = 'f((t) => ({\n  a: t.int(),\n  b: t.x(() => {\n    c();\n  }),\n}))';
    expect(spans(table)).toEqual([['a function', 3, 3]]);
  });

  it('takes no block, call, ternary or type of a result for a function', () => {
    expect(spans('if (a) {\n} else if (b) {\n}\nfor await (const c of d()) {\n}')).toEqual([]);
    expect(spans('const a = b ? c(d) : { e: f };')).toEqual([]);
    expect(spans('function f(): () => Promise<void> {\n  return g;\n}')).toEqual([['f', 1, 3]]);
  });

  it('leaves out the sections of a test, in each form, and not the tests', () => {
    expect(spans("describe('a', () => {\n  b();\n});")).toEqual([]);
    expect(spans("describe.skipIf(!url)('a', () => {\n  b();\n});")).toEqual([]);
    expect(spans("describe('a', () => {\n  it('b', () => {\n  });\n});")).toEqual([
      ['a function', 2, 2],
    ]);
  });
});

describe('imports and exports', () => {
  it('reads every form of import', () => {
    const source = `import a, { b as c, type D } from './x.js';
import type { E } from './y.js';
import * as f from './z.js';
import './w.js';
const g = await import('./v.js');
export { h } from './u.js';
let i: import('./t.js').I = import.meta.url;`;
    expect(importsOf(tokensOf(source))).toEqual([
      {
        specifier: './x.js',
        line: 1,
        names: ['default', 'b', 'D'],
        typeOnly: false,
        reExport: false,
      },
      { specifier: './y.js', line: 2, names: ['E'], typeOnly: true, reExport: false },
      { specifier: './z.js', line: 3, names: ['*'], typeOnly: false, reExport: false },
      { specifier: './w.js', line: 4, names: [], typeOnly: false, reExport: false },
      { specifier: './v.js', line: 5, names: ['*'], typeOnly: false, reExport: false },
      { specifier: './u.js', line: 6, names: ['h'], typeOnly: false, reExport: true },
      { specifier: './t.js', line: 7, names: ['*'], typeOnly: false, reExport: false },
    ]);
  });

  it('reads every form of export', () => {
    const source = `export const a = 1;
export async function* b() {}
export abstract class C {}
export interface D {}
export type E = D;
export default a;
export { g, h as i };
export * from './x.js';
const f = { export: 1 };`;
    expect(exportsOf(tokensOf(source)).map(({ name, isType }) => [name, isType])).toEqual([
      ['a', false],
      ['b', false],
      ['C', false],
      ['D', true],
      ['E', true],
      ['default', false],
      ['g', false],
      ['i', false],
    ]);
  });

  it('finds the file that an import names', () => {
    expect(resolveImport('src/money/a.ts', '../kernel/ids.js')).toBe('src/kernel/ids.ts');
    expect(resolveImport('tools/a.mjs', './b.mjs')).toBe('tools/b.mjs');
    expect(resolveImport('src/a.ts', 'graphql')).toBeUndefined();
  });
});
