const ZERO = 0x30;
const NINE = 0x39;
const APOSTROPHE = 0x27;
const ASCII_END = 0x80;
/** The most digits that are one token. */
const DIGITS_MAX = 3;

const NONE = 0;
const WORD = 1;
const DIGIT = 2;
const SIGN = 3;
const SPACE = 4;
const LINE = 5;

/** What a tokenizer takes for a part of a word, a digit, another sign, or white space. */
const KINDS = Uint8Array.from({ length: ASCII_END }, (_, code) => kindOf(code));

function kindOf(code: number): number {
  if (code >= ZERO && code <= NINE) return DIGIT;
  if (code === APOSTROPHE || /[a-z]/i.test(String.fromCharCode(code))) return WORD;
  if (code === 0x0a || code === 0x0d) return LINE;
  return /\s/.test(String.fromCharCode(code)) ? SPACE : SIGN;
}

/**
 * How many tokens a text has at least, in one pass without a table of tokens: each word is one or
 * more, each three digits are, and each group of other signs. That follows from how o200k_base
 * cuts a text before it merges bytes (the pattern of `o200k_base` in tiktoken). Signs beyond ASCII
 * count as parts of the word that they stand in, so that the figure is never too high.
 */
export function tokensAtLeast(text: string): number {
  let tokens = 0;
  let kind = NONE;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const next = code < ASCII_END ? (KINDS[code] ?? WORD) : WORD;
    if (next === kind) continue;
    tokens += tokensOfRun(text, kind, start, at);
    kind = next;
    start = at;
  }
  return tokens + tokensOfRun(text, kind, start, text.length);
}

function tokensOfRun(text: string, kind: number, start: number, end: number): number {
  if (kind === WORD) return hasLetter(text, start, end) ? 1 : 0;
  if (kind === DIGIT) return digitTokens(text, start, end);
  return kind === SIGN ? signTokens(text, start, end) : 0;
}

/** Whether a run has a letter: white space and signs beyond ASCII are in runs of words, too. */
function hasLetter(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < ASCII_END ? code !== APOSTROPHE : isCyrillic(code)) return true;
  }
  return false;
}

function isCyrillic(code: number): boolean {
  return code >= 0x0410 && code <= 0x044f;
}

function digitTokens(text: string, start: number, end: number): number {
  const isWhole = isAscii(text, start - 1) && isAscii(text, end);
  const groups = (end - start) / DIGITS_MAX;
  return isWhole ? Math.ceil(groups) : Math.floor(groups);
}

/** One sign may belong to the word behind it, and signs behind a line to those before the line. */
function signTokens(text: string, start: number, end: number): number {
  if (!isAscii(text, start - 1) || !isAscii(text, end)) return 0;
  const before = start > 0 ? KINDS[text.charCodeAt(start - 1)] : NONE;
  const isBehindWord = start > 0 && text.charCodeAt(start - 1) === APOSTROPHE;
  if (before === LINE || isBehindWord || text.charCodeAt(end) === APOSTROPHE) return 0;
  const isOfWord = end - start === 1 && end < text.length && KINDS[text.charCodeAt(end)] === WORD;
  return isOfWord ? 0 : 1;
}

function isAscii(text: string, at: number): boolean {
  return at < 0 || at >= text.length || text.charCodeAt(at) < ASCII_END;
}
