/** The words of a text as they are compared: lower case, `ё` as `е`, without punctuation. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll('ё', 'е');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * Whether a text has these words one after another, in a time that grows with both, however often
 * words repeat (Knuth, Morris and Pratt 1977). No words are found anywhere.
 */
export function hasInOrder(text: readonly string[], sought: readonly string[]): boolean {
  if (sought.length > text.length) return false;
  if (sought.length === 0) return true;
  const borders = bordersOf(sought);
  let matched = 0;
  for (const word of text) {
    while (matched > 0 && sought[matched] !== word) matched = borders[matched - 1] ?? 0;
    if (sought[matched] === word) matched += 1;
    if (matched === sought.length) return true;
  }
  return false;
}

/** For each beginning of a list, how many words at its end also begin it, itself left out. */
function bordersOf(words: readonly string[]): number[] {
  const borders = [0];
  let matched = 0;
  for (const word of words.slice(1)) {
    while (matched > 0 && words[matched] !== word) matched = borders[matched - 1] ?? 0;
    if (words[matched] === word) matched += 1;
    borders.push(matched);
  }
  return borders;
}
