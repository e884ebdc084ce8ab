import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longer arrays fit no window that embeds one text. */
const ARRAY_TOKENS_MAX = 32_768;
/** What one request is read of; providers of these encodings take fewer. */
const REQUEST_TOKENS_MAX = 524_288;
/**
 * How many characters are decoded, searched or encoded in one turn of the event loop. Tokens
 * differ: one has a few letters, another a hundred spaces.
 */
export const TURN_CHARACTERS = 8_192;
/** Merging takes time by the square of an unbroken run, so such a text is not encoded. */
const RUN_CHARACTERS = 512;
/** It begins where a run does and nowhere inside of one, so that the time is linear. */
const LONG_RUN = new RegExp(`(?<!\\S)\\S{${RUN_CHARACTERS}}|(?<!\\s)\\s{${RUN_CHARACTERS}}`);

/** What the tokens of an encoding say, by their ids: a text, or bytes that are part of a letter. */
type Table = readonly (string | readonly number[] | undefined)[];

interface TokenEncoding {
  readonly table: Table;
  /** The tokens of a text, piece by piece. */
  encode(text: string): Iterable<readonly number[]>;
}

/** A text that a token array may mean. */
export interface TokenReading {
  /** The number of the encoding. */
  readonly encoding: number;
  readonly text: string;
  /** True where the encoding writes the text as exactly these tokens. */
  readonly isWritten: boolean;
}

const PLAIN = { disallowedSpecial: new Set<string>() };

let loading: Promise<readonly TokenEncoding[]> | undefined;

/** The encodings, newest first, loaded at the first token array: their tables take 0.6 s in all. */
function encodings(): Promise<readonly TokenEncoding[]> {
  loading ??= loaded();
  return loading;
}

async function loaded(): Promise<readonly TokenEncoding[]> {
  const [newest, o200k] = await Promise.all([
    import('gpt-tokenizer/encoding/o200k_base'),
    import('gpt-tokenizer/bpeRanks/o200k_base'),
  ]);
  await nextTurn();
  const [second, cl100k] = await Promise.all([
    import('gpt-tokenizer/encoding/cl100k_base'),
    import('gpt-tokenizer/bpeRanks/cl100k_base'),
  ]);
  await nextTurn();
  // The ids of r50k are those of p50k, which has a few more.
  const [third, p50k] = await Promise.all([
    import('gpt-tokenizer/encoding/p50k_base'),
    import('gpt-tokenizer/bpeRanks/p50k_base'),
  ]);
  return [
    { table: tableOf(o200k), encode: (text) => newest.encodeGenerator(text, PLAIN) },
    { table: tableOf(cl100k), encode: (text) => second.encodeGenerator(text, PLAIN) },
    { table: tableOf(p50k), encode: (text) => third.encodeGenerator(text, PLAIN) },
  ];
}

/**
 * The table of a module, which the bundle wraps once more than Node does.
 * @throws TypeError where there is none, so that no array is taken for one of another vocabulary
 */
export function tableOf(module: { readonly default: unknown }): Table {
  const { default: inner } = module;
  const table = Array.isArray(inner) ? inner : (inner as { readonly default?: unknown })?.default;
  if (!Array.isArray(table)) throw new TypeError('an encoding has no table of tokens');
  return table as Table;
}

/** The token arrays of a checked `input` of embeddings; undefined for texts. */
export function tokenArrays(input: unknown): readonly (readonly number[])[] | undefined {
  if (!Array.isArray(input)) return undefined;
  const [first] = input as unknown[];
  if (typeof first === 'number') return [input as number[]];
  return Array.isArray(first) ? (input as number[][]) : undefined;
}

/**
 * Reads token arrays in turns with everything else that the process does. The same ids are other
 * texts in other encodings, and a client does not say which one it used: all of them are read. An
 * array is known to be a text only where an encoding writes that text as these ids; the ids of
 * another vocabulary mostly make nonsense that nobody writes so.
 * @returns the readings of each array; none of one that is too long
 */
export async function readTokens(
  arrays: readonly (readonly number[])[],
): Promise<readonly (readonly TokenReading[])[]> {
  const total = arrays.reduce((sum, { length }) => sum + length, 0);
  if (total > REQUEST_TOKENS_MAX) return arrays.map(() => NOTHING);
  const reading = readingsByTurns(arrays, await encodings());
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
    await nextTurn();
  }
}

const NOTHING: readonly TokenReading[] = Object.freeze([]);

/** Counts characters, and says when others are to have their turn. */
class Turn {
  private left = TURN_CHARACTERS;

  /** True where the characters, with those before, are the work of a turn. */
  isOver(characters: number): boolean {
    this.left -= characters;
    if (this.left > 0) return false;
    this.left = TURN_CHARACTERS;
    return true;
  }
}

type ByTurns<T> = Generator<undefined, T>;

function* readingsByTurns(
  arrays: readonly (readonly number[])[],
  known: readonly TokenEncoding[],
): ByTurns<readonly (readonly TokenReading[])[]> {
  const turn = new Turn();
  const readings: (readonly TokenReading[])[] = [];
  for (const array of arrays) {
    const isRead = array.length <= ARRAY_TOKENS_MAX;
    readings.push(isRead ? yield* readingsOf(array, known, turn) : NOTHING);
  }
  return readings;
}

function* readingsOf(
  array: readonly number[],
  known: readonly TokenEncoding[],
  turn: Turn,
): ByTurns<readonly TokenReading[]> {
  const all: (TokenReading & { readonly isWhole: boolean })[] = [];
  for (const [encoding, each] of known.entries()) {
    const { isWhole, text } = yield* decoded(array, each.table, turn);
    const isWritten = isWhole && (yield* writes(each, text, array, turn));
    all.push({ encoding, text, isWhole, isWritten });
  }
  // What some tokens say is a guess, which is needed only where no encoding has all of them.
  const isKnown = all.some(({ isWritten }) => isWritten);
  return isKnown ? all.filter(({ isWhole }) => isWhole) : all;
}

const UNKNOWN_TOKEN = '\ufffd';

/** The text of an array, and whether the encoding has each of its tokens. */
function* decoded(
  array: readonly number[],
  table: Table,
  turn: Turn,
): ByTurns<{ readonly isWhole: boolean; readonly text: string }> {
  let isWhole = true;
  let text = '';
  // Bytes that are a part of a letter wait for the others.
  let bytes: number[] = [];
  for (const id of array) {
    const token = table[id];
    if (turn.isOver(token?.length ?? 1)) yield;
    if (typeof token === 'object') {
      for (const byte of token) bytes.push(byte);
      continue;
    }
    if (bytes.length > 0) {
      text += Buffer.from(bytes).toString();
      bytes = [];
    }
    if (token === undefined) isWhole = false;
    text += token ?? UNKNOWN_TOKEN;
  }
  return { isWhole, text: text + Buffer.from(bytes).toString() };
}

function* writes(
  { encode, table }: TokenEncoding,
  text: string,
  array: readonly number[],
  turn: Turn,
): ByTurns<boolean> {
  if (yield* hasLongRun(text, turn)) return false;
  let place = 0;
  for (const piece of encode(text)) {
    for (const id of piece) {
      if (array[place] !== id) return false;
      place += 1;
      if (turn.isOver(table[id]?.length ?? 1)) yield;
    }
  }
  return place === array.length;
}

/** Each piece of the text begins with the end of the one before, so that no run is cut short. */
function* hasLongRun(text: string, turn: Turn): ByTurns<boolean> {
  for (let at = 0; at < text.length; at += TURN_CHARACTERS) {
    const piece = text.slice(Math.max(0, at - RUN_CHARACTERS + 1), at + TURN_CHARACTERS);
    if (LONG_RUN.test(piece)) return true;
    if (turn.isOver(piece.length)) yield;
  }
  return false;
}
