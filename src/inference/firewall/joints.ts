import { ownRulesOf } from '../../kernel/firewall/modes.js';
import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import type { Mark } from './mark.js';
import { glance } from './scan.js';

/**
 * How much on each side of a joint is read, in UTF-16 units. A word may be 40 characters from its
 * number, and numbers, names and dates are shorter than that; what is longer has no space.
 */
export const REACH = 64;
/** A word that goes on at the end of the reach is read to its end, up to this length. */
const WORD_MAX = 2_048;
/** Where a value touches a joint by itself, all of it is read: private keys are that long. */
export const LONG_REACH = 8_192;

/** A text among those that are read one right behind the other. */
export interface Piece {
  /** The call that showed it. */
  readonly site: number;
  readonly text: string;
  /** The message, or what is embedded by itself. */
  readonly unit: number;
  readonly isForeign: boolean;
  /** What the text shows by itself. */
  readonly marks: readonly Mark[];
}

/** A part of a piece as a view shows it. */
interface Placed {
  readonly piece: Piece;
  /** Where it begins in the piece and in the view, and where it ends in the view. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

/** What neighbouring pieces say together. */
export interface View {
  readonly text: string;
  readonly placed: readonly Placed[];
  /** The last piece of the group that it has. */
  readonly last: number;
  /** Whether text of the first piece stands before the view, and of the last one behind it. */
  readonly isCutBefore: boolean;
  readonly isCutBehind: boolean;
  /** Whether other pieces of the group do. */
  readonly hasBefore: boolean;
  readonly hasBehind: boolean;
}

/** A piece that holds more than space, and where that begins and ends. */
export interface Filled {
  readonly piece: Piece;
  readonly begin: number;
  readonly finish: number;
}

/** Neighbouring joints of a group: each is between the piece of its number and the next one. */
export interface Joints {
  readonly first: number;
  readonly last: number;
}

/** Pieces whose joints are read together: a long piece ends one group and begins the next. */
export function groupsOf(pieces: readonly Piece[]): readonly (readonly Filled[])[] {
  const groups: Filled[][] = [];
  let open: Filled[] = [];
  for (const piece of pieces) {
    const filled = filledOf(piece);
    if (!filled) continue;
    open.push(filled);
    if (!isLong(filled)) continue;
    if (open.length > 1) groups.push(open);
    open = [filled];
  }
  if (open.length > 1) groups.push(open);
  return groups;
}

/** What is shorter is read whole at each of its joints. */
function isLong({ begin, finish }: Filled): boolean {
  return finish - begin > 2 * REACH;
}

function filledOf(piece: Piece): Filled | undefined {
  const { text } = piece;
  let begin = 0;
  let finish = text.length;
  while (begin < finish && isSpace(text.charCodeAt(begin))) begin += 1;
  while (finish > begin && isSpace(text.charCodeAt(finish - 1))) finish -= 1;
  return begin === finish ? undefined : { piece, begin, finish };
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0;
}

/** True where a value that was found ends with the text, or begins with it. */
function touchesItsEdge({ piece: { marks }, begin, finish }: Filled): boolean {
  return marks[0]?.start === begin || marks.at(-1)?.end === finish;
}

/** All joints of a group. */
function allJoints(group: readonly Filled[]): Joints {
  return { first: 0, last: group.length - 2 };
}

/** The texts at some joints of a group, with those around them as far as the reach goes. */
export function viewOf(
  group: readonly Filled[],
  joints: Joints,
  separator: string,
  reach: number,
): View {
  const first = within(group, joints.first, -1, reach);
  const last = within(group, joints.last + 1, 1, reach);
  // A value that touches a joint may go on in all of the next text.
  const isTouched = group.slice(first, last + 1).some(touchesItsEdge);
  const cut = isTouched ? LONG_REACH : reach;
  const placed: Placed[] = [];
  let text = '';
  let isCutBefore = false;
  let isCutBehind = false;
  for (let index = first; index <= last; index += 1) {
    const filled = group[index];
    if (!filled) continue;
    const { piece, begin, finish } = filled;
    const own = isLong(filled) ? cut : LONG_REACH;
    const from = index === first ? tailFrom(piece.text, begin, finish, own) : begin;
    const to = index === last ? headTo(piece.text, begin, finish, own) : finish;
    if (index === first) isCutBefore = from > begin;
    if (index === last) isCutBehind = to < finish;
    if (index > first) text += separator;
    const start = text.length;
    text += piece.text.slice(from, to);
    placed.push({ piece, from, start, end: text.length });
  }
  const [hasBefore, hasBehind] = [first > 0, last + 1 < group.length];
  return { text, placed, last, isCutBefore, isCutBehind, hasBefore, hasBehind };
}

/** Keys and addresses have none of these signs. */
const BREAK = /[^\x21-\x7e]/;

/** The farthest piece in a direction that the reach from a joint, or a word there, comes to. */
function within(group: readonly Filled[], from: number, step: number, reach: number): number {
  let at = from;
  let length = 0;
  let isWord = true;
  for (;;) {
    const { piece, begin = 0, finish = 0 } = group[at] ?? {};
    length += finish - begin;
    isWord &&= length < reach + WORD_MAX && !BREAK.test(piece?.text.slice(begin, finish) ?? ' ');
    const next = at + step;
    if ((length >= reach && !isWord) || next < 0 || next >= group.length) return at;
    at = next;
  }
}

/** Where the reach before an end begins: never within a word, however long, up to a bound. */
function tailFrom(text: string, begin: number, finish: number, reach: number): number {
  const floor = Math.max(begin, finish - reach - WORD_MAX);
  let at = Math.max(begin, finish - reach);
  while (at > floor && !isSpace(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function headTo(text: string, begin: number, finish: number, reach: number): number {
  const ceiling = Math.min(finish, begin + reach + WORD_MAX);
  let at = Math.min(finish, begin + reach);
  while (at < ceiling && !isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Joints of a group at which something may be found. */
interface Live {
  /** Where the texts touch. */
  readonly close: readonly Joints[];
  /** Where a space parts them. */
  readonly spaced: readonly Joints[];
}

const NONE: Live = Object.freeze({ close: [], spaced: [] });

/** Joints within this length of text are looked at together; fewer cost more for each. */
const SPAN_UNITS = 128;
/** A shorter view is looked at as a whole. */
const FEW_UNITS = 3 * SPAN_UNITS;
/** What is looked at before that, since most of a conversation holds nothing. */
const BLOCK_UNITS = 640;

/**
 * The joints of a group at which something may be found. Digits, words and signs are the same
 * however the texts are joined: what may hold nothing in one way holds nothing in the other.
 */
export function liveJoints(group: readonly Filled[], modes: FirewallModes): Live {
  const all = allJoints(group);
  const view = viewOf(group, all, '', REACH);
  const seen = glance(view.text, modes);
  if (seen === 'nothing') return NONE;
  const close: Joints[] = [];
  const spaced: Joints[] = [];
  const add = (span: Joints, isClose: boolean) => {
    put(spaced, span);
    // Digits without a word show nothing where the texts touch; a space may end or begin a word.
    if (isClose && !isPlain(group, span, modes)) put(close, span);
  };
  if (view.text.length <= FEW_UNITS) {
    add(all, seen === 'something');
    return { close, spaced };
  }
  for (const block of spansOf(view, all, BLOCK_UNITS)) {
    if (glanceAt(view, block, modes) === 'nothing') continue;
    for (const span of spansOf(view, block, SPAN_UNITS)) {
      const shown = glanceAt(view, span, modes);
      if (shown !== 'nothing') add(span, shown === 'something');
    }
  }
  return { close, spaced };
}

/** Adds joints to a list, to the last ones where they are neighbours. */
function put(list: Joints[], span: Joints): void {
  const last = list.at(-1);
  if (last?.last !== span.first - 1) list.push(span);
  else list[list.length - 1] = { first: last.first, last: span.last };
}

/** Where a joint stands in the view of its group. */
function placeOf({ placed }: View, joint: number): number {
  return placed[joint + 1]?.start ?? 0;
}

/** Joints in rows, each within a length of text. */
function spansOf(view: View, { first, last }: Joints, units: number): Joints[] {
  const spans: Joints[] = [];
  let begin = first;
  for (let joint = first + 1; joint <= last; joint += 1) {
    if (placeOf(view, joint) - placeOf(view, begin) <= units) continue;
    spans.push({ first: begin, last: joint - 1 });
    begin = joint;
  }
  return [...spans, { first: begin, last }];
}

function glanceAt(view: View, { first, last }: Joints, modes: FirewallModes) {
  const { text } = view;
  let from = Math.max(0, placeOf(view, first) - REACH);
  let to = Math.min(text.length, placeOf(view, last) + REACH);
  const [floor, ceiling] = [from - WORD_MAX, to + WORD_MAX];
  while (from > Math.max(0, floor) && isOfKey(text.charCodeAt(from - 1))) from -= 1;
  while (to < Math.min(text.length, ceiling) && isOfKey(text.charCodeAt(to))) to += 1;
  return glance(text.slice(from, to), modes);
}

/** A sign that is no BREAK. */
function isOfKey(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

/** The last word of a sentence, or of a text in Russian letters, of which no key or address is. */
const LAST_WORD = new RegExp(
  "(?:^|[\\s\"'(«„“])(?:[А-ЯЁа-яё][а-яё-]{0,23}[\"')»”]?[.!?…,;:]?|[A-Za-z][a-z’'-]{0,19}[.!?…])" +
    '["\')»”]?$',
);
/** A first word that goes on no other one. */
const FIRST_WORD = /^["'(«„“]?[A-ZА-ЯЁ][a-zа-яё’']{0,23}(?=$|[\s.,!?…:;)»”"-])/;
const WORD_REACH = 40;

/** True where it says nothing that texts touch: each of them ends and begins with a plain word. */
function isPlain(group: readonly Filled[], { first, last }: Joints, modes: FirewallModes): boolean {
  if (ownRulesOf(modes)) return false;
  for (let joint = first; joint <= last; joint += 1) {
    const [left, right] = [group[joint], group[joint + 1]];
    if (!left || !right) return false;
    const tail = Math.max(left.begin, left.finish - WORD_REACH);
    const head = Math.min(right.finish, right.begin + WORD_REACH);
    if (!LAST_WORD.test(left.piece.text.slice(tail, left.finish))) return false;
    if (!FIRST_WORD.test(right.piece.text.slice(right.begin, head))) return false;
  }
  return true;
}
