import type { Expression } from './expressions.js';
import { instruction } from './instructions.js';

/** Types of values, by their names in the text format. */
const TYPES = new Map([
  ['i32', 0x7f],
  ['v128', 0x7b],
]);

/** The code of a type. @throws TypeError for one that the assembler does not know */
export function typeCode(name: Expression | undefined): number {
  const code = typeof name === 'string' ? TYPES.get(name) : undefined;
  if (code === undefined) throw new TypeError(`${String(name)} is no type of a value`);
  return code;
}

/** An unsigned number in LEB128. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return [...bytes, rest];
}

/** A signed number of 32 bits in LEB128. */
export function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  while (rest < -64 || rest > 63) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>= 7;
  }
  return [...bytes, rest & 0x7f];
}

/** A number as it is written, decimal or with `0x`. @throws TypeError for what is none */
export function numberOf(written: Expression | undefined): number {
  const value = typeof written === 'string' ? Number(written) : Number.NaN;
  if (!Number.isInteger(value)) throw new TypeError(`${String(written)} is no whole number`);
  return value;
}

/** What the words of a body may name, each list in the order of its indices. */
export interface Names {
  readonly functions: readonly string[];
  readonly globals: readonly string[];
  readonly locals: readonly string[];
}

function indexIn(names: readonly string[], name: Expression | undefined): number[] {
  const index = names.indexOf(String(name));
  if (index < 0) throw new TypeError(`nothing is named ${String(name)}`);
  return unsigned(index);
}

const END = 0x0b;
const IF = 0x04;
const ELSE = 0x05;
const STRUCTURES = new Map([
  ['block', 0x02],
  ['loop', 0x03],
]);
/** The type of a block that leaves no value. */
const NO_VALUE = 0x40;

/**
 * Writes the instructions of one function: each stands in brackets with its operands in them, as in
 * `(i32.add (local.get $a) (i32.const 1))`. Blocks, loops and `if` leave no value.
 */
export class FunctionBody {
  readonly bytes: number[] = [];
  /** Labels around the instruction that is being written, the innermost last. */
  readonly #labels: string[] = [];

  constructor(private readonly names: Names) {}

  /** Appends instructions. @throws TypeError for what the assembler does not know */
  write(instructions: readonly Expression[]): void {
    for (const each of instructions) this.#one(each);
  }

  #one(expression: Expression): void {
    if (typeof expression === 'string') throw new TypeError(`${expression} needs its brackets`);
    const [name, ...rest] = expression;
    const structure = STRUCTURES.get(String(name));
    if (structure !== undefined) this.#structure(structure, rest);
    else if (name === 'if') this.#choice(rest);
    else {
      const { code, immediate, alignment } = instruction(String(name));
      this.write(rest.filter((part) => typeof part !== 'string'));
      const words = rest.filter((part) => typeof part === 'string');
      this.bytes.push(...code, ...this.#immediate(immediate, words, alignment));
    }
  }

  #structure(code: number, [label = '', ...inside]: readonly Expression[]): void {
    this.bytes.push(code, NO_VALUE);
    this.#inside(String(label), inside);
    this.bytes.push(END);
  }

  #inside(label: string, instructions: readonly Expression[]): void {
    this.#labels.push(label);
    this.write(instructions);
    this.#labels.pop();
  }

  /** `(if condition (then …))`, with or without `(else …)`. */
  #choice([condition = '', then = [], otherwise]: readonly Expression[]): void {
    this.#one(condition);
    this.bytes.push(IF, NO_VALUE);
    this.#inside('', then.slice(1) as readonly Expression[]);
    if (otherwise !== undefined) {
      this.bytes.push(ELSE);
      this.#inside('', otherwise.slice(1) as readonly Expression[]);
    }
    this.bytes.push(END);
  }

  #immediate(kind: string, words: readonly string[], alignment: number): number[] {
    const [word] = words;
    if (kind === 'local') return indexIn(this.names.locals, word);
    if (kind === 'global') return indexIn(this.names.globals, word);
    if (kind === 'function') return indexIn(this.names.functions, word);
    if (kind === 'label') return indexIn(this.#labels.toReversed(), word);
    if (kind === 'i32') return signed(numberOf(word));
    if (kind === 'memory') {
      return [...unsigned(alignment), ...unsigned(word ? numberOf(word.split('=')[1]) : 0)];
    }
    if (kind !== 'bytes') return [];
    const bytes = words.filter((each) => each !== 'i8x16').map(numberOf);
    if (bytes.length !== 16) throw new TypeError('a vector has sixteen bytes');
    return bytes.map((byte) => byte & 0xff);
  }
}
