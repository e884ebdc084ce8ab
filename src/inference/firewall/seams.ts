import { strictness } from '../../kernel/firewall/modes.js';
import type { FindingClass, FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { firstBehind, overlapping } from './finding.js';
import {
  type Filled,
  groupsOf,
  type Joints,
  LONG_REACH,
  liveJoints,
  type Piece,
  REACH,
  type View,
  viewOf,
} from './joints.js';
import { type Mark, marksIn } from './mark.js';

/** What a joint shows in one piece. */
export interface Joined {
  readonly site: number;
  readonly mark: Mark;
  /** True in every piece but the first of a value, which is counted once. */
  readonly continues: boolean;
}

/**
 * What texts show only together with their neighbours: a value that is split over several of them,
 * and a number whose word stands in the text before or behind. Between messages only a confirmed
 * value counts, since numbers that end one and begin the next are nobody's by chance.
 * The time is linear in the text that lies near the joints.
 */
export function joinedMarksOf(pieces: readonly Piece[], modes: FirewallModes): readonly Joined[] {
  if (pieces.length < 2) return NOTHING;
  let found: Map<string, Joined> | undefined;
  for (const group of groupsOf(pieces)) {
    for (const joined of shownByGroup(group, modes)) {
      const { site, mark } = joined;
      found ??= new Map();
      const key = `${site} ${mark.class} ${mark.start} ${mark.end}`;
      if (!found.has(key)) found.set(key, joined);
    }
  }
  return found === undefined ? NOTHING : [...found.values()];
}

const NOTHING: readonly Joined[] = Object.freeze([]);

/** Values at the joints of a group. */
function shownByGroup(group: readonly Filled[], modes: FirewallModes): readonly Joined[] {
  const { close, spaced } = liveJoints(group, modes);
  if (spaced.length === 0) return NOTHING;
  return [...shownAt(group, close, '', modes), ...shownAt(group, spaced, ' ', modes)];
}

/** Pieces behind a joint without which its neighbourhood may not be whole. */
const BEHIND_JOINT = 2;

function shownAt(
  group: readonly Filled[],
  live: readonly Joints[],
  separator: string,
  modes: FirewallModes,
): Joined[] {
  const found: Joined[] = [];
  let read = 0;
  for (const joints of live) {
    if (joints.last + BEHIND_JOINT < read) continue;
    let view = viewOf(group, joints, separator, REACH);
    let marks = marksIn(view.text, 'plain', modes);
    if (marks.some((mark) => goesOn(mark, view))) {
      view = viewOf(group, joints, separator, LONG_REACH);
      marks = marksIn(view.text, 'plain', modes);
      read = view.last;
    }
    let first = 0;
    for (const mark of marks) {
      while ((view.placed[first]?.end ?? mark.end) <= mark.start) first += 1;
      found.push(...inPieces(mark, view, first));
    }
  }
  return found;
}

/** Where a view ends within a text, what stands there is not whole. */
function touchesCut({ start, end }: Mark, { text, isCutBefore, isCutBehind }: View): boolean {
  return (isCutBefore && start === 0) || (isCutBehind && end === text.length);
}

/** True where a value may be longer than what the view has of it. */
function goesOn(mark: Mark, view: View): boolean {
  if (touchesCut(mark, view)) return true;
  const { start, end } = mark;
  const firstEnds = view.placed[0]?.end ?? end;
  const lastBegins = view.placed.at(-1)?.start ?? start;
  const isFirst = view.hasBefore && start === 0 && end > firstEnds;
  return isFirst || (view.hasBehind && end === view.text.length && start < lastBegins);
}

/** One in ten numbers of ten digits is such a number by its checksum. */
const BY_CHANCE: ReadonlySet<FindingClass> = new Set(['inn']);

/**
 * The marks that a finding of a view comes to; none where the joint has nothing to do with it.
 * @param at the first place that it touches
 */
function inPieces(mark: Mark, view: View, at: number): readonly Joined[] {
  let behind = at;
  while ((view.placed[behind]?.start ?? mark.end) < mark.end) behind += 1;
  const touched = view.placed.slice(at, behind);
  const isForeign = touched.every(({ piece }) => piece.isForeign);
  if (mark.class === 'prompt_injection' && !isForeign) return NOTHING;
  const isSplit = touched.length > 1;
  const spansUnits = touched.some(({ piece }) => piece.unit !== touched[0]?.piece.unit);
  const isCertain = mark.confidence === 'confirmed';
  if (!isCertain && (spansUnits || !isSplit || BY_CHANCE.has(mark.class))) return NOTHING;
  if (!isSplit && touchesCut(mark, view)) return NOTHING;
  const parts = touched.map(({ piece, from, start, end }): Part => {
    const begins = Math.max(mark.start, start) - start + from;
    const ends = Math.min(mark.end, end) - start + from;
    const value = piece.text.slice(begins, ends);
    return { piece, mark: { ...mark, start: begins, end: ends, value } };
  });
  if (isSplit && isWholeBefore(parts)) return NOTHING;
  return parts.flatMap(({ piece, mark: own }, index): Joined[] => {
    if (overlapping(own, piece.marks).some((known) => covers(known, own, isSplit))) return [];
    return [{ site: piece.site, mark: own, continues: index > 0 }];
  });
}

/** What of a value stands in a piece. */
interface Part {
  readonly piece: Piece;
  readonly mark: Mark;
}

/** A row of letters and digits that no language has. */
const RANDOM = /(?=.*\d)(?=.*[A-Za-z])[\w+/=-]{8}/s;

/**
 * True where a part is a whole value by itself and what follows it only happens to fit: an address
 * goes on in any word. A key that goes on in no word is a longer key.
 */
function isWholeBefore(parts: readonly Part[]): boolean {
  const isWhole = ({ piece, mark }: Part) =>
    overlapping(mark, piece.marks).some(
      (known) =>
        known.class === mark.class &&
        known.confidence === 'confirmed' &&
        known.start <= mark.start &&
        known.end >= mark.end,
    );
  if (!parts.some(isWhole)) return false;
  const others = parts.filter((part) => !isWhole(part));
  return !others.every(({ mark }) => mark.class === 'secret' && RANDOM.test(mark.value));
}

/** True where a text already shows by itself what it shows at a joint. */
function covers(known: Mark, { start, end, confidence }: Mark, isSplit: boolean): boolean {
  if (!isSplit && known.start < end && known.end > start) {
    return known.confidence === 'confirmed' || confidence !== 'confirmed';
  }
  return known.start <= start && known.end >= end;
}

/**
 * The marks of a text with one more of a joint. What overlaps it becomes one with it, so that no
 * half of a value is left; the class with the strictest mode names the whole.
 */
export function withJoined(
  marks: readonly Mark[],
  added: Mark,
  text: string,
  modes: FirewallModes,
): { readonly marks: readonly Mark[]; readonly whole: Mark } {
  const from = firstBehind(marks, added.start);
  const overlapped = overlapping(added, marks);
  const together = [added, ...overlapped];
  const start = Math.min(...together.map((mark) => mark.start));
  const end = Math.max(...together.map((mark) => mark.end));
  const named = together.reduce((strictest, mark) =>
    strictness(modes[mark.class]) > strictness(modes[strictest.class]) ? mark : strictest,
  );
  const whole = { ...named, start, end, value: text.slice(start, end) };
  return { marks: marks.toSpliced(from, overlapped.length, whole), whole };
}
