import { diffArrays } from 'diff';
import { EDITS_MAX } from './vocabulary.js';

/** A line of a template, counted from 1 in its own version. */
export interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

/** The lines that only one of two templates has. */
export interface LineDiff {
  readonly added: readonly NumberedLine[];
  readonly removed: readonly NumberedLine[];
}

/**
 * The shortest difference by line. Templates that are more than 2,000 edits apart share only what
 * they begin and end with; all between counts as replaced.
 */
export function diffLines(from: string, to: string): LineDiff {
  const before = from.split('\n');
  const after = to.split('\n');
  const added: NumberedLine[] = [];
  const removed: NumberedLine[] = [];
  let lineBefore = 0;
  let lineAfter = 0;
  for (const change of changesOf(before, after)) {
    for (const text of change.value) {
      if (!change.added) lineBefore += 1;
      if (!change.removed) lineAfter += 1;
      if (change.added) added.push({ line: lineAfter, text });
      if (change.removed) removed.push({ line: lineBefore, text });
    }
  }
  return { added, removed };
}

interface LineChange {
  readonly added: boolean;
  readonly removed: boolean;
  readonly value: readonly string[];
}

function changesOf(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const shortest = diffArrays([...before], [...after], { maxEditLength: EDITS_MAX });
  if (shortest) return shortest;
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const kept = { added: false, removed: false };
  return [
    { ...kept, value: before.slice(0, head) },
    { added: false, removed: true, value: before.slice(head, before.length - tail) },
    { added: true, removed: false, value: after.slice(head, after.length - tail) },
    { ...kept, value: before.slice(before.length - tail) },
  ];
}
