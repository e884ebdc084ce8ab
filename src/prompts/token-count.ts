/** Counts the tokens of a text by the encoding o200k: an estimate for models of other encodings. */
export type TokenCounter = (text: string) => number;

let loading: Promise<TokenCounter> | undefined;

/** The counter, loaded at the first need, since its tables are large. */
export function loadTokenCounter(): Promise<TokenCounter> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => {
    const plain = { disallowedSpecial: new Set<string>() };
    return (text: string) => {
      if (!LONG_RUN.test(text)) return countTokens(text, plain);
      let sum = 0;
      for (const piece of text.match(PIECES) ?? []) sum += countTokens(piece, plain);
      return sum;
    };
  });
  return loading;
}

/** Merging is quadratic in the length of an unbroken run, so long runs are counted in parts. */
const LONG_RUN = /\S{512}|\s{512}/;
const PIECES = /[\s\S]{1,512}/g;
