/** A counter of tokens by the encoding o200k, used where the upstream gives no figures. */
export interface Tokenizer {
  /** Tokens of a text; exact but for runs of 512 and more characters without a break. */
  count(text: string): number;
  encode(text: string): number[];
  /** @throws Error for a token that the encoding does not have */
  decode(tokens: readonly number[]): string;
}

let loading: Promise<Tokenizer> | undefined;

/**
 * The tokenizer, loaded at the first need: its tables take 0.14 s and 60 MB, and a node that only
 * forwards upstream figures never needs them.
 */
export function loadTokenizer(): Promise<Tokenizer> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then((encoding) => {
    const plain = { disallowedSpecial: new Set<string>() };
    return {
      count: (text) => {
        if (!LONG_RUN.test(text)) return encoding.countTokens(text, plain);
        let sum = 0;
        for (const piece of text.match(PIECES) ?? []) sum += encoding.countTokens(piece, plain);
        return sum;
      },
      encode: (text) => encoding.encode(text, plain),
      decode: (tokens) => encoding.decode([...tokens]),
    };
  });
  return loading;
}

/**
 * Merging is quadratic in the length of an unbroken run, so long runs are counted in parts. A run
 * is looked for where it begins: from each sign of one it would be looked for 511 times.
 */
const LONG_RUN = /(?<!\S)\S{512}|(?<!\s)\s{512}/;
const PIECES = /[\s\S]{1,512}/g;
