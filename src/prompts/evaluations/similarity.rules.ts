/** Characters of a part of which two texts are compared. */
const GRAM_CHARS = 3;

/**
 * How similar two texts are, from 0 to 1: the coefficient of L. R. Dice (1945) over the multisets
 * of their character trigrams, 2·|A ∩ B| / (|A| + |B|). Case, width and spacing do not count. Texts
 * too short for a trigram are compared whole.
 */
export function textSimilarity(one: string, other: string): number {
  const [left, right] = [normalised(one), normalised(other)];
  if (left === right) return 1;
  const [lefts, rights] = [gramsOf(left), gramsOf(right)];
  const total = sumOf(lefts) + sumOf(rights);
  if (total === 0) return 0;
  let shared = 0;
  for (const [gram, count] of lefts) shared += Math.min(count, rights.get(gram) ?? 0);
  return (2 * shared) / total;
}

function normalised(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

function gramsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (let from = 0; from + GRAM_CHARS <= text.length; from += 1) {
    const gram = text.slice(from, from + GRAM_CHARS);
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}
