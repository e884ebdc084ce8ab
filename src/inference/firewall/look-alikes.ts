/** Russian letters in lower case, each with the Latin one that looks like it in some case. */
export const LOOK_ALIKE_PAIRS: readonly (readonly [russian: string, latin: string])[] = [
  ...'авекмнорстух',
].map((russian, at) => [russian, 'abekmhopctyx'.charAt(at)]);

const LATIN = new Map(LOOK_ALIKE_PAIRS);
const RUSSIAN = new Map(LOOK_ALIKE_PAIRS.map(([russian, latin]) => [latin, russian]));

/**
 * The source of an expression whose Russian letters also match the Latin ones that look the same,
 * as forms and scans bring them. Classes and escapes stay as they are.
 */
export function withLookAlikes(source: string): string {
  return source.replace(/\\.|\[[^\]]*\]|[а-я]/g, (part) => {
    const latin = part.length === 1 ? LATIN.get(part) : undefined;
    return latin === undefined ? part : `[${part}${latin}]`;
  });
}

/** The source of an expression whose spaces may be more than one, as scans have them. */
export function withSpaces(source: string): string {
  return source.replace(/\[[^\]]*\]| \??/g, (part) => {
    if (part === ' ') return '\\s{1,3}';
    return part === ' ?' ? '\\s{0,3}' : part;
  });
}

const MIXED = /[а-яё][a-z]|[a-z][а-яё]/;
const MIXED_WORD = /[a-zа-яё]*(?:[а-яё][a-z]|[a-z][а-яё])[a-zа-яё]*/g;

/**
 * A text in lower case where each word of both alphabets has Russian letters in place of the Latin
 * ones that look the same. The length stays.
 */
export function withoutLookAlikes(lower: string): string {
  if (!MIXED.test(lower)) return lower;
  return lower.replace(MIXED_WORD, (word) =>
    word.replace(/[a-z]/g, (letter) => RUSSIAN.get(letter) ?? letter),
  );
}
