import { assembled } from '../../../kernel/wasm/assemble.js';
import { UNUSUAL } from '../plain-view.js';
import { latinTable, russianTable } from './buckets.js';
import { FOLD, UNITS } from './folds.js';
import { BLOCK_UNITS, PART_UNITS, PLACES, PROGRAM } from './program.js';
import { FEWEST_NAMED, SIGNAL } from './signals.js';
import { anchoredAt, SHAPES, SIGNALS_BY_HASH } from './windows.js';

interface Program {
  readonly memory: WebAssembly.Memory;
  readonly signals: WebAssembly.Global<'i32'>;
  readonly unusual: WebAssembly.Global<'i32'>;
  readonly digits: WebAssembly.Global<'i32'>;
  readonly run: WebAssembly.Global<'i32'>;
  read(units: number): void;
}

/** What a text is followed by: no letters up to the end of a block. */
const END = Buffer.from(' '.repeat(BLOCK_UNITS), 'utf16le');

/** The pass as a program of vectors, which reads one text after another. */
class Blocks {
  readonly #program: Program;
  readonly #memory: Buffer;
  #text = '';
  /** Where the part that is being read begins. */
  #begin = 0;

  constructor(module: WebAssembly.Module) {
    const confirmed = (place: number, window: number) => this.#confirmed(place, window);
    const { exports } = new WebAssembly.Instance(module, { prefilter: { confirmed } });
    this.#program = exports as unknown as Program;
    this.#memory = Buffer.from(this.#program.memory.buffer);
    const shapes = SHAPES.map(([shape]) => shape);
    this.#memory.set(UNITS, PLACES.units);
    this.#memory.set(SIGNALS_BY_HASH, PLACES.windows);
    this.#memory.set(
      UNITS.slice(0x20, 0x80).map((unit) => unit & FOLD),
      PLACES.ascii,
    );
    this.#memory.set(latinTable(shapes), PLACES.latin);
    this.#memory.set(russianTable(shapes), PLACES.russian);
  }

  /** As `anchoredAt`, for a place in the part. The spaces behind the text are no part of it. */
  #confirmed(place: number, window: number): number {
    const index = this.#begin + place;
    return index <= this.#text.length ? anchoredAt(this.#text, index, window) : 0;
  }

  signalsOf(text: string): number {
    const program = this.#program;
    // Before its beginning a text has what is no letter.
    this.#memory.fill(0, PLACES.folds - BLOCK_UNITS, PLACES.folds);
    program.signals.value = 0;
    program.unusual.value = 0;
    program.digits.value = 0;
    program.run.value = 0;
    this.#text = text;
    for (this.#begin = 0; this.#begin <= text.length; this.#begin += PART_UNITS) this.#readPart();
    this.#text = '';
    let signals = program.signals.value;
    if (program.digits.value > 0) signals |= SIGNAL.digit;
    else signals &= ~SIGNAL.address;
    if (program.digits.value < FEWEST_NAMED) signals &= ~SIGNAL.document;
    if (program.unusual.value & UNUSUAL.hidden) signals |= SIGNAL.hidden;
    if (program.unusual.value & UNUSUAL.typeset) signals |= SIGNAL.typeset;
    return signals;
  }

  /** Reads a part, and behind the text at least one space, with which its last word ends. */
  #readPart(): void {
    const part = this.#text.slice(this.#begin, this.#begin + PART_UNITS);
    this.#memory.write(part, PLACES.text, 'utf16le');
    if (part.length === PART_UNITS) {
      this.#program.read(PART_UNITS);
      return;
    }
    this.#memory.set(END, PLACES.text + 2 * part.length);
    this.#program.read(part.length + BLOCK_UNITS - (part.length % BLOCK_UNITS));
  }
}

/** `signalsInScript` as a program of vectors; undefined where the machine or Node has none. */
export function openBlocks(): ((text: string) => number) | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  const program = assembled(PROGRAM);
  if (!WebAssembly.validate(program)) return undefined;
  const blocks = new Blocks(new WebAssembly.Module(program));
  return (text) => blocks.signalsOf(text);
}
