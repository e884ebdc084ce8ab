/** Bits for what a text may hold; a missing bit is a proof that it does not. */
export const SIGNAL = {
  // What windows of four characters tell: the table of windows has a byte for these.
  secret: 1,
  injection: 2,
  document: 4,
  name: 8,
  plate: 16,
  spelt: 32,
  handle: 64,
  address: 128,
  digits: 256,
  at: 512,
  /** Invisible characters or foreign digits: judge the plain view instead. */
  hidden: 1024,
  /** Spaces and dashes of typesetting, which the plain view makes plain. */
  typeset: 2048,
  /** Any digit: without one there is no password, house or number. */
  digit: 4096,
} as const;

/** The shortest identifier that needs no word beside it has this many digits without letters. */
export const FEWEST_DIGITS = 10;
/** The shortest one that a word names: the year of a birth. */
export const FEWEST_NAMED = 4;
