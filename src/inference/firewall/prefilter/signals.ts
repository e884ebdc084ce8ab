/** Bits for what a text may hold; a missing bit is a proof that it does not. */
export const SIGNAL = {
  digits: 1,
  at: 2,
  secret: 4,
  injection: 8,
  document: 16,
  name: 32,
  plate: 64,
  spelt: 128,
  /** Invisible characters or foreign digits: judge the plain view instead. */
  hidden: 256,
  /** Spaces and dashes of typesetting, which the plain view makes plain. */
  typeset: 512,
} as const;

/** The shortest identifier that needs no word beside it has this many digits without letters. */
export const FEWEST_DIGITS = 10;
/** The shortest one that a word names: the year of a birth. */
export const FEWEST_NAMED = 4;
