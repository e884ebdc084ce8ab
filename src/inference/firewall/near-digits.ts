function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/**
 * The matches of a global expression that begin at most `reach` characters before a digit. The
 * rest of a text is not searched: prose has few digits, and without one no value is behind a word.
 * An expression may look one character back.
 */
export function matchesBeforeDigits(
  text: string,
  pattern: RegExp,
  reach: number,
): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  let begin = -1;
  let last = 0;
  const search = () => {
    // One character more in front, so that a word does not begin in the middle of one.
    const from = Math.max(0, begin - 1);
    const searched = text.slice(from, last + 1);
    pattern.lastIndex = 0;
    for (let match = pattern.exec(searched); match; match = pattern.exec(searched)) {
      match.index += from;
      if (match.index >= begin) found.push(match);
    }
  };
  for (let place = 0; place < text.length; place += 1) {
    if (!isDigit(text.charCodeAt(place))) continue;
    if (begin >= 0 && place - last > reach) {
      search();
      begin = Math.max(last + 1, place - reach);
    } else if (begin < 0) begin = Math.max(0, place - reach);
    last = place;
  }
  if (begin >= 0) search();
  return found;
}

const RUN = /\d{3,}/g;

/**
 * The matches of a sticky expression whose first three digits in a row begin at most `lead`
 * characters behind their own beginning, from left to right, as `matchAll` gives them.
 */
export function matchesAtRuns(text: string, pattern: RegExp, lead: number): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  let read = 0;
  for (const { index } of text.matchAll(RUN)) {
    for (let begin = Math.max(read, index - lead); begin <= index; begin += 1) {
      pattern.lastIndex = begin;
      const match = pattern.exec(text);
      if (!match) continue;
      found.push(match);
      read = begin + match[0].length;
      break;
    }
  }
  return found;
}
