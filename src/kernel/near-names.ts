const NAME_LENGTH_MAX = 120;
const ANSWERS_MAX = 3;

/**
 * The known names that a misspelt one may have meant, best first, at most three. Case and the part
 * before the last `/` are forgiven; otherwise a third of the letters may be wrong.
 * @param isPreferred names that come before others at the same distance
 */
export function nearestNames(
  name: string,
  known: Iterable<string>,
  isPreferred: (candidate: string) => boolean = () => false,
): string[] {
  const wanted = name.slice(0, NAME_LENGTH_MAX).toLowerCase();
  if (wanted === '') return [];
  const scored: { candidate: string; distance: number; last: number }[] = [];
  for (const candidate of known) {
    const distance = distanceToName(wanted, candidate.toLowerCase());
    const last = isPreferred(candidate) ? 0 : 1;
    if (distance !== undefined) scored.push({ candidate, distance, last });
  }
  scored.sort(
    (a, b) => a.distance - b.distance || a.last - b.last || (a.candidate < b.candidate ? -1 : 1),
  );
  return scored.slice(0, ANSWERS_MAX).map((entry) => entry.candidate);
}

function distanceToName(wanted: string, candidate: string): number | undefined {
  const tail = lastSegment(candidate);
  const best = Math.min(editDistance(wanted, candidate), editDistance(lastSegment(wanted), tail));
  if (best <= Math.max(1, Math.floor(wanted.length / 3))) return best;
  // `gpt-oss` is not close to `gpt-oss-120b` by letters, but is how people shorten it.
  const shortened = wanted.length >= 3 && tail.startsWith(lastSegment(wanted));
  return shortened ? best : undefined;
}

function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** The Levenshtein distance: insertions, deletions and replacements of one character. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      current[column] = Math.min(
        (previous[column - 1] ?? 0) + same,
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
      );
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
